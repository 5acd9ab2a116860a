"""The statistics against counting by brute force, published tables and simulation."""

from __future__ import annotations

import random
from itertools import combinations
from statistics import median

import pytest

from tui.compare.statistics import (
    difference_interval,
    doubled_ranks,
    holm,
    median_interval,
    rank_test,
    relative,
)

A_A_COMPARISONS = 3000


def by_counting(first: list[float], other: list[float]) -> float:
    """The rank test by its definition: every way to deal the ranks out."""
    ranks = doubled_ranks([*first, *other])
    middle = len(first) * (len(ranks) + 1)
    away = abs(sum(ranks[: len(first)]) - middle)
    dealt = [sum(ranks[i] for i in chosen) for chosen in combinations(range(len(ranks)), len(first))]
    return sum(abs(total - middle) >= away for total in dealt) / len(dealt)


@pytest.mark.parametrize("sizes", [(2, 3), (4, 4), (6, 6), (5, 7)])
@pytest.mark.parametrize("kinds", [1000, 4])
def test_rank_test_is_what_counting_gives(sizes: tuple[int, int], kinds: int) -> None:
    """Few kinds of values make many ties."""
    source = random.Random(sizes[0] * 100 + kinds)
    for _ in range(20):
        first, other = ([float(source.randrange(kinds)) for _ in range(size)] for size in sizes)
        assert rank_test(first, other) == pytest.approx(by_counting(first, other))


def test_rank_test_at_the_critical_values() -> None:
    """Of the table for two-sided 5 %: of six against six U = 5 is significant and U = 6 is not; of three nothing is."""
    apart = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [7.0, 8.0, 9.0, 10.0, 11.0, 12.0]
    assert rank_test(*apart) == pytest.approx(2 / 924)
    five = [1.0, 2.0, 3.0, 4.0, 5.0, 11.0], [6.0, 7.0, 8.0, 9.0, 10.0, 12.0]
    six = [1.0, 2.0, 3.0, 4.0, 6.0, 11.0], [5.0, 7.0, 8.0, 9.0, 10.0, 12.0]
    assert rank_test(*five) < 0.05 < rank_test(*six)
    assert rank_test([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]) == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("size", "critical"), [(4, 0), (5, 2), (6, 5), (7, 8), (8, 13), (9, 17), (10, 23), (11, 30), (12, 37)]
)
def test_rank_test_at_the_critical_values_of_equal_sizes(size: int, critical: int) -> None:
    """The printed table of the U test, two-sided 5 %: U at the critical value is significant, one more isn't."""
    assert rank_test(*with_u(size, critical)) <= 0.05 < rank_test(*with_u(size, critical + 1))


def with_u(size: int, u: int) -> tuple[list[float], list[float]]:
    """Two variants without ties, of which in ``u`` pairs the first's value is the larger one."""
    first, other = [float(place) for place in range(size)], [float(size + place) for place in range(size)]
    for place in reversed(range(size)):
        passed = min(u, size)
        if passed:
            first[place] = size + passed - 0.5 + place / 100
        u -= passed
    return first, other


def test_twelve_a_variant_are_counted_exactly() -> None:
    """The most extreme deal has two ways out of comb(24, 12), which the normal approximation doesn't know."""
    low, high = [float(value) for value in range(12)], [float(value) for value in range(12, 24)]
    assert rank_test(low, high) == pytest.approx(2 / 2704156, rel=1e-9)


def test_rank_test_of_many_is_close_to_the_exact_one() -> None:
    source = random.Random(3)
    first = [source.gauss(0, 1) for _ in range(9)]
    other = [source.gauss(0.8, 1) for _ in range(9)]
    exact = rank_test(first, other)
    import tui.compare.statistics as statistics

    limit, statistics.EXACT = statistics.EXACT, 0
    try:
        assert rank_test(first, other) == pytest.approx(exact, abs=0.01)
        assert rank_test([1.0] * 20, [1.0] * 20) == 1.0
    finally:
        statistics.EXACT = limit


def test_ranks_of_equal_values_are_shared() -> None:
    assert doubled_ranks([10.0, 20.0, 20.0, 5.0]) == [4, 7, 7, 2]


def test_holm_by_hand() -> None:
    """0.01 times 4, 0.02 times 3, 0.03 times 2 raised to 0.06, 0.5 times 1."""
    assert holm([0.03, 0.01, 0.5, 0.02]) == pytest.approx([0.06, 0.04, 0.5, 0.06])
    assert holm([]) == []


def test_relative() -> None:
    assert relative(264.0, 165.0) == pytest.approx(-0.375)
    assert relative(0.0, 0.0) == 0.0


def test_the_interval_is_the_same_every_time_and_holds_the_median() -> None:
    values = [98.0, 101.0, 99.5, 103.0, 100.2, 97.1]
    low, high = median_interval(values)
    assert (low, high) == median_interval(values)
    assert min(values) <= low <= median(values) <= high <= max(values)
    assert difference_interval(values, [value * 1.2 for value in values])[0] > 0.1


def start(source: random.Random, middle: float) -> float:
    """A run's median of three rounds: runs differ by 2 %, rounds of one run by 1 %, neither symmetrically."""
    own = middle * source.lognormvariate(0, 0.02)
    return median(own * source.lognormvariate(0, 0.01) for _ in range(3))


def told(first: list[float], other: list[float]) -> bool:
    """Whether a difference is reported; the same rule as in tui.compare.comparison, which a test there checks."""
    if rank_test(first, other) >= 0.05:
        return False
    low, high = difference_interval(first, other)
    return not low <= 0 <= high


@pytest.mark.parametrize("starts", [6, 8])
def test_comparing_a_thing_with_itself_rarely_tells_a_difference(starts: int) -> None:
    source = random.Random(starts)
    alarms = sum(
        told(*([start(source, 2000.0) for _ in range(starts)] for _ in range(2)))
        for _ in range(A_A_COMPARISONS)
    )
    assert 0.02 <= alarms / A_A_COMPARISONS <= 0.06


def test_rounds_as_samples_would_tell_differences_that_are_none() -> None:
    """Why a run is the sample: the rounds of three runs, taken for nine samples, cry wolf."""
    source = random.Random(11)

    def rounds() -> list[float]:
        owns = [2000.0 * source.lognormvariate(0, 0.02) for _ in range(2)]
        return [own * source.lognormvariate(0, 0.005) for own in owns for _ in range(4)]

    alarms = sum(rank_test(rounds(), rounds()) < 0.05 for _ in range(500))
    assert alarms / 500 > 0.2


def test_a_real_difference_of_ten_per_cent_is_reported() -> None:
    source = random.Random(2)
    found = sum(
        told([start(source, 2000.0) for _ in range(6)], [start(source, 2200.0) for _ in range(6)])
        for _ in range(60)
    )
    assert found >= 57


def test_the_interval_of_a_difference_holds_the_true_one_mostly() -> None:
    """With six values a variant a bootstrap interval of medians is a little generous or a little short."""
    source = random.Random(8)
    held = 0
    for _ in range(150):
        first = [start(source, 2000.0) for _ in range(6)]
        low, high = difference_interval(first, [start(source, 2300.0) for _ in range(6)])
        held += low <= 0.15 <= high
    assert held / 150 >= 0.88
