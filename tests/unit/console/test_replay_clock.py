"""The clock of a replay: position, speed and the wall clock in, the position of a moment or a jump out."""

from __future__ import annotations

import pytest

from tui.console.replay.clock import SPEEDS, Clock, read_time, time_of
from tui.system.errors import UserError

LENGTH = 100.0
PLACES = (10.0, 20.0, 60.0)


def clock(start: float = 0.0, speed: int = 1, *, playing: bool = True) -> Clock:
    """At wall moment 1000."""
    return Clock(LENGTH, 1000.0, start, speed, playing)


@pytest.mark.parametrize(
    ("start", "speed", "playing", "passed", "position"),
    [
        (0.0, 1, True, 0.0, 0.0),
        (0.0, 1, True, 2.5, 2.5),
        (30.0, 8, True, 2.0, 46.0),
        (30.0, 64, True, 1.0, 94.0),
        (30.0, 64, True, 9.0, LENGTH),
        (30.0, 64, False, 9.0, 30.0),
    ],
)
def test_time_passes_with_its_speed_while_it_plays(start, speed, playing, passed, position):
    assert clock(start, speed, playing=playing).at(1000.0 + passed) == position


def test_a_pause_holds_and_playing_goes_on_from_there():
    paused = clock(10.0, 4).toggled(1002.0)
    assert paused.at(1002.0) == paused.at(5000.0) == 18.0
    again = paused.toggled(5000.0)
    assert again.at(5001.0) == 22.0


def test_at_its_end_it_stays_and_plays_again_from_the_start():
    ended = clock(99.0)
    assert not ended.is_playing(1001.0) and ended.at(1009.0) == LENGTH
    assert ended.toggled(1009.0).at(1010.0) == 1.0


def test_going_back_from_the_end_plays_on():
    assert clock(99.0).moved_by(1009.0, -5.0).at(1010.0) == 96.0


@pytest.mark.parametrize(
    ("start", "by", "position"), [(10.0, 5, 15.0), (10.0, -5, 5.0), (3.0, -5, 0.0), (98.0, 5, LENGTH)]
)
@pytest.mark.parametrize("playing", [True, False])
def test_a_step_stays_within_the_run_and_keeps_playing_or_pausing(start, by, position, playing):
    moved = clock(start, playing=playing).moved_by(1000.0, by)
    assert moved.at(1000.0) == position and moved.playing == playing


def test_a_change_of_speed_moves_nothing():
    faster = clock(10.0, 2).faster(1003.0, 1)
    assert faster.speed == 4 and faster.at(1003.0) == 16.0 and faster.at(1004.0) == 20.0


def test_the_speeds_double_up_to_64_and_end_there():
    speeds, now = [1], clock()
    for _ in range(8):
        now = now.faster(1000.0, 1)
        speeds.append(now.speed)
    assert speeds == [1, 2, 4, 8, 16, 32, 64, 64, 64] and tuple(speeds[:7]) == SPEEDS
    assert clock(speed=1).faster(1000.0, -1).speed == 1


@pytest.mark.parametrize(
    ("position", "playing", "speed", "before", "after"),
    [
        (0.0, False, 1, None, 10.0),
        (10.0, False, 1, None, 20.0),  # at a place: the ones around it
        (10.5, False, 1, 10.0, 20.0),
        (20.5, True, 1, 10.0, 60.0),  # a step back right after a place goes further back
        (21.5, True, 1, 20.0, 60.0),
        (25.0, True, 8, 10.0, 60.0),
        (60.0, False, 1, 20.0, None),
        (99.0, False, 1, 60.0, None),
    ],
)
def test_the_place_before_and_the_place_after(position, playing, speed, before, after):
    now = clock(position, speed, playing=playing)
    assert (now.preceding(1000.0, PLACES), now.following(1000.0, PLACES)) == (before, after)


NAMED = (("start", 0.5), ("warm-up", 2.0), ("round 1", 4.0), ("round 2", 8.0), ("stop", 80.0))


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("12.5", 12.5),
        ("12.5s", 12.5),
        (" 7 s ", 7.0),
        (".5", 0.5),
        ("1:05", 65.0),
        ("0:01:05.5", 65.5),
        ("100", 100.0),
        ("round 2", 8.0),
        ("Round  1", 4.0),
        ("warm", 2.0),
    ],
)
def test_a_time_as_a_person_types_it(text, position):
    assert read_time(text, NAMED, LENGTH) == position


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1:41", "1:41: the run ends at 1:40.0"),
        ("2:00:00", "2:00:00: the run ends at 1:40.0"),
        (
            "round 7",
            '"round 7" is no time; type 12.5, 1:05 or round 2 (start, warm-up, round 1, round 2, stop)',
        ),
        ("", '"" is no time'),
        ("-5", '"-5" is no time'),
        ("1:2:3:4", '"1:2:3:4" is no time'),
        ("nan", '"nan" is no time'),
    ],
)
def test_what_is_no_time_of_the_run_is_said_in_one_line(text, words):
    with pytest.raises(UserError) as caught:
        read_time(text, NAMED, LENGTH)
    assert str(caught.value).startswith(words) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0, "0:00.0"), (7.34, "0:07.3"), (59.97, "0:59.9"), (725.0, "12:05.0"), (3725.5, "1:02:05.5")],
)
def test_a_time_is_written_to_the_tenth_that_has_begun(seconds, text):
    assert time_of(seconds) == text
