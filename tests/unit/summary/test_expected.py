"""When the load and the run will end."""

from __future__ import annotations

import pytest

from tests.support.recorded_runs import Writer
from tui.record.state import RunState, fold
from tui.summary.expected import STOPPING, UNKNOWN, load_end, run_end


def run_of(requests: int | None) -> Writer:
    """A run of three rounds of four seconds, or of so many requests, whose warm-up of two seconds is over."""
    run = Writer()
    run.begin(duration=None if requests else 4.0, requests=requests)
    run.start()
    run.come_up()
    run.load(None, 2.0)
    return run


def test_with_a_duration_it_is_the_plan() -> None:
    state = fold(run_of(None).events)
    assert run_end(state) == 2.5 + 2 + 3 * 4
    assert load_end(state, 1.0) == 1 + 2 + 3 * 4


def test_nothing_is_known_before_the_plan() -> None:
    assert run_end(RunState()) is None
    assert load_end(RunState(), 1.0) == 1.0


def test_with_a_number_of_requests_nothing_is_known_before_a_round_is_announced() -> None:
    state = fold(run_of(9000).events)
    assert run_end(state) is None
    assert load_end(state, 1.0) == 1 + 2 + 3 * UNKNOWN


def test_then_it_is_as_its_phase_announces() -> None:
    run = run_of(9000)
    run.phase("round", 1, expected=6.0)
    state = fold(run.events)
    assert run_end(state) == pytest.approx(state.rate[0].t0 + 2 + 3 * 6 + STOPPING)


def test_then_as_rounds_have_taken_with_the_gaps_between_them() -> None:
    run = run_of(9000)
    run.load(1, 7.0)
    run.load(2, 9.0)
    state = fold(run.events)
    first, *_, last = state.rounds
    gaps = (first.t - first.length - state.rate[0].t0 - 2) + (last.t - last.length - first.t)
    assert gaps > 0
    expected = state.rate[0].t0 + 2 + 3 * (8 + gaps / 2) + STOPPING
    assert run_end(state) == pytest.approx(expected, abs=0.2)
