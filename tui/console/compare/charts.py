"""The evidence of a comparison as lines: bars with intervals, latency, rate over time, memory per process.

All variants share one scale, from zero, and each has the same letter and colour in every chart.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from rich.cells import cell_len

from tui.compare import words
from tui.compare.evidence import STEP, VariantEvidence
from tui.compare.schema import Cell, Comparison, Row
from tui.console.compare.lines import OVER, sign_of, style_of
from tui.console.drawing.axes import log_axis, log_range, short_number, time_row
from tui.console.drawing.charts import block_rows, histogram_columns, memory_bar
from tui.console.drawing.lines import (
    EMPTY,
    Line,
    Piece,
    clip,
    fit,
    right,
    shorten,
    width_of,
    wrapped,
)
from tui.console.words import megabytes

BLOCK = 18
"""Cells of a process's bar and figure, in addition to its role."""
NARROWEST = 24
"""The least width of a block of bars, in cells."""
FIGURE = 10
"""Cells of the figure after a bar."""
AXIS = 6
"""Cells to the left of a rate chart."""
REACH = 0.65
"""How far a point extends to either side, in steps: points of one round may be a tick further apart than a step."""
DRAWN = 99.8
"""The percentage of answers that the latency axis covers, so that one slow answer doesn't widen it."""
PENS = ("━┃┏┓┗┛", "─│╭╮╰╯", "═║╔╗╚╝", "┅┇┏┓┗┛", "┄┆┌┐└┘")
"""Each variant's line characters: flat, upright, and the corners top left, top right, bottom left, bottom right."""


def bars_lines(comparison: Comparison, width: int, height: int) -> list[Line]:
    """A block per quantity with a bar per variant, in as many columns as needed."""
    rows = comparison.rows
    each = len(comparison.variants) + 1
    columns = next(
        (
            number
            for number in range(1, len(rows) + 1)
            if math.ceil(len(rows) / number) * each <= height or width // (number + 1) < NARROWEST
        ),
        1,
    )
    stacked = math.ceil(len(rows) / columns)
    gap = 1 if stacked * (each + 1) - 1 <= height else 0
    room = (width - 2 * (columns - 1)) // columns
    parts: list[list[Line]] = []
    for first in range(0, len(rows), stacked):
        lines: list[Line] = []
        for row in rows[first : first + stacked]:
            lines += [*_bar_block(row, room), *[EMPTY] * gap]
        parts.append(lines)
    return in_columns(parts, room)


def in_columns(parts: Sequence[Sequence[Line]], room: int, gap: int = 2) -> list[Line]:
    """Blocks of lines side by side, each ``room`` wide."""
    lines: list[Line] = []
    for y in range(max(map(len, parts), default=0)):
        pieces: list[Piece] = []
        for part in parts:
            kept = clip(part[y], room) if y < len(part) else EMPTY
            pieces += [*kept, ("plain", " " * (room - width_of(kept) + gap))]
        lines.append(tuple(pieces[:-1]))
    return lines


def _bar_block(row: Row, width: int) -> list[Line]:
    ends = [end for cell in row.cells for end in (cell.median, cell.high) if end is not None]
    top = max(ends, default=0.0)
    room = max(4, width - FIGURE - 2)
    lines: list[Line] = [(("strong" if row.primary else "quiet", row.title),)]
    for variant, cell in enumerate(row.cells):
        figure = words.value(cell.median, row.unit)
        bar = _bar(cell, top, room, variant)
        lines.append((sign_of(variant), ("plain", " "), *bar, ("plain", right(figure, FIGURE))))
    return lines


def _bar(cell: Cell, top: float, room: int, variant: int) -> list[Piece]:
    """A bar from zero to the median; a whisker over its end shows the interval, with a cross at the median."""
    style = style_of(variant)
    if cell.median is None or top <= 0:
        return [("plain", " " * room)]
    end = _place(cell.median, top, room)
    if cell.low is None or cell.high is None:
        return [(style, "█" * (end + 1)), ("plain", " " * (room - end - 1))]
    low, high = _place(cell.low, top, room), _place(cell.high, top, room)
    whisker = ["─"] * (high - low + 1)
    whisker[end - low] = "┼"
    if low < end:
        whisker[0] = "├"
    if high > end:
        whisker[-1] = "┤"
    on, beyond = "".join(whisker[: end - low + 1]), "".join(whisker[end - low + 1 :])
    return [
        (style, "█" * low),
        (OVER[variant % len(OVER)], on),
        ("strong", beyond),
        ("plain", " " * (room - high - 1)),
    ]


def _place(value: float, top: float, room: int) -> int:
    return min(room - 1, int(value / top * room))


