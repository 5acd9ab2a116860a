"""The time bar as text: where the replay is, and what happened when."""

from __future__ import annotations

import pytest

from tui.console.drawing.lines import plain, width_of
from tui.console.replay.lines import TimeBar, bar_line, place_lines, time_at
from tui.console.replay.recording import Place

PLACES = (
    Place(0.0, "start"),
    Place(20.0, "round 1"),
    Place(30.0, "too slow", "warning"),
    Place(60.0, "stop"),
)


def bar(at: float, *, playing: bool = True, searched: bool = True) -> TimeBar:
    return TimeBar(at, 80.0, 8, playing, PLACES, searched)


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (bar(10.0), "▸ playing   8×  0:10.0  ┃━━━━━╋────┃────▲────────────────┃───────────  1:20.0"),
        (
            bar(40.0, playing=False),
            "‖ paused    8×  0:40.0  ┃━━━━━━━━━━┃━━━━▲━━━━━╋──────────┃───────────  1:20.0",
        ),
        (bar(80.0), "■ end       8×  1:20.0  ┃━━━━━━━━━━┃━━━━▲━━━━━━━━━━━━━━━━┃━━━━━━━━━━╋  1:20.0"),
    ],
)
def test_the_bar_has_the_position_the_phases_and_the_findings(shown, text):
    assert plain(bar_line(shown, len(text))) == text


@pytest.mark.parametrize("width", [1, 20, 33, 40, 78, 158])
def test_it_fits_every_width(width):
    assert width_of(bar_line(bar(40.0), width)) <= width


@pytest.mark.parametrize("width", [78, 158])
def test_a_click_goes_to_the_time_below_it(width):
    text = plain(bar_line(bar(40.0), width))
    assert time_at(bar(40.0), text.index("╋"), width) == pytest.approx(40.0, abs=80 / 40)
    assert time_at(bar(40.0), text.index("▲"), width) == pytest.approx(30.0, abs=80 / 40)
    assert time_at(bar(40.0), 3, width) is None and time_at(bar(40.0), width - 1, width) is None


def test_the_list_marks_the_place_that_was_reached_last():
    lines = [plain(line).rstrip() for line in place_lines(bar(40.0, searched=False), 30)]
    assert lines == [
        "  0:00.0  ┃ start",
        "  0:20.0  ┃ round 1",
        "▸ 0:30.0  ▲ too slow",
        "  1:00.0  ┃ stop",
        "  looking for findings …",
    ]
