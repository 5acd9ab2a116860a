"""How late a load process is: a timer whose moments are as good as an answer that comes when nobody looks.

In a closed loop nothing is planned, so nothing that it sends can be late. What can be late is the look at an answer
that has come: the process is busy with other answers, or something else has its CPU, or it was stopped. Seen from
within, that is a longer latency of the server. A timer's moments are known beforehand, as in cyclictest, so the time
from each of them to its being noticed is the load's own.
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
        """The timer's descriptor is readable. Moments that passed meanwhile are as late as they are."""
        lags = range(clock() - self._due, -1, -PERIOD)
        self._lags.extend(lags)
        self._due += len(lags) * PERIOD
        self._timer.set(self._due)

    def close(self) -> None:
        """Give the descriptor back."""
        self._timer.close()
