"""When a round that has no end of its own is given up."""

from __future__ import annotations

from tests.support import story
from tui.run.interrupts import Patience


def test_patience_ends_once_when_nothing_good_has_come_for_twice_the_timeout() -> None:
    patience = Patience(timeout=1.0)
    assert not patience.ended_by(story.tick(1.0, 1, good=5).tick)
    ticks = [story.tick(1.0 + number / 4, 1, good=0, bad=1).tick for number in range(1, 20)]
    ended = [tick.t1 for tick in ticks if patience.ended_by(tick)]
    assert ended == [3.25]
    assert patience.over


def test_a_good_answer_now_and_then_is_enough() -> None:
    patience = Patience(timeout=1.0)
    for number in range(1, 40):
        assert not patience.ended_by(story.tick(number / 4, 1, good=number % 7 == 0).tick)
    assert not patience.over


def test_a_server_that_never_answered_is_given_up_too() -> None:
    patience = Patience(timeout=1.0)
    assert any(patience.ended_by(story.tick(number / 4, 1, good=0).tick) for number in range(1, 12))
