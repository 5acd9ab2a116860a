"""Findings on rounds that can't be what they are for: one alone, or one without a good answer."""

from __future__ import annotations

from collections.abc import Iterator

from tui.record.state import RunState
from tui.summary.finding import Finding, Quantity

_LOAD: tuple[Quantity, ...] = ("rate", "latency")


def too_few(state: RunState) -> Iterator[Finding]:
    """One round only, or rounds in which nothing was good; judged at the end of the run."""
    if state.ended is None:
        return
    whole = [ended for ended in state.rounds if not ended.stopped]
    if len(whole) == 1:
        yield Finding(
            code="one-round",
            severity="warning",
            quantities=_LOAD,
            text="one round only: nothing is known about how much it scatters",
            evidence="one run of one stack says little; the reference articles saw 2.6 times at the p99",
            remedy="load.rounds = 3 or more",
        )
    barren = [
        str(ended.round) for ended in state.rounds if ended.result and not ended.result.tally.outcomes.ok
    ]
    if barren:
        yield Finding(
            code="no-good-answer",
            severity="invalid",
            quantities=_LOAD,
            text=f"no good answer in round {', '.join(barren)}",
            evidence="every outcome was an error or was not finished",
            remedy="see the outcomes, and the server's log (l)",
        )
