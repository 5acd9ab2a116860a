"""Findings on how a run ended: stopped, failed, or cut off."""

from __future__ import annotations

from collections.abc import Iterator

from tui.record.state import RunState
from tui.summary import units
from tui.summary.finding import QUANTITIES, Finding


def not_good(state: RunState) -> Iterator[Finding]:
    """The run was stopped, or it failed."""
    if state.ended is None or state.ended.verdict == "good":
        return
    stopped = state.ended.verdict == "stopped"
    whole = sum(not result.stopped for result in state.results)
    yield Finding(
        code="stopped" if stopped else "failed",
        severity="warning" if stopped and whole else "invalid",
        quantities=QUANTITIES,
        text="the run was stopped before its end" if stopped else f"the run failed: {state.ended.reason}",
        evidence=f"{whole} of {state.planned.load.rounds if state.planned else '?'} rounds are complete",
        remedy="run it again to the end" if stopped else "see the server's log (l)",
    )


def cut_off(state: RunState) -> Finding:
    """The record has no end, and its runner has ended."""
    return Finding(
        code="cut-off",
        severity="invalid",
        quantities=QUANTITIES,
        text="the record stops early: its runner ended without writing the end of the run",
        evidence=f"the last event is at {units.duration(state.now)}",
        remedy="logs/runner.err in the record may say why; run it again",
    )
