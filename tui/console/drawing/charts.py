"""The arithmetic of the two charts: values in, rows of block characters out.

Everything here is a pure function of its arguments, so a replay draws what was drawn live. The x axis of the latency
histogram depends only on the smallest and largest latency of the run so far; both only ever spread, so buckets keep
their place while the bars grow.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

EIGHTHS = " ▁▂▃▄▅▆▇█"
"""A cell filled from below in eighths."""
ERROR = "×"
"""What an error is drawn with; told apart from good answers without any colour."""


@dataclass(frozen=True, slots=True)
class Slot:
    """Answers between two moments, seconds since the run's start."""

    t0: float
    t1: float
    good: int
    bad: int
    warm: bool
    """Of the warm-up, which is never counted."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the rate chart, in answers a second."""

    good: float
    bad: float
    warm: bool


NOTHING = Column(0.0, 0.0, False)


def block_rows(fractions: Sequence[float], height: int) -> list[str]:
    """Rows of a block chart, top first, one column for each fraction in 0..1.

    Something greater than nothing is never drawn as nothing.
    """
    levels = [level(fraction, height) for fraction in fractions]
    return [
        "".join(EIGHTHS[max(0, min(8, value - row * 8))] for value in levels)
        for row in range(height - 1, -1, -1)
    ]


def level(fraction: float, height: int) -> int:
    """``fraction`` of ``height`` rows in eighths of a row."""
    if fraction <= 0:
        return 0
    return max(1, min(height * 8, round(fraction * height * 8)))


def nice_above(value: float) -> float:
    """The smallest of 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten that isn't below ``value``."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    for step in (1, 1.5, 2, 3, 4, 5, 6, 8):
        if value <= step * power * (1 + 1e-9):
            return step * power
    return 10 * power


def steady_top(highest: float, top: float) -> float:
    """The top of an axis that moves seldom: up when it must, down when less than a third of it is used."""
    if highest > top or highest < top / 3:
        return nice_above(highest * 1.05)
    return top


def compact(slots: Sequence[Slot], limit: int) -> tuple[Slot, ...]:
    """The same answers in at most about ``limit`` slots: neighbours of one kind are put together."""
    if len(slots) <= limit:
        return tuple(slots)
    span = (slots[-1].t1 - slots[0].t0) / limit
    merged: list[Slot] = []
    for slot in slots:
        last = merged[-1] if merged else None
        joins = (
            last and last.warm == slot.warm and slot.t1 - last.t0 <= span and slot.t0 - last.t1 < span / 10
        )
        if last and joins:
            merged[-1] = Slot(last.t0, slot.t1, last.good + slot.good, last.bad + slot.bad, last.warm)
        else:
            merged.append(slot)
    return tuple(merged)


def rate_columns(slots: Sequence[Slot], start: float, end: float, width: int) -> list[Column]:
    """Mean rates over ``width`` equal parts of the time from ``start`` to ``end``.

    A slot that reaches over several columns is shared out by time. Time without any slot (between rounds) isn't
    counted against a column that has some.
    """
    if width <= 0 or end <= start:
        return [NOTHING] * max(0, width)
    step = (end - start) / width
    good, bad, covered = [0.0] * width, [0.0] * width, [0.0] * width
    warm = [False] * width
    for slot in slots:
        span = slot.t1 - slot.t0
        if span <= 0:
            continue
        first = max(0, int((slot.t0 - start) / step))
        for i in range(first, min(width, int((slot.t1 - start) / step) + 1)):
            overlap = min(slot.t1, start + (i + 1) * step) - max(slot.t0, start + i * step)
            if overlap <= 0:
                continue
            good[i] += slot.good * overlap / span
            bad[i] += slot.bad * overlap / span
            covered[i] += overlap
            warm[i] = slot.warm
    return [
        Column(good[i] / covered[i], bad[i] / covered[i], warm[i]) if covered[i] > step * 0.05 else NOTHING
        for i in range(width)
    ]


def rate_rows(columns: Sequence[Column], top: float, height: int) -> list[str]:
    """Rows of the rate chart, top first: good answers as blocks, errors stacked on them as crosses.

    Any error is at least one cross, also where good answers fill the column.
    """
    grid = block_rows([column.good / top for column in columns], height)
    rows = [list(row) for row in grid]
    for x, column in enumerate(columns):
        if column.bad <= 0:
            continue
        base = level(column.good / top, height) // 8
        end = round(min(1.0, (column.good + column.bad) / top) * height)
        base = min(base, height - 1)
        for cell in range(base, max(base + 1, end)):
            rows[height - 1 - cell][x] = ERROR
    return ["".join(row) for row in rows]


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


def histogram_columns(
    buckets: Iterable[tuple[float, float, int]], low: float, high: float, width: int
) -> list[float]:
    """Counts per column of a log axis; a bucket (from, to, count) is shared out over the columns it reaches over."""
    columns = [0.0] * width
    scale = width / math.log(high / low)
    for bucket_low, bucket_high, count in buckets:
        left = max(0.0, math.log(max(bucket_low, low) / low) * scale)
        right = min(float(width), math.log(max(bucket_high, low) / low) * scale)
        if right - left < 1e-9:
            columns[max(0, min(width - 1, int(left)))] += count
            continue
        for i in range(int(left), min(width, math.ceil(right))):
            columns[i] += count * (min(right, i + 1) - max(left, i)) / (right - left)
    return columns


def sparkline(values: Sequence[float], width: int, floor: float = 0.1) -> str:
    """One row of blocks over the last values, ``width`` of them.

    From the lowest to the highest value, but never less than ``floor`` of the highest, so a steady value looks
    steady.
    """
    if not values or width <= 0:
        return ""
    shown = resample(values, width)
    highest = max(shown)
    lowest = min(min(shown), highest * (1 - floor))
    span = highest - lowest
    if span <= 0:
        return EIGHTHS[1] * len(shown)
    return "".join(EIGHTHS[1 + round((value - lowest) / span * 6)] for value in shown)


def resample(values: Sequence[float], width: int) -> list[float]:
    """At most ``width`` values over the whole series: the last of each part, so the newest is always among them."""
    if len(values) <= width:
        return list(values)
    return [values[(i + 1) * len(values) // width - 1] for i in range(width)]


def spread_labels(labels: Sequence[tuple[int, str]], width: int, gap: int = 1) -> list[tuple[int, str]]:
    """Where labels can stand without touching: each at its column if there is room, the earlier ones first.

    A label that doesn't fit at its place is left out.
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
    """Where labels, rising by column, can stand so that none is lost: moved aside in their order where they touch."""
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


def label_row(labels: Sequence[tuple[int, str]], width: int) -> str:
    """One row of text with each label at its column."""
    row = [" "] * width
    for column, text in spread_labels(labels, width):
        row[column : column + len(text)] = text
    return "".join(row)
