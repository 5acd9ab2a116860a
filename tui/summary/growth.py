"""How memory grows with the number of requests, over rounds with the same processes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from tui.record.state import RunState

FEWEST_ROUNDS = 3
FEWEST_REQUESTS = 1_000
"""Between the first and the last reading."""
STEADY = 0.9
"""Share of the mean slope that each step, including the one from the warm-up, needs for growth to count as steady.

Before its first large collection a heap grows nearly as steadily as a leak: measured with Node and Ruby.
"""


@dataclass(frozen=True, slots=True)
class Growth:
    """Comparable memory (bytes) after each of some rounds, over the requests that had been sent by then."""

    requests: tuple[int, ...]
    memory: tuple[int, ...]
    warm: tuple[int, int] | None = None
    """The same after the warm-up, if these processes already existed then."""

    @property
    def per_1000_requests(self) -> float:
        """Bytes; the slope of the least squares line. Negative if memory shrank."""
        middle = sum(self.requests) / len(self.requests)
        mean = sum(self.memory) / len(self.memory)
        above = sum((x - middle) * (y - mean) for x, y in zip(self.requests, self.memory, strict=True))
        return 1000 * above / sum((x - middle) ** 2 for x in self.requests)

    @property
    def total(self) -> int:
        return self.memory[-1] - self.memory[0]

    @property
    def is_steady(self) -> bool:
        """Whether each step adds about as much per request as all of them together."""
        points = [*([self.warm] if self.warm else []), *zip(self.requests, self.memory, strict=True)]
        slopes = [(y1 - y0) / (x1 - x0) for (x0, y0), (x1, y1) in pairwise(points)]
        overall = (points[-1][1] - points[0][1]) / (points[-1][0] - points[0][0])
        return overall > 0 and min(slopes) >= STEADY * overall


def growth(state: RunState) -> Growth | None:
    """Growth over the last rounds with the same processes; None if there are too few rounds or requests."""
    points = _points(state)
    warm = points.pop(0)[1:] if points and points[0][0] is None else None
    if len(points) < FEWEST_ROUNDS or points[-1][1] - points[0][1] < FEWEST_REQUESTS:
        return None
    _, requests, memory = zip(*points, strict=True)
    return Growth(requests, memory, warm)


def _points(state: RunState) -> list[tuple[int | None, int, int]]:
    """Round (None for the warm-up), requests sent by its end, and memory then, since the processes last changed."""
    passes = {each.label: each for each in state.memory_totals}
    points: list[tuple[int | None, int, int]] = []
    processes: frozenset[tuple[int, int]] | None = None
    sent = 0
    for ended in (*([state.warmup] if state.warmup else []), *state.rounds):
        if ended.result is None:
            return []  # an external load: its requests are not counted
        sent += ended.result.tally.sent
        after = passes.get(f"after round {ended.round}" if ended.round else "after warm-up")
        if after is None or after.comparable is None:
            continue
        there = frozenset((reading.pid, reading.start) for reading in after.readings)
        if there != processes:
            processes, points = there, []
        if not points or sent > points[-1][1]:
            points.append((ended.round, sent, after.comparable))
    return points
