"""Findings on how a run ended: stopped, failed, or cut off."""

from __future__ import annotations

from collections.abc import Iterator

from tui.record.state import RunState
from tui.summary import units
from tui.summary.finding import Finding, Quantity


def not_good(state: RunState) -> Iterator[Finding]:
    """The run was stopped, or it failed."""
    if state.ended is None or state.ended.verdict == "good":
        return
    stopped = state.ended.verdict == "stopped"
    whole = _whole(state) > 0
    everything: tuple[Quantity, ...] = ("rate", "latency", "memory")
    yield Finding(
        code="stopped" if stopped else "failed",
        severity="warning" if stopped and whole else "invalid",
        quantities=everything,
        text="the run was stopped before its end" if stopped else f"the run failed: {state.ended.reason}",
        evidence=f"{_whole(state)} of {state.planned.load.rounds if state.planned else '?'} rounds are whole",
        remedy="run it again to its end" if stopped else "see the server's log (l)",
    )


def _whole(state: RunState) -> int:
    return sum(not result.stopped for result in state.results)


def cut_off(state: RunState) -> Finding:
    """For a record without an end whose runner is gone."""
    return Finding(
        code="cut-off",
        severity="invalid",
        quantities=("rate", "latency", "memory"),
        text="the record ends before the run did: its runner ended without finishing",
        evidence=f"the last event is at {units.duration(state.now)}",
        remedy="logs/runner.err in the record may say why; run it again",
    )
