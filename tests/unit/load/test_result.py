import json
import random
import statistics

import pytest

from tui.load.kinds import ERROR_KINDS, OTHER, TIME_KINDS
from tui.load.recorder import TimesCount
from tui.load.result import Outcomes, RoundResult, Tally, Times


def times(values, digits=3):
    counted = TimesCount()
    if values:
        counted.insert(values)
    return Times(**json.loads(json.dumps(counted.to_json(digits))))


def nanoseconds(count, seed=1):
    rng = random.Random(seed)
    return [int(rng.lognormvariate(14, 0.7)) for _ in range(count)]


def test_moments_are_exact():
    values = nanoseconds(2000)
    measured = times(values)
    assert measured.count == 2000
    assert measured.min == min(values) / 1e9
    assert measured.max == max(values) / 1e9
    assert measured.sum_ns == sum(values)
    assert measured.squares_ns2 == sum(value * value for value in values)
    assert measured.mean == pytest.approx(statistics.fmean(values) / 1e9, rel=1e-12)
    assert measured.stdev == pytest.approx(statistics.stdev(values) / 1e9, rel=1e-12)


def test_the_deviation_of_nearly_equal_times_does_not_cancel_away():
    measured = times([3_000_000_000, 3_000_000_001, 3_000_000_002])
    assert measured.stdev == pytest.approx(1e-9, rel=1e-9)


def test_nothing_measured_is_none_and_not_nought():
    nothing = Times()
    assert (nothing.min, nothing.max, nothing.mean, nothing.stdev, nothing.percentile(50)) == (None,) * 5
    assert times([5]).stdev is None


def test_percentiles_are_near_the_sorted_values():
    values = sorted(nanoseconds(5000))
    measured = times(values)
    for percent in (50, 90, 99):
        assert measured.percentile(percent) == pytest.approx(values[int(percent * 50) - 1] / 1e9, rel=2e-3)


@pytest.mark.parametrize(
    ("count", "percent", "has"),
    [(20, 50, True), (19, 50, False), (1000, 99, True), (999, 99, False), (100, 100, False)],
)
def test_a_percentile_needs_ten_samples_beyond(count, percent, has):
    measured = times(nanoseconds(count))
    assert (measured.percentile(percent) is not None) is has
    assert (measured.percentile_gap(percent) is None) is has


def test_the_gap_says_how_many_there_were():
    assert (
        times(nanoseconds(2000)).percentile_gap(99.9)
        == "2 of 2000 samples lie beyond 99.9 %, at least 10 are needed"
    )


def test_a_percentile_is_never_above_the_maximum():
    measured = times([1_000_000_100] * 40)
    assert measured.percentile(50) == measured.max


def test_adding_is_the_same_as_measuring_together():
    one, other = nanoseconds(700, 1), nanoseconds(300, 2)
    assert times(one) + times(other) == times(one + other)
    assert times(one) + Times() == Times() + times(one) == times(one)


def test_two_and_three_digits_add_to_two():
    one, other = nanoseconds(50, 1), nanoseconds(50, 2)
    assert times(one) + times(other, digits=2) == times(one + other, digits=2)


def test_outcomes_total_and_bad():
    outcomes = Outcomes(ok=5, status=1, body=2, reset=3, unfinished=4)
    assert (outcomes.total, outcomes.bad) == (15, 6)
    assert (outcomes + Outcomes(ok=1)).ok == 6


def test_tallies_add():
    one = Tally(
        sent=3, outcomes=Outcomes(ok=2, status=1), statuses={200: 2, 500: 1}, errors={"status: 500": 1}
    )
    other = Tally(sent=1, outcomes=Outcomes(connect=1), errors={"connect: Connection refused": 1}, opened=7)
    both = one + other
    assert both.sent == both.outcomes.total == 4
    assert both.statuses == {200: 2, 500: 1}
    assert both.errors == {"status: 500": 1, "connect: Connection refused": 1}
    assert both.opened == 7


def test_errors_stay_few_and_none_is_lost():
    many = Tally(errors={f"kind {number}": number + 1 for number in range(ERROR_KINDS)})
    more = Tally(errors={f"other kind {number}": 1 for number in range(ERROR_KINDS)} | {OTHER: 5})
    both = many + more
    assert len(both.errors) <= ERROR_KINDS + 1
    assert sum(both.errors.values()) == sum(many.errors.values()) + sum(more.errors.values())
    assert both.errors[OTHER] >= 5
    assert both.errors["kind 19"] == 20


def round_result(**changes):
    fields = {
        "started": 1.0,
        "ended": 3.0,
        "seconds": 2.0,
        "tally": Tally(sent=10, outcomes=Outcomes(ok=8, timeout=2)),
        "connect": Times(),
        "waiting": Times(),
        "processing": Times(),
        "total": times(nanoseconds(8)),
        "bad": times(nanoseconds(2)),
        "oldest_unfinished": None,
        "cpu_seconds": (0.5,),
        "lag": 0.001,
        "connections": 4,
        "most_open": 4,
        "stopped": False,
        "server": None,
        "http_version": "1.1",
    }
    return RoundResult(**fields | changes)


def test_the_rate_counts_good_answers_only():
    assert round_result().rate == 4.0
    assert round_result(seconds=0.0).rate is None


def test_a_result_goes_through_json_unchanged():
    result = round_result()
    assert RoundResult.model_validate_json(result.model_dump_json()) == result


def test_it_has_each_kind_of_time():
    annotated = RoundResult.model_fields.items()
    assert [name for name, field in annotated if field.annotation is Times] == list(TIME_KINDS)


def test_unknown_fields_are_refused():
    with pytest.raises(ValueError, match="extra"):
        Tally(send=1)
