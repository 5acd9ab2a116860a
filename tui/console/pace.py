"""How often to draw: at most four times a second, less often where drawing takes long."""

from __future__ import annotations

FASTEST = 0.25
"""Seconds between two drawings."""
SLOWEST = 1.0
SLOW = 0.05
"""Seconds; a drawing that takes longer halves the rate."""
CALM = 12
"""So many drawings in less than half of that double it again."""


class Pace:
    """Decides from the time that drawings took when the next one is due."""

    def __init__(self) -> None:
        self.period = FASTEST
        self._drawn = float("-inf")
        self._quick = 0

    def due(self, now: float) -> bool:
        """Whether it is time for another drawing; a timer that fires a little early counts."""
        return now - self._drawn >= self.period * 0.9

    def drawn(self, now: float, took: float) -> None:
        """A drawing began at ``now`` and took this many seconds."""
        self._drawn = now
        if took > SLOW:
            self.period, self._quick = min(SLOWEST, self.period * 2), 0
        elif took < SLOW / 2 and self.period > FASTEST:
            self._quick += 1
            if self._quick >= CALM:
                self.period, self._quick = self.period / 2, 0
