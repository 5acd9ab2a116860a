"""Findings on how requests ended: not well, not as expected, or not at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from tui.load.result import Tally
from tui.record.state import RunState
from tui.summary import units
from tui.summary.finding import Finding, Quantity

MUCH_LONGER = 3.0
"""How many times the slowest answer a request must have waited in vain to count as hung."""
LONG = 0.5
"""Seconds that are never called hanging."""
TOLERABLE = 0.01
"""Share of bad answers, of whatever kind, above which the rate of good ones says nothing about the stack's capacity."""
SHOWN = 6
"""Kinds that an evidence names."""

_LOAD: tuple[Quantity, ...] = ("rate", "latency")


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
        "requests had no whole answer",
        "see the server's log (l) and the listen queues; rate and latency are of good answers only",
    ),
    _Kind(
        "unexpected-status",
        ("status",),
        "answers had another status than the expected one",
        "see the server's log (l); expect.status says which one is good",
    ),
    _Kind(
        "unexpected-body",
        ("body",),
        "answers had the expected status and another body",
        "look at the answer; expect.body, expect.contains and expect.length say which one is good",
    ),
    _Kind(
        "client-limit",
        ("client",),
        "requests failed at a limit of this machine's client side, which is no fault of the stack",
        "a higher limit of descriptors (ulimit -n), fewer connections, or load.keepalive = true",
    ),
)


def bad(state: RunState) -> Iterator[Finding]:
    """Answers that were not good, apart by who has to look into it. All of them together settle how grave that is."""
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
            quantities=_LOAD,
            text=f"{units.count(number)} {kind.text} ({_per_cent(number / ended)})",
            evidence=_evidence(counted, tally),
            remedy=kind.remedy,
        )


def _per_cent(share: float) -> str:
    """Two significant digits of the few that are seldom more than a trace: ``0.025 %``, ``2.5 %``, ``100 %``."""
    return f"{share * 100:.2g} %" if share < 0.095 else units.share(share)


def _evidence(counted: dict[str, int], tally: Tally) -> str:
    """How many of each class, and of each text that begins with its name: ``status 12: 502 10, 404 2``."""
    parts = []
    for name, number in counted.items():
        texts = Counter(
            {
                text.removeprefix(f"{name}: "): times
                for text, times in tally.errors.items()
                if text.startswith(f"{name}: ")
            }
        )
        told = ", ".join(f"{text} {units.count(times)}" for text, times in texts.most_common(SHOWN))
        parts.append(f"{name} {units.count(number)}" + (f": {told}" if told else ""))
    return "; ".join(parts)


def stalled(state: RunState) -> Iterator[Finding]:
    """Requests that were still in flight at a round's end, far longer than any answer took."""
    worst: tuple[float, int, float] | None = None
    for ended in state.rounds:
        if ended.result is None:
            continue
        oldest, slowest = ended.result.oldest_unfinished, ended.result.total.max
        if oldest is None or oldest < max(MUCH_LONGER * (slowest or 0.0), LONG):
            continue
        if worst is None or oldest > worst[0]:
            worst = oldest, ended.round or 0, slowest or 0.0
    if worst is None:
        return
    oldest, number, slowest = worst
    unfinished = sum(result.tally.outcomes.unfinished for result in state.results)
    yield Finding(
        code="stalled",
        severity="invalid",
        quantities=_LOAD,
        text="requests hung: they were never answered, and are in no figure of rate or latency",
        evidence=(
            f"at the end of round {number} the oldest of them had waited {units.duration(oldest)}, the slowest answer "
            f"took {units.duration(slowest)}; {units.count(unfinished)} unfinished in all"
        ),
        remedy="see the server's log (l); a load.timeout shorter than the round tells them as timeouts",
    )
