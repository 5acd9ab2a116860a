"""When the load and the run will end, from the plan and the progress so far: for progress bars, never for figures."""

from __future__ import annotations

from itertools import groupby, pairwise
from operator import attrgetter

from tui.record.events import LoadFacts
from tui.record.state import RunState

STOPPING = 1.0
"""Seconds that reading memory, stopping and checking usually take after the last round."""
UNKNOWN = 5.0
"""The assumed length of a round, in seconds, while nothing is known about it."""


def load_end(state: RunState, start: float) -> float:
    """The time on the run's clock, in seconds, when the last round will end; ``start`` is when the load began."""
    load = state.planned.load if state.planned else None
    if load is None:
        return start
    return start + load.warmup + load.rounds * (_round_seconds(state, load) + _mean_gap(state))


def run_end(state: RunState) -> float | None:
    """Seconds that the whole run will take: as planned or, with a number of requests, from the rounds so far.

    None if neither is known.
    """
    if state.planned is None or state.planned.expected_seconds is not None:
        return state.planned.expected_seconds if state.planned else None
    if not state.rate or not (_announced(state) or state.results):
        return None
    return load_end(state, state.rate[0].t0) + STOPPING


def _round_seconds(state: RunState, load: LoadFacts) -> float:
    """Seconds that a round takes: as planned, as the ended ones took, or as its phase announced."""
    if load.duration is not None:
        return load.duration
    if state.rounds:
        return sum(ended.length for ended in state.rounds) / len(state.rounds)
    return _announced(state) or UNKNOWN


def _announced(state: RunState) -> float | None:
    return state.phase.expected if state.phase and state.phase.phase == "round" else None


def _mean_gap(state: RunState) -> float:
    """Seconds between two intervals of load, as seen so far."""
    intervals = [list(points) for _, points in groupby(state.rate, key=attrgetter("round"))]
    gaps = [after[0].t0 - before[-1].t1 for before, after in pairwise(intervals)]
    return sum(gaps) / len(gaps) if gaps else 0.0
