"""Requests over time from a status page's count, for an external load.

A page is read about once a second, so the finest detail is the interval between two reads, over which the count is
spread evenly.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from tui.record.state import RunState


@dataclass(frozen=True, slots=True)
class Part:
    """The warm-up or a round on the time axis, seconds since the run's start."""

    round: int | None
    """None for the warm-up."""
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Counted:
    """What a page counted between two reads."""

    t0: float
    t1: float
    requests: int
    round: int | None

    @property
    def rate(self) -> float:
        """Requests per second."""
        return self.requests / (self.t1 - self.t0)


def source_of(state: RunState) -> str | None:
    """The status page whose count is used: the first with a count for the rounds, else the first with any count."""
    counting = {name: status for name, status in state.status.items() if status.served.now is not None}
    known = [name for name, status in counting.items() if status.served.measured is not None]
    return next(iter(known or counting), None)


def parts(state: RunState) -> tuple[Part, ...]:
    """The warm-up and the rounds, the current one up to now; a prolonged warm-up is one part."""
    found: list[Part] = []
    for phase, following in pairwise([*state.phases, None]):
        if phase is None or phase.phase not in ("warm-up", "round"):
            continue
        end = following.t if following is not None else state.now
        if found and phase.round is None:
            found[-1] = Part(None, found[-1].start, end)
        else:
            found.append(Part(phase.round, phase.t, end))
    return tuple(found)


def counted(state: RunState) -> tuple[Counted, ...]:
    """The counts of one page from the first part on; empty if no page counts.

    An external generator sends nothing between two parts, so its counts belong to the earlier part. A stack that is
    only watched may get requests at any time.
    """
    source, intervals = source_of(state), parts(state)
    if source is None or not intervals:
        return ()
    generated = state.planned is not None and state.planned.load.mode == "command"
    found: list[Counted] = []
    for (t0, before), (t1, after) in pairwise(state.status[source].series):
        started = [part for part in intervals if part.start < t1]
        if not started or after < before:  # before the load, or the server has restarted its count
            continue
        part = started[-1]
        start, end = max(t0, intervals[0].start), t1
        if generated:
            start, end = max(t0, part.start), min(t1, part.end)
        if end > start:
            found.append(Counted(start, end, after - before, part.round))
    return tuple(found)


def rate_in(state: RunState, number: int | None) -> float | None:
    """Requests per second in a round, or in the warm-up (None); None if no page counted them."""
    part = next((part for part in parts(state) if part.round == number), None)
    points = counted(state)
    if part is None or not points or part.end <= part.start:
        return None
    requests = 0.0
    for point in points:
        overlap = min(point.t1, part.end) - max(point.t0, part.start)
        requests += max(0.0, overlap) * point.rate
    return requests / (part.end - part.start)
