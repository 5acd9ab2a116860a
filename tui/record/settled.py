"""A round that has ended, without what only its sum with the other rounds needs: its full histograms.

They take a hundred kilobytes a round, and a run of hours has thousands of rounds.
"""

from __future__ import annotations

from tui.load.counts import Counts
from tui.load.kinds import TIME_KINDS
from tui.load.result import Times
from tui.record.events import RoundEnded

KEPT = (50.0, 90.0, 99.0)
"""The percentiles that are told of a single round."""


class SettledTimes(Times):
    """Times whose histogram has a bucket for each of the ``KEPT`` percentiles, which stay exact, and no others."""

    def percentile(self, percent: float) -> float | None:
        if percent not in KEPT:
            raise ValueError(f"p{percent:g} of a single round isn't kept")
        return super().percentile(percent)

    def __add__(self, other: Times) -> Times:
        raise TypeError("the histograms of single rounds aren't kept: RunState.times() has their sum")


def settled(ended: RoundEnded) -> RoundEnded:
    """The same round, small."""
    if ended.result is None:
        return ended
    times: dict[str, Times] = {kind: _settled(getattr(ended.result, kind)) for kind in TIME_KINDS}
    return ended.model_copy(update={"result": ended.result.model_copy(update=times)})


def _settled(times: Times) -> Times:
    """Each kept percentile's bucket takes in the smaller ones that belong to no percentile before it."""
    histogram = times.histogram
    ranks = [histogram.rank(percent) for percent in KEPT]
    counts: dict[int, int] = {}
    told = running = 0
    for bucket in sorted(histogram.counts):
        running += histogram.counts[bucket]
        if any(told < rank <= running for rank in ranks) or running == histogram.total:
            counts[bucket] = running - told
            told = running
    return SettledTimes.model_construct(**{**dict(times), "counts": Counts(counts)})
