import itertools
import math
import statistics

import pytest

from tui.load.arrivals import Arrivals
from tui.load.schedule import NEVER, SECOND, Schedule, poisson, uniform
from tui.system.errors import UserError

START = 7_000_000_000


def schedules(rate, processes, *, kind="uniform", requests=None, seconds=1.0, seed=1):
    arrivals, end = Arrivals(rate, kind, seed), START + int(seconds * SECOND)
    return [Schedule(arrivals.part(k, processes, requests), START, end) for k in range(processes)]


def starts(schedule):
    taken = []
    while schedule.head != NEVER:
        taken.append(schedule.take() - START)
    return taken


@pytest.mark.parametrize("processes", [1, 2, 3, 7])
@pytest.mark.parametrize(
    ("rate", "seconds", "planned"),
    [(1000, 1.0, 1000), (3, 1.0, 3), (0.1, 10.0, 1), (0.1, 10.1, 2), (997, 3.0, 2991), (33.3, 10.0, 333)],
)
def test_rate_times_duration_is_planned_exactly(rate, seconds, planned, processes):
    parts = schedules(rate, processes, seconds=seconds)
    assert sum(part.count_until(NEVER) for part in parts) == planned
    assert sum(len(starts(part)) for part in parts) == planned


def test_processes_interleave_to_even_spacing():
    together = sorted(itertools.chain(*map(starts, schedules(300, 3))))
    assert together == [number * SECOND // 300 for number in range(300)]
    assert [starts(part)[0] for part in schedules(300, 3)] == [0, SECOND // 300, 2 * SECOND // 300]


def test_an_hour_at_an_odd_rate_does_not_drift():
    late = next(itertools.islice(uniform((1_000_003, 1000), 0, 1), 3_600_000, None))
    assert late == 3_600_000 * 1000 * SECOND // 1_000_003


@pytest.mark.parametrize(("requests", "shares"), [(10, [4, 3, 3]), (2, [1, 1, 0]), (9, [3, 3, 3])])
@pytest.mark.parametrize("kind", ["uniform", "poisson"])
def test_a_number_of_requests_is_shared_out(kind, requests, shares):
    parts = schedules(1000, 3, kind=kind, requests=requests, seconds=3600)
    assert [len(starts(part)) for part in parts] == shares
    assert all(part.complete for part in parts)


def test_a_schedule_that_its_end_cuts_is_not_complete():
    (cut,) = schedules(100, 1, requests=101)
    assert len(starts(cut)) == 100
    assert not cut.complete


def test_what_is_planned_is_counted_apart_from_what_is_taken():
    (schedule,) = schedules(100, 1)
    schedule.take()
    assert [schedule.count_until(START + ms * 1_000_000) for ms in (0, 1, 10, 11, 500, 5000)] == [
        0,
        1,
        0,
        1,
        48,
        50,
    ]


def test_gaps_of_a_poisson_process_are_exponential():
    """Mean and deviation are equal; a share of exp(-x) is longer than x means; neighbours don't depend."""
    mean, number = SECOND / 2000, 40_000
    times = list(itertools.islice(poisson((2000, 1), 0, 1, 5), number + 1))
    gaps = [after - before for before, after in itertools.pairwise(times)]
    assert statistics.mean(gaps) == pytest.approx(mean, rel=0.02)
    assert statistics.stdev(gaps) == pytest.approx(mean, rel=0.03)
    for x in (0.1, 0.5, 1, 2, 4):
        assert sum(gap > x * mean for gap in gaps) / number == pytest.approx(math.exp(-x), abs=0.01)
    assert abs(statistics.correlation(gaps[:-1], gaps[1:])) < 0.02


def test_poisson_processes_together_have_the_rate_and_its_scatter():
    """Counts in equal windows scatter as much as their mean: what a uniform schedule doesn't."""
    parts = schedules(1000, 4, kind="poisson", seconds=100)
    windows = [0] * 1000
    for at in itertools.chain(*map(starts, parts)):
        windows[at // (SECOND // 10)] += 1
    assert statistics.mean(windows) == pytest.approx(100, rel=0.02)
    assert statistics.variance(windows) == pytest.approx(100, rel=0.2)


def test_a_seed_repeats_a_poisson_process_and_another_does_not():
    def times(seed):
        return [starts(part) for part in schedules(500, 2, kind="poisson", seed=seed)]

    first, second = times(1)
    assert times(1) == [first, second]
    assert first[:5] != second[:5]
    assert times(2)[0][:5] != first[:5]


@pytest.mark.parametrize("rate", [0, -1, 1_000_001, float("inf"), float("nan")])
def test_a_rate_that_cannot_be_planned_is_refused(rate):
    with pytest.raises(UserError, match="the rate must be more than 0 and at most 1,000,000"):
        Arrivals(rate)
