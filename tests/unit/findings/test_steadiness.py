"""Rounds compared: drift, scatter, and the noise that is neither."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from tests.support import story
from tui.findings.judge import judge
from tui.findings.steadiness import trend_probability
from tui.load.result import Outcomes, Tally, Tick, Times
from tui.record.events import Event, LoadTick, PhaseChanged, RoundEnded
from tui.record.state import fold
from tui.summary.finding import Finding


def rounds(*rates: Sequence[float], p99: Sequence[float] = (), short: float = 1.0) -> dict[str, Finding]:
    """A run whose rounds had these rates, one for each second of four ticks; ``short`` shortens the seconds."""
    events: list[Event] = story.run(rounds=0, ended=False)
    t = 3.0
    for number, seconds in enumerate(rates, 1):
        events.append(PhaseChanged(t=t, phase="round", round=number))
        started, good = t, 0
        for rate in seconds:
            for _ in range(4):
                served = round(rate * short / 4)
                good += served
                tally = Tally(sent=served, outcomes=Outcomes(ok=served))
                tick = Tick(
                    t0=t, t1=t + short / 4, tally=tally, latency=Times(), in_flight=1, busy=(0.1,), lag=0.0
                )
                t += short / 4
                events.append(LoadTick(t=t, round=number, tick=tick))
        tail = p99[number - 1] if p99 else 5.0
        result = story.result(good=good, seconds=t - started).model_copy(
            update={"total": story.times(*[1.0] * 980, *[tail] * 20)}
        )
        events.append(
            RoundEnded(t=t, round=number, result=result, stack_cpu=None, server_idle=None, load_idle=None)
        )
        t += 0.5
    return {finding.code: finding for finding in judge(fold(events)).findings}


def test_a_rate_that_falls_over_all_rounds() -> None:
    finding = rounds([1000, 990, 980], [960, 950, 930], [920, 890, 880])["drift"]
    assert (finding.severity, finding.quantities) == ("warning", ("rate", "latency"))
    assert finding.text.startswith("no steady state: over the rounds the rate fell by 1")
    assert finding.evidence == "round 1 991, round 2 947, round 3 896 requests/s"


def test_a_fall_that_is_steady_and_small_is_no_drift() -> None:
    assert rounds([1000, 999, 998], [997, 996, 995], [994, 993, 992]) == {}


def test_a_first_round_that_was_still_warm_up() -> None:
    finding = rounds([800], [1000], [1010])["drift"]
    assert finding.text == "no steady state: after the first round the rate rose by 25 %"
    assert "drift" not in rounds([800], [900], [1100])  # they differ as much among themselves


def test_rounds_that_drift_are_not_said_to_scatter() -> None:
    assert rounds([300], [1000], [1010], p99=[50, 5, 5]).keys() == {"drift"}


def test_rounds_that_all_begin_slowly() -> None:
    finding = rounds([800, 1000], [810, 1010], [790, 990])["drift"]
    assert finding.text == "no steady state: in every round the rate rises between its halves by 25 %"
    assert rounds([800, 1000], [1000, 800], [800, 1000]) == {}


def test_rounds_that_scatter_in_rate() -> None:
    finding = rounds([1000], [700], [980])["scatter"]
    assert (finding.severity, finding.quantities) == ("warning", ("rate",))
    assert finding.evidence == "round 1 1,000 requests/s, round 2 700 requests/s, round 3 980 requests/s"


def test_rounds_that_scatter_in_their_tails() -> None:
    finding = rounds([1000], [990], [980], p99=[10, 26, 12])["scatter"]
    assert finding.quantities == ("latency",)
    assert "round 2 992 requests/s p99 26.0 ms" in finding.evidence
    assert rounds([1000], [990], [980], p99=[10, 24, 12]) == {}


def test_two_rounds_and_short_ones_are_not_judged() -> None:
    assert rounds([1000, 800], [500, 300]) == {}
    assert rounds([1000], [500], [300], short=0.9) == {}


def test_noise_without_a_trend_is_seldom_called_one() -> None:
    """Ten rounds of three seconds whose rates vary by 5 %, as on a shared machine."""
    dice = random.Random(1)
    drifting = sum(
        "drift" in rounds(*([dice.gauss(1000, 50) for _ in range(3)] for _ in range(10))) for _ in range(40)
    )
    assert drifting <= 1


@pytest.mark.parametrize(
    ("values", "probability"),
    [
        ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], 0.000834),  # S = 28, variance 65.33
        ([3.0, 1.0, 2.0, 2.0, 5.0, 4.0, 6.0, 5.0], 0.059451),  # S = 16, two ties: variance 63.33
        ([2.0, 2.0, 2.0], 1.0),
    ],
)
def test_the_rank_test(values: list[float], probability: float) -> None:
    assert trend_probability(values) == pytest.approx(probability, abs=1e-4)
