"""Whether the load generator was late by what it measured as latency."""

from __future__ import annotations

from tests.support import story
from tui.findings.judge import judge
from tui.load.result import ScheduleTotals, Times
from tui.record.events import Event
from tui.record.state import fold
from tui.summary.finding import Finding


def found(events: list[Event]) -> dict[str, Finding]:
    return {finding.code: finding for finding in judge(fold(events)).findings}


def late(share: float, milliseconds: float) -> Times:
    """400 moments, a share of which was noticed so late."""
    many = round(share * 400)
    return story.times(*[0.05] * (400 - many), *[milliseconds] * many)


def closed(lag: Times) -> dict[str, Finding]:
    """Every answer of it took 5 ms."""
    return found(story.with_results(story.run(), timer_lag=lag))


def test_reading_one_answer_in_ten_late_makes_a_closed_loop_invalid() -> None:
    finding = closed(late(0.2, 300.0))["generator-lag"]
    assert (finding.severity, finding.quantities) == ("invalid", ("rate", "latency"))
    assert "the rate is a lower bound" in finding.text
    assert finding.evidence == (
        "at p90 it was 300 ms late for its own timer, at most 300 ms; the latency's p90 is 5.00 ms"
    )


def test_reading_few_answers_late_touches_the_tail() -> None:
    finding = closed(late(0.07, 4.0))["generator-lag"]
    assert (finding.severity, finding.quantities) == ("warning", ("latency",))
    assert "from p95 on" in finding.text


def test_lateness_that_is_small_against_the_latency_is_no_finding() -> None:
    assert closed(late(0.5, 2.4)) == {}
    assert closed(late(0.005, 300.0)) == {}


def test_a_late_start_makes_the_latency_of_an_open_loop_invalid_and_not_its_rate() -> None:
    plan = ScheduleTotals(arrivals="uniform", seed=1, requests=2000, seconds=2.0)
    events = story.with_results(story.run(), planned=plan, schedule_lag=late(0.6, 4.0))
    finding = found(events)["generator-lag"]
    assert (finding.severity, finding.quantities) == ("invalid", ("latency",))
    assert finding.evidence.startswith("at p50 it was 4.00 ms late for planned requests, ")


def test_a_saturated_load_is_reported_once() -> None:
    events = story.with_results(story.run(), timer_lag=late(0.9, 50.0), cpu_seconds=(1.9,))
    assert found(events).keys() == {"generator-saturated"}


def test_less_than_a_millisecond_is_never_late() -> None:
    fast = story.times(*[0.2] * 2000)
    assert found(story.with_results(story.run(), total=fast, timer_lag=late(0.9, 0.9))) == {}
