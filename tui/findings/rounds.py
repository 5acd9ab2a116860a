"""A finding on a run with a single round."""

from __future__ import annotations

from collections.abc import Iterator

from tui.record.state import RunState
from tui.summary.finding import OF_THE_LOAD, Finding


def only_one(state: RunState) -> Iterator[Finding]:
    """Only one round, judged after the run has ended."""
    if state.ended is None:
        return
    whole = [ended for ended in state.rounds if not ended.stopped]
    if len(whole) == 1:
        yield Finding(
            code="one-round",
            severity="warning",
            quantities=OF_THE_LOAD,
            text="one round only: how much rounds vary is unknown",
            evidence="one round says little: in the reference articles p99 varied by a factor of 2.6",
            remedy="set load.rounds to 3 or more",
        )
