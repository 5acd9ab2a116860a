"""Latencies in log-linear buckets, with HdrHistogram's layout.

Values are whole microseconds. With *d* significant digits, values up to 2·10^d have a bucket each; above
that, buckets double in width each time the value doubles, so a bucket is never wider than 1/10^d of its
value. Counts are kept sparse: a round of a million answers needs about a thousand entries. Histograms of the
same digits merge by addition without loss; percentiles come from a merged histogram and are never averaged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

HIGHEST = 3_600_000_000  # µs: one hour; a longer time counts as one hour and as clamped
_HALF_BITS = {2: 7, 3: 10}  # log2 of half the number of sub-buckets: the next power of two above 10**digits
_TABLE_END = 1 << 17  # µs: below this an index comes from a table, which makes bulk insertion cheap
_tables: dict[int, list[int]] = {}


def index_of(value: int, digits: int) -> int:
    """The bucket of a value in µs: HdrHistogram's counts array index for a lowest value of 1."""
    half_bits = _HALF_BITS[digits]
    shift = max(0, value.bit_length() - half_bits - 1)
    return (shift << half_bits) + (value >> shift)


def edges(index: int, digits: int) -> tuple[int, int]:
    """The lowest value of a bucket and the lowest of the next one, in µs."""
    half_bits = _HALF_BITS[digits]
    shift = max(0, (index >> half_bits) - 1)
    low = (index - (shift << half_bits)) << shift
    return low, low + (1 << shift)


def index_table(digits: int) -> list[int]:
    """The bucket of each value below ``_TABLE_END``; made once, which takes some ms. Only recording needs it."""
    if digits not in _tables:
        table: list[int] = []
        while len(table) < _TABLE_END:
            index = index_of(len(table), digits)
            low, high = edges(index, digits)
            table += [index] * (high - low)
        _tables[digits] = table
    return _tables[digits]


@dataclass(frozen=True)
class Bucket:
    """``count`` values from ``low`` (included) to ``high`` (excluded), in µs."""

    low: int
    high: int
    count: int


class Histogram:
    """Counts per bucket; ``digits`` is 2 (live ticks) or 3 (rounds); ``clamped`` is the number of values above
    an hour.
    """

    __slots__ = ("clamped", "counts", "digits", "total")

    def __init__(self, digits: int, counts: Mapping[int, int] | None = None, clamped: int = 0) -> None:
        self.digits = digits
        self.counts: Counter[int] = Counter(counts or {})
        self.clamped = clamped
        self.total = self.counts.total()

    def record(self, values: list[int]) -> None:
        """Insert many values in µs at once; none may be negative."""
        if not values:
            return
        if max(values) < _TABLE_END:
            self.counts.update(map(index_table(self.digits).__getitem__, values))
        else:
            self.clamped += sum(value > HIGHEST for value in values)
            self.counts.update(index_of(min(value, HIGHEST), self.digits) for value in values)
        self.total += len(values)

    def add(self, other: Histogram) -> None:
        """Merge another histogram of the same digits into this one."""
        if other.digits != self.digits:
            raise ValueError(f"{self.digits} and {other.digits} digits don't merge")
        self.counts.update(other.counts)
        self.total += other.total
        self.clamped += other.clamped

    def coarse(self) -> Histogram:
        """The same values with two digits. Exact, as every bucket of three digits lies within one of two."""
        counts: Counter[int] = Counter()
        for index, count in self.counts.items():
            counts[index_of(edges(index, self.digits)[0], 2)] += count
        return Histogram(2, counts, self.clamped)

    def buckets(self) -> Iterator[Bucket]:
        """The buckets that aren't empty, in ascending order."""
        for index in sorted(self.counts):
            low, high = edges(index, self.digits)
            yield Bucket(low, high, self.counts[index])

    def percentile(self, percent: float) -> int | None:
        """The value in µs at a percentile (0 < percent <= 100), as HdrHistogram defines it: the highest
        value of the bucket in which the running count reaches ``percent`` of all, rounded to the nearest
        whole count. None if empty.
        """
        return next(self.percentiles([percent]), None)

    def percentiles(self, percents: Iterable[float]) -> Iterator[int]:
        """``percentile`` for many ascending percentiles in one pass. Yields nothing when empty."""
        indices = iter(sorted(self.counts))
        running, index = 0, 0
        for percent in percents:
            wanted = self.rank(percent)
            while running < wanted and (following := next(indices, None)) is not None:
                index = following
                running += self.counts[index]
            if running:
                yield edges(index, self.digits)[1] - 1

    def rank(self, percent: float) -> int:
        """How many values lie at or below a percentile."""
        return max(1, int(percent * self.total / 100 + 0.5))
