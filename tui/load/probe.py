"""How late a load process is, measured by a timer whose moments stand for answers.

In a closed loop nothing is planned, so sending can't be late. But the process may notice an answer late: it is busy
with other answers, something else has its CPU, or it was stopped. From inside, that looks like a longer latency of the
server. A timer's moments are known in advance, as in cyclictest, so any delay in noticing them is the load's own.
"""

from __future__ import annotations

from time import perf_counter_ns as clock

from tui.load.timer import Timer

PERIOD = 5_000_000  # ns


class LagProbe:
    """Moments ``PERIOD`` apart, from one after ``start`` (ns). ``lags`` gets how late each was noticed, in ns."""

    def __init__(self, start: int, lags: list[int]) -> None:
        self._timer = Timer()
        self.fd = self._timer.fd
        self._due = start + PERIOD
        self._lags = lags
        self._timer.set(self._due)

    def notice(self) -> None:
        """The timer's descriptor is readable: record the lag of each moment that has passed."""
        lags = range(clock() - self._due, -1, -PERIOD)
        self._lags.extend(lags)
        self._due += len(lags) * PERIOD
        self._timer.set(self._due)

    def close(self) -> None:
        """Close the descriptor."""
        self._timer.close()
