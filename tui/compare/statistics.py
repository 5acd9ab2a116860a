"""The statistics of a comparison, for a handful of values per variant.

Benchmark results aren't normally distributed, so nothing here assumes that: medians, the bootstrap, a rank test.
Random numbers come from a fixed seed, so the same runs always give the same figures.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from statistics import NormalDist, median

FEWEST = 6
"""Values per variant that an interval needs. With fewer than six, no interval covers the median to 95 %: the range of n
values misses the true median with a probability of 2 / 2**n (both ends), which is 6 % for five and 3 % for six."""
CONFIDENCE = 0.95
RESAMPLES = 2000
SEED = 20090301
EXACT = math.comb(24, 12)
"""The rank test counts all ways to deal the ranks up to this many: twelve values per variant."""

Interval = tuple[float, float]


def median_interval(values: Sequence[float]) -> Interval:
    """The 95 % bootstrap interval of the median; needs ``FEWEST`` values."""
    return _bootstrap(lambda draw: median(draw(values)))


def difference_interval(first: Sequence[float], other: Sequence[float]) -> Interval:
    """The 95 % bootstrap interval of (other - first) / first of the medians; needs ``FEWEST`` values per variant."""
    return _bootstrap(lambda draw: relative(median(draw(first)), median(draw(other))))


def relative(first: float, other: float) -> float:
    """(other - first) / first; infinite if the first is 0 and the other isn't."""
    if first == 0:
        return 0.0 if other == 0 else math.copysign(math.inf, other)
    return (other - first) / first


def _bootstrap(statistic: Callable[[Callable[[Sequence[float]], list[float]]], float]) -> Interval:
    """Percentile bootstrap (Efron 1979): the statistic of samples drawn with replacement, its middle 95 %."""
    source = random.Random(SEED)

    def draw(values: Sequence[float]) -> list[float]:
        return source.choices(values, k=len(values))

    found = sorted(statistic(draw) for _ in range(RESAMPLES))
    outside = round(RESAMPLES * (1 - CONFIDENCE) / 2)
    return found[outside], found[-1 - outside]


def rank_test(first: Sequence[float], other: Sequence[float]) -> float:
    """The two-sided p of the rank-sum test (Wilcoxon 1945, Mann and Whitney 1947), ties by their mean rank.

    Exact, by counting every way to deal the ranks to the two variants, if there are few enough; beyond that, the
    normal approximation with corrections for ties and continuity.
    """
    ranks = doubled_ranks([*first, *other])
    seen = sum(ranks[: len(first)])
    middle = len(first) * (len(ranks) + 1)  # twice the expected rank sum
    away = abs(seen - middle)
    if math.comb(len(ranks), len(first)) <= EXACT:
        ways = _ways(tuple(sorted(ranks)), len(first))
        extreme = sum(number for total, number in ways.items() if abs(total - middle) >= away)
        return extreme / sum(ways.values())
    count = len(ranks)
    ties = sum(size**3 - size for size in Counter(ranks).values())
    variance = len(first) * len(other) / 12 * (count + 1 - ties / (count * (count - 1)))
    if variance == 0:
        return 1.0
    z = max(0.0, away / 2 - 0.5) / math.sqrt(variance)
    return min(1.0, 2 * (1 - NormalDist().cdf(z)))


def doubled_ranks(values: Sequence[float]) -> list[int]:
    """Twice the rank of each value, from 1; equal values share their mean rank; doubled, it is a whole number."""
    order = sorted(values)
    first = {value: place for place, value in reversed(list(enumerate(order, start=1)))}
    size = Counter(order)
    return [2 * first[value] + size[value] - 1 for value in values]


@lru_cache(maxsize=64)
def _ways(ranks: tuple[int, ...], size: int) -> Counter[int]:
    """How many subsets of ``size`` ranks have each sum."""
    sums: list[Counter[int]] = [Counter({0: 1})] + [Counter() for _ in range(size)]
    for rank in ranks:
        for taken in range(size, 0, -1):
            for total, number in sums[taken - 1].items():
                sums[taken][total + rank] += number
    return sums[size]


def holm(ps: Sequence[float]) -> list[float]:
    """Each p corrected for multiple tests (Holm 1979), in the given order."""
    corrected = [0.0] * len(ps)
    highest = 0.0
    for place, index in enumerate(sorted(range(len(ps)), key=lambda index: ps[index])):
        highest = max(highest, min(1.0, (len(ps) - place) * ps[index]))
        corrected[index] = highest
    return corrected
