"""Findings on requests that failed, got an unexpected answer, or got none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from operator import itemgetter

from tui.findings.evidence import SHOWN
from tui.load.result import Tally
from tui.record.state import RunState
from tui.summary import units
from tui.summary.finding import OF_THE_LOAD, Finding

MUCH_LONGER = 3.0
"""A request counts as hung if it has waited this many times as long as the slowest answer took."""
LONG = 0.5
"""Seconds; a shorter wait never counts as hung."""
TOLERABLE = 0.01
"""Share of bad answers of any kind. Above it, the rate of good answers says nothing about the stack's capacity."""


@dataclass(frozen=True, slots=True)
class _Kind:
    code: str
    outcomes: tuple[str, ...]
    text: str
    remedy: str


_KINDS = (
    _Kind(
        "errors",
        ("connect", "reset", "truncated", "timeout", "protocol"),
        "requests got no complete answer",
        "see the server's log (l) and the listen queues; rate and latency count good answers only",
    ),
    _Kind(
        "unexpected-status",
        ("status",),
        "answers had an unexpected status",
        "see the server's log (l); expect.status says which status is good",
    ),
    _Kind(
        "unexpected-body",
        ("body",),
        "answers had the expected status but an unexpected body",
        "look at the answer; expect.body, expect.contains and expect.length say which body is good",
    ),
    _Kind(
        "client-limit",
        ("client",),
        "requests hit a limit of the client; the stack is not at fault",
        "raise the descriptor limit (ulimit -n), use fewer connections, or set load.keepalive = true",
    ),
)


def bad(state: RunState) -> Iterator[Finding]:
    """Answers that were not good: one finding per place to look; their total decides the severity."""
    tally = sum((result.tally for result in state.results), Tally())
    if not state.results and state.live_tally is not None:
        tally = state.live_tally
    outcomes = tally.outcomes.model_dump()
    ended = tally.outcomes.ok + tally.outcomes.bad
    grave = tally.outcomes.bad > TOLERABLE * ended
    for kind in _KINDS:
        counted = {name: outcomes[name] for name in kind.outcomes if outcomes[name]}
        if not counted:
            continue
        number = sum(counted.values())
        yield Finding(
            code=kind.code,
            severity="invalid" if grave else "warning",
            quantities=OF_THE_LOAD,
            text=f"{units.count(number)} {kind.text} ({_per_cent(number / ended)})",
            evidence=_evidence(counted, tally),
            remedy=kind.remedy,
        )


def _per_cent(share: float) -> str:
    """Two significant digits, as most shares are tiny: ``0.025 %``, ``2.5 %``, ``100 %``."""
    return f"{share * 100:.2g} %" if share < 0.095 else units.share(share)


def _evidence(counted: dict[str, int], tally: Tally) -> str:
    """Each outcome with its count and its most frequent errors: ``status 12: 502 10, 404 2``."""
    parts = []
    for name, number in counted.items():
        texts = Counter(
            {
                text.removeprefix(f"{name}: "): times
                for text, times in tally.errors.items()
                if text.startswith(f"{name}: ")
            }
        )
        errors = ", ".join(f"{text} {units.count(times)}" for text, times in texts.most_common(SHOWN))
        parts.append(f"{name} {units.count(number)}" + (f": {errors}" if errors else ""))
    return "; ".join(parts)


def stalled(state: RunState) -> Iterator[Finding]:
    """Requests in flight at the end of a round that had waited far longer than any answer took."""
    hung = [
        (oldest, slowest, ended.round)
        for ended in state.rounds
        if ended.result is not None and (oldest := ended.result.oldest_unfinished) is not None
        if oldest >= max(MUCH_LONGER * (slowest := ended.result.total.max or 0.0), LONG)
    ]
    if not hung:
        return
    oldest, slowest, number = max(hung, key=itemgetter(0))
    unfinished = sum(result.tally.outcomes.unfinished for result in state.results)
    yield Finding(
        code="stalled",
        severity="invalid",
        quantities=OF_THE_LOAD,
        text="some requests were never answered; rate and latency don't include them",
        evidence=(
            f"when round {number} ended, the oldest had waited {units.duration(oldest)}; the slowest answer took "
            f"{units.duration(slowest)}; {units.count(unfinished)} requests were unfinished over all rounds"
        ),
        remedy="see the server's log (l); with a load.timeout shorter than the round they count as timeouts",
    )


def none_good(state: RunState) -> Iterator[Finding]:
    """Rounds without a good answer, judged after the run has ended."""
    if state.ended is None:
        return
    empty = [
        str(ended.round) for ended in state.rounds if ended.result and not ended.result.tally.outcomes.ok
    ]
    if empty:
        yield Finding(
            code="no-good-answer",
            severity="invalid",
            quantities=OF_THE_LOAD,
            text=f"no good answer in round {', '.join(empty)}",
            evidence="every request failed or was unfinished",
            remedy="see the outcomes, and the server's log (l)",
        )
