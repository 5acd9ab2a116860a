"""The axes of charts: where they end, where their ticks are, and which labels fit."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tui.console.drawing.lines import Line
from tui.console.words import time_words


def nice_above(value: float) -> float:
    """The smallest of 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten that is at least ``value``."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    for step in (1, 1.5, 2, 3, 4, 5, 6, 8):
        if value <= step * power * (1 + 1e-9):
            return step * power
    return 10 * power


def steady_top(highest: float, top: float) -> float:
    """The top of an axis, which rarely moves: up if it has to, down if less than a third is in use."""
    if highest > top or highest < top / 3:
        return nice_above(highest * 1.05)
    return top


def short_number(value: float) -> str:
    """``6000`` → ``6k``, for an axis of four cells."""
    for scale, unit in ((1e6, "M"), (1e3, "k")):
        if value >= scale:
            return f"{value / scale:.3g}{unit}"
    return f"{value:.3g}"


def time_row(span: float, width: int) -> str:
    """A label below an axis of ``span`` seconds: the seconds since its start."""
    if span <= 0:
        return ""
    step = next(
        (s for s in (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600) if span / s <= max(2, width / 10)),
        7200,
    )
    marks = [(0, "0 s")]
    marks += [(round(t / span * width), time_words(t)) for t in range(step, int(span) + 1, step)]
    return label_row([(min(column, width - len(text)), text) for column, text in marks], width)


def log_range(low: float, high: float) -> tuple[float, float]:
    """The ends of a log axis around values in seconds: 1, 2 or 5 times a power of ten outside both."""
    return _step(low, down=True), _step(high, down=False)


def _step(value: float, *, down: bool) -> float:
    power = 10.0 ** math.floor(math.log10(value))
    steps = [power * step for step in (1, 2, 5, 10)]
    if down:
        return max(step for step in steps if step <= value * (1 + 1e-9))
    return min(step for step in steps if step >= value * (1 - 1e-9))


def log_ticks(low: float, high: float) -> list[float]:
    """The 1, 2 and 5 of every decade between ``low`` and ``high``, both included."""
    ticks: list[float] = []
    for exponent in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1):
        for step in (1, 2, 5):
            tick = step * 10.0**exponent
            if low * (1 - 1e-9) <= tick <= high * (1 + 1e-9):
                ticks.append(tick)
    return ticks


def log_place(value: float, low: float, high: float, width: int) -> int:
    """The column of ``value`` on a log axis of ``width`` columns from ``low`` to ``high``."""
    where = math.log(value / low) / math.log(high / low) if value > 0 else 0.0
    return max(0, min(width - 1, int(where * width)))


def log_axis(low: float, high: float, width: int) -> list[Line]:
    """The axis with a tick at 1, 2 and 5 of each decade, and their values below; ``low`` and ``high`` in seconds."""
    ticks = log_ticks(low, high)
    places = [log_place(tick, low, high, width) for tick in ticks]
    axis = "".join("┴" if x in places else "─" for x in range(width))
    order = sorted(zip(places, ticks, strict=True), key=lambda pair: _tick_rank(pair[1]))
    labels = label_row([(place, tick_label(tick)) for place, tick in order], width)
    return [(("faint", " " + axis),), (("faint", " " + labels),)]


def _tick_rank(tick: float) -> int:
    """Which ticks keep their label if not all fit: 1 before 2 before 5."""
    digit = f"{tick:.0e}"[0]
    return {"1": 0, "2": 2}.get(digit, 1)


def tick_label(seconds: float) -> str:
    """``0.0005`` → ``0.5 ms``, as short as possible."""
    if seconds < 0.0001 * (1 - 1e-9):
        return f"{seconds * 1e6:.3g} µs"
    if seconds < 1 - 1e-9:
        return f"{seconds * 1e3:.3g} ms"
    return f"{seconds:.3g} s"


def label_row(labels: Sequence[tuple[int, str]], width: int) -> str:
    """One row of text with each label at its column."""
    row = [" "] * width
    for column, text in spread_labels(labels, width):
        row[column : column + len(text)] = text
    return "".join(row)


def spread_labels(labels: Sequence[tuple[int, str]], width: int, gap: int = 1) -> list[tuple[int, str]]:
    """Places labels so that they don't touch: each at its column if there's room, the earlier ones first.

    A label that doesn't fit is left out.
    """
    placed: list[tuple[int, str]] = []
    taken: list[tuple[int, int]] = []
    for column, text in labels:
        start = max(0, min(column, width - len(text)))
        end = start + len(text)
        if end > width or any(
            start < other_end + gap and other_start < end + gap for other_start, other_end in taken
        ):
            continue
        taken.append((start, end))
        placed.append((start, text))
    return sorted(placed)


def shifted_labels(labels: Sequence[tuple[int, str]], width: int) -> list[tuple[int, str]]:
    """Places labels, in ascending columns, so that none is lost: labels that would touch move aside, in order."""
    starts: list[int] = []
    free = 0
    for column, text in labels:
        starts.append(max(column, free))
        free = starts[-1] + len(text) + 1
    end = width
    for i in range(len(labels) - 1, -1, -1):
        starts[i] = min(starts[i], end - len(labels[i][1]))
        end = starts[i] - 1
    if starts and starts[0] < 0:
        return spread_labels(labels, width)
    return [(start, text) for start, (_, text) in zip(starts, labels, strict=True)]
