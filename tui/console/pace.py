"""How often to draw: at most four times a second, less often where drawing takes long."""

from __future__ import annotations

from collections import deque
from statistics import median

FASTEST = 0.25
"""Seconds between two drawings."""
SLOWEST = 1.0
SLOW = 0.05
"""Seconds. Where the usual drawing takes longer (a slow link, a busy machine), the rate is halved."""
USUAL = 5
"""Drawings whose median is the usual one: a single slow one, as when the screen is laid out, changes nothing."""


class Pace:
    """Decides from the time that drawings took when the next one is due."""

    def __init__(self) -> None:
        self.period = FASTEST
        self._drawn = float("-inf")
        self._took: deque[float] = deque(maxlen=USUAL)

    def due(self, now: float) -> bool:
        """Whether it is time for another drawing; a timer that fires a little early counts."""
        return now - self._drawn >= self.period * 0.9

    def drawn(self, now: float, took: float) -> None:
        """A drawing began at ``now`` and took this many seconds."""
        self._drawn = now
        self._took.append(took)
        if len(self._took) < USUAL:
            return
        slow = median(self._took) > SLOW
        period = min(SLOWEST, self.period * 2) if slow else max(FASTEST, self.period / 2)
        if period != self.period:
            self.period = period
            self._took.clear()
