"""The arithmetic of charts: values in, rows of block characters out.

Everything here is a pure function of its arguments, so a replay draws the same as the live run.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tui.console.drawing.lines import Piece, StyleName, fit

EIGHTHS = " ▁▂▃▄▅▆▇█"
"""A cell filled from the bottom in eighths."""
ERROR = "×"
"""The character for errors: distinct from good answers even without colour."""
PRIVATE, SHARED = "█", "░"
"""The characters of a memory bar."""


@dataclass(frozen=True, slots=True)
class RateBin:
    """Answers between two moments, seconds since the run's start."""

    t0: float
    t1: float
    good: int
    bad: int
    warm: bool
    """Whether it belongs to the warm-up, which never counts."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the rate chart, in answers per second."""

    good: float
    bad: float
    warm: bool


NOTHING = Column(0.0, 0.0, False)


def block_rows(fractions: Sequence[float], height: int) -> list[str]:
    """Rows of a block chart, top first, one column for each fraction in 0..1.

    Anything above zero is visible.
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


def compact(bins: Sequence[RateBin], limit: int) -> tuple[RateBin, ...]:
    """The same answers in about ``limit`` bins at most: neighbours of the same kind are merged."""
    if len(bins) <= limit:
        return tuple(bins)
    span = (bins[-1].t1 - bins[0].t0) / limit
    merged: list[RateBin] = []
    for each in bins:
        last = merged[-1] if merged else None
        joins = (
            last and last.warm == each.warm and each.t1 - last.t0 <= span and each.t0 - last.t1 < span / 10
        )
        if last and joins:
            merged[-1] = RateBin(last.t0, each.t1, last.good + each.good, last.bad + each.bad, last.warm)
        else:
            merged.append(each)
    return tuple(merged)


def rate_columns(bins: Sequence[RateBin], start: float, end: float, width: int) -> list[Column]:
    """Mean rates over ``width`` equal parts of the time from ``start`` to ``end``.

    A bin that spans several columns is divided between them by time. Time without any bin (between rounds) doesn't
    lower the rate of a column that has some.
    """
    if width <= 0 or end <= start:
        return [NOTHING] * max(0, width)
    step = (end - start) / width
    good, bad, covered = [0.0] * width, [0.0] * width, [0.0] * width
    warm = [False] * width
    for each in bins:
        span = each.t1 - each.t0
        if span <= 0:
            continue
        first = max(0, int((each.t0 - start) / step))
        for i in range(first, min(width, int((each.t1 - start) / step) + 1)):
            overlap = min(each.t1, start + (i + 1) * step) - max(each.t0, start + i * step)
            if overlap <= 0:
                continue
            good[i] += each.good * overlap / span
            bad[i] += each.bad * overlap / span
            covered[i] += overlap
            warm[i] = each.warm
    return [
        Column(good[i] / covered[i], bad[i] / covered[i], warm[i]) if covered[i] > step * 0.05 else NOTHING
        for i in range(width)
    ]


def rate_rows(columns: Sequence[Column], top: float, height: int) -> list[str]:
    """Rows of the rate chart, top first: good answers as blocks, errors stacked on them as crosses.

    Any error gets at least one cross, even if good answers fill the column.
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


def histogram_columns(
    buckets: Iterable[tuple[float, float, int]], low: float, high: float, width: int
) -> list[float]:
    """Counts per column of a log axis; a bucket (from, to, count) is divided among the columns it spans."""
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
    """One row of blocks for the last ``width`` values.

    The scale runs from the lowest to the highest value, but spans at least ``floor`` of the highest, so that a steady
    value looks steady.
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


def memory_bar(
    private: float | None,
    shared: float | None,
    largest: float,
    room: int,
    styles: tuple[StyleName, StyleName],
) -> list[Piece]:
    """Private memory solid and shared memory hatched; ``largest`` bytes fill ``room`` cells."""
    if private is None or shared is None or largest <= 0:
        return [("faint", fit("n/a", room))]
    filled = min(room, max(1 if private else 0, round(private / largest * room)))
    total = min(room, max(filled, round((private + shared) / largest * room)))
    of_private, of_shared = styles
    return [
        (of_private, PRIVATE * filled),
        (of_shared, SHARED * (total - filled)),
        ("plain", " " * (room - total)),
    ]
