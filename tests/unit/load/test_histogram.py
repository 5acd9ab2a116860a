"""Our histogram against the hdrhistogram package, on values of every kind of shape."""

import random

import pytest
from hdrh.histogram import HdrHistogram

from tui.load.histogram import HIGHEST, Histogram, edges, index_of

SHAPES = {
    "narrow": lambda rng: int(rng.gauss(900, 40)),
    "log-normal": lambda rng: int(rng.lognormvariate(7, 1.5)),
    "uniform over all": lambda rng: rng.randrange(HIGHEST),
    "powers and their neighbours": lambda rng: max(0, (1 << rng.randrange(31)) + rng.randrange(-1, 2)),
    "an outlier of 10 s among 50 ms": lambda rng: 10_000_000 if rng.random() < 0.01 else 50_000,
    "zeros and ones": lambda rng: rng.randrange(2),
}


def both(shape, seed, digits, count):
    rng = random.Random(f"{shape} {seed}")
    values = [max(0, SHAPES[shape](rng)) for _ in range(count)]
    ours, oracle = Histogram(digits), HdrHistogram(1, HIGHEST, digits)
    ours.record(values)
    for value in values:
        oracle.record_value(value)
    return ours, oracle


@pytest.mark.parametrize("digits", [2, 3])
@pytest.mark.parametrize("shape", SHAPES)
def test_counts_and_percentiles_are_those_of_hdrhistogram(shape, digits):
    for seed, count in enumerate([1, 2, 10, 99, 1000, 3000]):
        ours, oracle = both(shape, seed, digits, count)
        assert ours.total == oracle.get_total_count() == count
        assert dict(ours.counts) == {
            index: oracle.get_count_at_index(index)
            for index in range(oracle.counts_len)
            if oracle.get_count_at_index(index)
        }
        for percent in (0.1, 25, 50, 66, 75, 90, 95, 99, 99.9, 99.99, 100):
            assert ours.percentile(percent) == oracle.get_value_at_percentile(percent), percent


@pytest.mark.parametrize("digits", [2, 3])
def test_each_bucket_begins_where_the_one_before_ends(digits):
    assert edges(0, digits)[0] == 0
    for index in range(index_of(HIGHEST, digits)):
        assert edges(index, digits)[1] == edges(index + 1, digits)[0]


@pytest.mark.parametrize("digits", [2, 3])
def test_a_value_lies_in_its_bucket_which_is_narrow_enough(digits):
    rng = random.Random(digits)
    for value in [0, 1, 2047, 2048, HIGHEST, *(rng.randrange(HIGHEST) for _ in range(2000))]:
        low, high = edges(index_of(value, digits), digits)
        assert low <= value < high
        assert high - low <= max(1, value / 10**digits)


def test_merging_is_the_same_as_inserting_all_into_one():
    one, _ = both("log-normal", 1, 3, 500)
    other, _ = both("uniform over all", 2, 3, 500)
    counts = one.counts + other.counts
    one.add(other)
    assert (one.total, one.counts) == (1000, counts)


def test_different_digits_do_not_merge():
    with pytest.raises(ValueError, match="don't merge"):
        Histogram(2).add(Histogram(3))


@pytest.mark.parametrize("shape", SHAPES)
def test_coarse_is_what_two_digits_would_have_recorded(shape):
    fine, _ = both(shape, 7, 3, 2000)
    direct, _ = both(shape, 7, 2, 2000)
    assert fine.coarse().counts == direct.counts
    assert fine.coarse().total == 2000


def test_longer_than_an_hour_counts_as_an_hour_and_as_clamped():
    histogram = Histogram(3)
    histogram.record([5, HIGHEST, HIGHEST + 1, 10 * HIGHEST])
    assert histogram.clamped == 2
    assert histogram.total == 4
    assert list(histogram.counts) == [5, index_of(HIGHEST, 3)]


def test_a_dump_reads_back():
    one, _ = both("log-normal", 3, 3, 300)
    again = Histogram(3, dict(one.counts), one.clamped)
    assert again.total == 300
    assert list(again.buckets()) == list(one.buckets())
    assert sum(bucket.count for bucket in again.buckets()) == 300


def test_empty_has_no_percentile():
    assert Histogram(3).percentile(50) is None
    assert list(Histogram(2).buckets()) == []
