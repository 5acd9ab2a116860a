"""The replay's time bar, and the list of its places, as lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tui.console.drawing.lines import GLYPHS, MARK_STYLES, Line, Mark, StyleName, clip, fit, right, width_of
from tui.console.replay.clock import time_of
from tui.console.replay.recording import Place

PHASE = "┃"
HERE = "╋"
SEVERITY: tuple[Mark, ...] = ("invalid", "warning", "note")


@dataclass(frozen=True, slots=True)
class TimeBar:
    """What the line below the status shows."""

    at: float
    length: float
    speed: int
    playing: bool
    places: tuple[Place, ...] = ()
    """Phases and findings, in order of time."""
    searched: bool = True
    """Whether all findings are known."""

    @property
    def at_end(self) -> bool:
        return self.at >= self.length


def bar_line(bar: TimeBar, width: int) -> Line:
    """``▸ playing  8×   0:07.3  ━━━━┃━━━━▲━━─────┃─────  0:18.6``."""
    head, tail = _head(bar), _tail(bar)
    room = width - width_of(head) - width_of(tail) - 4
    if room < 8:
        return clip(head, width)
    return (*head, ("plain", "  "), *_scale(bar, room), ("plain", "  "), *tail)


def _head(bar: TimeBar) -> Line:
    state: Line = (("measured", "▸ "), ("strong", "playing"))
    if bar.at_end:
        state = (("quiet", "■ "), ("strong", "end    "))
    elif not bar.playing:
        state = (("quiet", "‖ "), ("strong", "paused "))
    return (
        *state,
        ("quiet", right(f"{bar.speed}×", 5)),
        ("strong", right(time_of(bar.at), len(time_of(bar.length)) + 2)),
    )


def _tail(bar: TimeBar) -> Line:
    return (("quiet", time_of(bar.length)),)


def scale_start(bar: TimeBar) -> int:
    """The cell in which the scale begins."""
    return width_of(_head(bar)) + 2


def time_at(bar: TimeBar, x: int, width: int) -> float | None:
    """The time at a cell of the line; None beside the scale."""
    room = width - width_of(_head(bar)) - width_of(_tail(bar)) - 4
    x -= scale_start(bar)
    return bar.length * x / (room - 1) if room >= 8 and 0 <= x < room else None


def _scale(bar: TimeBar, width: int) -> Line:
    """The run from its first to its last second: what is played, the starts of phases, findings."""

    def column(t: float) -> int:
        return round(t / bar.length * (width - 1)) if bar.length else 0

    here = column(bar.at)
    cells: list[tuple[StyleName, str]] = [
        ("measured", "━") if x < here else ("strong", HERE) if x == here else ("faint", "─")
        for x in range(width)
    ]
    for place in bar.places:
        if place.mark is None:
            at = column(place.at)
            cells[at] = ("measured" if at <= here else "quiet", PHASE)
    for mark in reversed(SEVERITY):
        for place in bar.places:
            if place.mark == mark:
                cells[column(place.at)] = (MARK_STYLES[mark], GLYPHS[mark])
    if cells[here][1] in PHASE + HERE:
        cells[here] = ("strong", HERE)
    return _merged(cells)


def _merged(cells: Sequence[tuple[StyleName, str]]) -> Line:
    """Neighbours of one style as one piece."""
    pieces: list[tuple[StyleName, str]] = []
    for style, text in cells:
        if pieces and pieces[-1][0] == style:
            pieces[-1] = (style, pieces[-1][1] + text)
        else:
            pieces.append((style, text))
    return tuple(pieces)


def current(bar: TimeBar) -> int | None:
    """The place that the position has reached last."""
    reached = [i for i, place in enumerate(bar.places) if place.at <= bar.at]
    return reached[-1] if reached else None


def place_lines(bar: TimeBar, width: int) -> list[Line]:
    """A line for each place: its time, its sign, what it is; the last that was reached has a sign in front."""
    here = current(bar)
    lines = [_place(bar, place, i, here, width) for i, place in enumerate(bar.places)]
    return lines if bar.searched else [*lines, (("quiet", "  looking for findings …"),)]


def _place(bar: TimeBar, place: Place, index: int, here: int | None, width: int) -> Line:
    reached = place.at <= bar.at
    style: StyleName = "strong" if index == here else "plain" if reached else "quiet"
    sign: Line = (("faint", PHASE + " "),)
    if place.mark is not None:
        sign = ((MARK_STYLES[place.mark], GLYPHS[place.mark] + " "),)
    line: Line = (
        ("measured", "▸ " if index == here else "  "),
        ("quiet", right(time_of(place.at), len(time_of(bar.length)))),
        ("plain", "  "),
        *sign,
    )
    return clip((*line, (style, fit(place.text, width - width_of(line)).rstrip())), width)