def latency_lines(variants: Sequence[VariantEvidence], width: int, height: int) -> list[Line]:
    """The latencies of all variants in one chart, as a share of each variant's answers."""
    shown = [(i, variant) for i, variant in enumerate(variants) if variant.latency.count]
    if not shown:
        return wrapped("no variant has a good answer", width, "quiet", first=" ", rest=" ")
    lines = _latency_legend(variants, width, height)
    plot_width, plot_height = max(8, width - 2), max(2, height - len(lines) - 2)
    low, high = _latency_range([variant for _, variant in shown])
    shares = [_shares(variant, low, high, plot_width) for _, variant in shown]
    top = max(map(max, shares)) or 1.0
    grid: dict[tuple[int, int], tuple[str, int]] = {}
    for (i, _), share in reversed(list(zip(shown, shares, strict=True))):
        fractions = [value / top for value in share]
        grid.update({where: (cell, i) for where, cell in curve(fractions, plot_height, PENS[i % len(PENS)])})
    for y in reversed(range(plot_height)):
        lines.append((("plain", " "), *_curve_row(grid, y, plot_width)))
    return [*lines, *log_axis(low, high, plot_width)]


def _latency_legend(variants: Sequence[VariantEvidence], width: int, height: int) -> list[Line]:
    """How each variant's line is drawn, and its percentiles; fewer of them if that saves lines."""
    for percents in ((50, 90, 99), (50, 99)):
        parts = [_legend_line(variant, i, percents) for i, variant in enumerate(variants)]
        room = max(map(width_of, parts))
        columns = max(1, (width + 2) // (room + 2))
        stacked = math.ceil(len(parts) / columns)
        if stacked <= height // 4:
            break
    return in_columns([parts[i : i + stacked] for i in range(0, len(parts), stacked)], room)


def _legend_line(variant: VariantEvidence, i: int, percents: Sequence[int]) -> Line:
    pen: Piece = (style_of(i), f" {PENS[i % len(PENS)][0] * 3} ")
    marks = [(f"p{percent}", variant.latency.percentile(percent)) for percent in percents]
    said = "  ".join(f"{name} {words.value(value, 's')}" for name, value in marks)
    return (pen, sign_of(i), ("plain", f" {said}" if variant.latency.count else " no valid latency"))


def _latency_range(variants: Sequence[VariantEvidence]) -> tuple[float, float]:
    beyond = (100 - DRAWN) / 2
    lows = [variant.latency.histogram.percentile(beyond) or 1 for variant in variants]
    highs = [variant.latency.histogram.percentile(100 - beyond) or 1 for variant in variants]
    low, high = log_range(max(1, min(lows)) / 1e6, max(1, *highs) / 1e6)
    return low, max(high, low * 2)


def _shares(variant: VariantEvidence, low: float, high: float, width: int) -> list[float]:
    buckets = [
        (bucket.low / 1e6, bucket.high / 1e6, bucket.count)
        for bucket in variant.latency.histogram.buckets()
        if low * 1e6 < bucket.high and bucket.low < high * 1e6
    ]
    return [count / variant.latency.count for count in histogram_columns(buckets, low, high, width)]


def curve(fractions: Sequence[float], height: int, pen: str) -> list[tuple[tuple[int, int], str]]:
    """A line through ``fractions`` in 0..1: (column, row from below) of each cell, and its character."""
    flat, upright, top_left, top_right, bottom_left, bottom_right = list(pen)
    levels = [round(fraction * (height - 1)) if fraction * height > 0.3 else -1 for fraction in fractions]
    cells: list[tuple[tuple[int, int], str]] = []
    before = levels[0] if levels else -1
    for x, level in enumerate(levels):
        if level == before:
            corners = [(level, flat)]
        elif level > before:
            corners = [(level, top_left), (before, bottom_right)]
        else:
            corners = [(before, top_right), (level, bottom_left)]
        between = range(min(level, before) + 1, max(level, before))
        cells += [((x, y), cell) for y, cell in corners if y >= 0]
        cells += [((x, y), upright) for y in between]
        before = level
    return cells


def _curve_row(grid: dict[tuple[int, int], tuple[str, int]], y: int, width: int) -> list[Piece]:
    pieces: list[Piece] = []
    for x in range(width):
        cell, variant = grid.get((x, y), (" ", -1))
        style = "plain" if variant < 0 else style_of(variant)
        if pieces and pieces[-1][0] == style:
            pieces[-1] = style, pieces[-1][1] + cell
        else:
            pieces.append((style, cell))
    return pieces


def rate_lines(variants: Sequence[VariantEvidence], width: int, height: int) -> list[Line]:
    """The rate over time of each variant's median run: one chart each, from zero, with a common scale and time axis."""
    runs = [variant.rates[variant.shown] if variant.rates else () for variant in variants]
    span = max((points[-1][0] + _step(points) / 2 for points in runs if points), default=0.0)
    if span <= 0:
        return wrapped("no run has a rate over time", width, "quiet", first=" ", rest=" ")
    each = max(1, (height - 2) // len(variants))
    headed = each >= 3
    plot_width, plot_height = max(8, width - AXIS), each - headed
    columns = [_rate_columns(points, span, plot_width) for points in runs]
    top = _just_above(max(map(max, columns)))
    lines: list[Line] = []
    for i, variant in enumerate(variants):
        if headed:
            lines.append(clip(_rate_head(variant, i), width))
        rows = block_rows([value / top for value in columns[i]], plot_height)
        for y, row in enumerate(rows):
            lines.append((*_rate_axis(top, i, y, plot_height, headed=headed), (style_of(i), row)))
    return [
        *lines,
        (("faint", "   0 └" + "─" * plot_width),),
        (("faint", " " * AXIS + time_row(span, plot_width)),),
    ]


def _rate_axis(top: float, variant: int, y: int, height: int, *, headed: bool) -> Line:
    """The axis: the top's value on the first row; the variant's letter on the last one if there is no head."""
    if not headed and y == height - 1:
        return (("plain", "   "), sign_of(variant), ("faint", " ┤" if y == 0 else " │"))
    return (("faint", f"{short_number(top):>4} ┤" if y == 0 else "     │"),)


def _just_above(value: float) -> float:
    """Rounded up to two digits: a chart of three rows has no spare row above its bars."""
    power = 10.0 ** (math.floor(math.log10(value)) - 1) if value > 0 else 1.0
    return max(1, math.ceil(value / power)) * power


def _rate_head(variant: VariantEvidence, i: int) -> Line:
    which = f"  run {variant.shown + 1} of {len(variant.rates)}"
    return (("plain", " " * AXIS), sign_of(i), ("plain", f" {variant.label}"), ("quiet", which))


def _step(points: Sequence[tuple[float, float]]) -> float:
    """Seconds per point, from the closest two: points of different rounds are further apart."""
    return max(STEP, min((later - earlier for (earlier, _), (later, _) in pairwise(points)), default=STEP))


def _rate_columns(points: Sequence[tuple[float, float]], span: float, width: int) -> list[float]:
    """The rate at each column: the mean of its points, or the nearest point's, or zero in a pause."""
    columns = [0.0] * width
    reach = max(_step(points) * REACH, span / width / 2)
    for x in range(width):
        begin, end = x * span / width, (x + 1) * span / width
        inside = [rate for t, rate in points if begin <= t < end]
        if inside:
            columns[x] = sum(inside) / len(inside)
        elif points:
            away, rate = min((abs(t - (begin + end) / 2), rate) for t, rate in points)
            columns[x] = rate if away <= reach else 0.0
    return columns


def memory_lines(variants: Sequence[VariantEvidence], width: int, height: int) -> list[Line]:
    """The processes of each variant's median run with their private and shared memory, all on one scale."""
    if not any(variant.workers for variant in variants):
        return wrapped("no process's memory was measured", width, "quiet", first=" ", rest=" ")
    largest = max(
        (
            private + shared
            for variant in variants
            for _, _, private, shared, _ in variant.workers
            if private is not None and shared is not None
        ),
        default=0,
    )
    longest = max(cell_len(worker[0]) for variant in variants for worker in variant.workers)
    columns = max(1, min(len(variants), width // (min(10, longest) + BLOCK)))
    columns = math.ceil(len(variants) / math.ceil(len(variants) / columns))
    room = (width - 2 * (columns - 1)) // columns
    stacked = math.ceil(len(variants) / columns)
    each = max(2, height // stacked)
    lines: list[Line] = []
    for first in range(0, len(variants), columns):
        blocks = [
            _memory_block(variants[i], i, largest, min(10, longest), room, each)
            for i in range(first, min(first + columns, len(variants)))
        ]
        lines += in_columns(blocks, room)
    return lines


def _memory_block(
    variant: VariantEvidence, i: int, largest: float, role_room: int, width: int, height: int
) -> list[Line]:
    """One variant: its label and the sum, then as many processes as fit."""
    known = [worker[4] for worker in variant.workers if worker[4] is not None]
    total = f"  PSS {megabytes(sum(known))}" if len(known) == len(variant.workers) and known else ""
    label = shorten(variant.label, max(4, width - 2 - len(total)))
    lines: list[Line] = [(sign_of(i), ("plain", f" {label}"), ("strong", total))]
    shown = variant.workers if len(variant.workers) < height else variant.workers[: max(0, height - 2)]
    for role, _, private, shared, pss in shown:
        bar = memory_bar(
            private, shared, largest, max(4, width - role_room - FIGURE - 1), (style_of(i), style_of(i))
        )
        lines.append((("quiet", fit(role, role_room) + " "), *bar, ("plain", right(megabytes(pss), FIGURE))))
    if len(shown) < len(variant.workers):
        lines.append((("quiet", f"… {len(variant.workers) - len(shown)} more"),))
    return lines
