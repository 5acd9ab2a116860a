"""The load as lines: the two charts with their words, axes and marks, and the table of rounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

from tui.console.drawing.axes import (
    label_row,
    log_axis,
    log_place,
    shifted_labels,
    short_number,
    time_row,
)
from tui.console.drawing.charts import ERROR, Column, block_rows, histogram_columns, rate_columns, rate_rows
from tui.console.drawing.lines import (
    EMPTY,
    Line,
    Piece,
    StyleName,
    clip,
    fit,
    joined,
    right,
    width_of,
    wrapped,
)
from tui.console.run.load_view import Latency, OpenLoop, Percentile, Rate, Round
from tui.console.words import counted, two_digits
from tui.summary import units

AXIS = 6
"""Cells to the left of the rate chart: the label and the axis."""
LEAST = 5
"""Below this height, only the words are shown."""
ROOMY = 11
"""From this height on, a chart has a row for the time and a free row below the words."""
FAR = 4
"""A planned rate of more than this many times the achieved one would squash the bars, so it isn't drawn."""
AIM = "┄"
"""The character for the planned rate."""


def rate_words(rate: Rate, width: int) -> Line:
    """How fast: now, mean, errors; without the share of errors if there's no room."""
    now: Line = (("strong", units.rate(rate.now)), ("quiet", " now")) if rate.now is not None else EMPTY
    name = " achieved" if rate.open_loop else " mean"
    mean: Line = (("strong", units.rate(rate.mean)), ("quiet", name)) if rate.mean is not None else EMPTY
    if rate.errors:
        errors: Line = (("error", f"{ERROR} {counted(rate.errors, 'error')}"),)
    else:
        known = rate.mean is not None and rate.external is None
        errors = (("quiet", "0 errors"),) if known else EMPTY
    none_yet: Line = (("quiet", "no counted round yet"),) if not now and not mean else EMPTY
    words: Line = (*_invalid_sign(rate.invalid), *joined((now, mean, errors, none_yet), "   "))
    if rate.errors and width_of(words) + 8 <= width:
        words = (*words, ("error", f", {units.share(rate.errors / rate.answers)}"))
    return clip(words, width)


def rate_lines(rate: Rate, top: float, width: int, height: int) -> list[Line]:
    """The rate panel: words, chart from zero to ``top``, sections below, and the time below that if there's room."""
    if rate.external is not None and rate.external.counter is None:
        return [
            *wrapped(rate.external.load, width, first=" ", rest=" "),
            *wrapped(rate.external.rate, width, "quiet", first=" ", rest=" "),
        ]
    if height < LEAST:
        return [rate_words(rate, width)]
    roomy = height >= ROOMY
    plot_width = max(1, width - AXIS)
    remarks = _rate_remarks(rate, width) if roomy else []
    plot_height = max(1, height - 2 - roomy - len(remarks))
    columns = rate_columns(rate.bins, rate.start, rate.end, plot_width)
    lines: list[Line] = [rate_words(rate, width), *remarks]
    labels = {0: top} | ({plot_height // 2: top / 2} if plot_height % 2 == 0 else {})
    aim = _aim(rate, top, plot_height)
    for y, row in enumerate(rate_rows(columns, top, plot_height)):
        value = labels.get(y)
        axis = f"{short_number(value):>4} ┤" if value is not None else "     │"
        lines.append((("faint", axis), *_rate_row(row, columns, dotted=y == aim)))
    lines.append((("faint", "   0 └"), *section_row(rate, plot_width)))
    if roomy:
        lines.append((("faint", " " * AXIS + time_row(rate.end - rate.start, plot_width)),))
    return lines


def highest(rate: Rate, width: int) -> float:
    """The highest column of a chart of this width, including errors."""
    columns = rate_columns(rate.bins, rate.start, rate.end, max(1, width - AXIS))
    top = max((column.good + column.bad for column in columns), default=0.0)
    if rate.open_loop is not None and rate.open_loop.planned <= FAR * top:
        return max(top, rate.open_loop.planned)
    return top


def _aim(rate: Rate, top: float, height: int) -> int | None:
    """The row of the planned rate, from the top; None if there is none, or if it is far above the achieved rate."""
    if rate.open_loop is None or rate.open_loop.planned > top:
        return None
    return height - 1 - min(height - 1, int(rate.open_loop.planned / top * height))


def _rate_remarks(rate: Rate, width: int) -> list[Line]:
    """At least one line below the rate's words: why it is invalid, what was never sent, who makes the load."""
    lines: list[Line] = []
    if rate.open_loop is not None:
        lines.append(clip((("plain", " "), *_open_loop_words(rate.open_loop)), width))
    if rate.external is not None:
        lines.append(clip((("quiet", f" {rate.external.load}"),), width))
    if rate.invalid:
        lines.append(_remark(rate.invalid, None, width))
    return lines or [EMPTY]


def _open_loop_words(loop: OpenLoop) -> Line:
    if loop.waiting or not loop.never_sent:
        if loop.waiting:
            return (("warning", f"{units.count(loop.waiting)} planned requests are waiting"),)
        return (("quiet", "everything planned was sent"),) if loop.sent is not None else EMPTY
    age = "" if loop.oldest is None else f", oldest {units.duration(loop.oldest)}"
    return (("warning", f"{units.count(loop.never_sent)} never sent{age}"),)


def rate_label(rate: Rate) -> str:
    """The caption of the chart: what an open loop planned and sent, or what counts an external load."""
    if rate.open_loop is not None:
        planned, sent = rate.open_loop.planned, rate.open_loop.sent
        words = f"open loop: {units.rate(planned)} planned"
        return words if sent is None else f"{words}, {units.rate(sent)} sent"
    if rate.external is not None and rate.external.counter is not None:
        return f"counted by the status page {rate.external.counter}"
    return ""


def _rate_row(row: str, columns: list[Column], *, dotted: bool = False) -> list[Piece]:
    """One row of the chart in a few pieces; dotted next to the bars if the planned rate is in this row."""
    kinds = [
        "quiet"
        if dotted and cell == " "
        else "error"
        if cell == ERROR
        else "warm"
        if column.warm
        else "measured"
        for cell, column in zip(row, columns, strict=True)
    ]
    pieces: list[Piece] = []
    start = 0
    for kind, run in groupby(kinds):
        length = len(list(run))
        text = AIM * length if kind == "quiet" else row[start : start + length]
        pieces.append((kind, text))  # type: ignore[arg-type]
        start += length
    return pieces


def section_row(rate: Rate, width: int) -> Line:
    """The axis below the rate chart: a joint where each section starts, followed by its name."""
    if not rate.sections or rate.end <= rate.start:
        return (("faint", "─" * width),)
    scale = width / (rate.end - rate.start)
    pieces: list[Piece] = []
    at = 0
    for i, section in enumerate(rate.sections):
        begin = max(at, round((section.start - rate.start) * scale))
        following = rate.sections[i + 1].start if i + 1 < len(rate.sections) else max(section.end, rate.end)
        end = min(width, round((following - rate.start) * scale))
        if begin > at:
            pieces.append(("faint", "─" * (begin - at)))
        at = max(begin, end)
        room = at - begin
        if room <= 0:
            continue
        joint = "─" if begin == 0 else "┴"
        name = next((name for name in (section.label, section.short) if len(name) + 3 <= room), "")
        if name:
            pieces += [("faint", joint), ("quiet", f" {name} "), ("faint", "─" * (room - len(name) - 3))]
        else:
            pieces.append(("faint", joint + "─" * (room - 1)))
    if at < width:
        pieces.append(("faint", "─" * (width - at)))
    return tuple(pieces)


def latency_words(latency: Latency, width: int) -> Line:
    """How slow the answers are; closer together if there's no room."""
    for gap, digits, every_unit in (("   ", 3, True), ("  ", 2, True), ("  ", 2, False), (" ", 2, False)):
        words = _latency_words(latency, gap, digits, every_unit=every_unit)
        if width_of(words) <= width:
            return words
    return clip(words, width)


def _latency_words(latency: Latency, gap: str, digits: int, *, every_unit: bool) -> Line:
    numbers = [_number(mark.seconds, digits) for mark in latency.marks]
    marks: list[Line] = []
    for i, (mark, (number, unit)) in enumerate(zip(latency.marks, numbers, strict=True)):
        said_next = next((other for _, other in numbers[i + 1 :] if other), "") == unit
        value = f"{number} {unit}" if unit and (every_unit or not said_next) else number
        marks.append((("quiet", f"{mark.name} "), ("strong", value)))
    return (*_invalid_sign(latency.invalid), *joined(marks, gap))


def _number(seconds: float | None, digits: int) -> tuple[str, str]:
    """A duration as its number and its unit."""
    if seconds is None:
        return "–", ""
    text = units.duration(seconds) if digits == 3 else two_digits(seconds)
    number, _, unit = text.partition(" ")
    return number, unit


def _invalid_sign(reason: str | None) -> Line:
    """A sign in front of figures that can't be trusted; the reason is below, or in the findings."""
    return (("error", " ✗ "),) if reason else (("plain", " "),)


def latency_lines(latency: Latency, width: int, height: int) -> list[Line]:
    """The latency panel: words, labels of the marks, bars with a dotted line at each mark, a log axis."""
    if height < LEAST:
        return [latency_words(latency, width)]
    roomy = height >= ROOMY
    lines: list[Line] = [latency_words(latency, width)]
    if roomy:
        lines += _latency_remarks(latency, width)
    plot_width = max(1, width - 2)
    plot_height = max(1, height - 3 - len(lines))
    columns = histogram_columns(latency.buckets, latency.low, latency.high, plot_width)
    tallest = max(columns, default=0.0) or 1.0
    rows = block_rows([count / tallest for count in columns], plot_height)
    marks = [
        (log_place(mark.seconds, latency.low, latency.high, plot_width), mark.name)
        for mark in latency.marks
        if mark.seconds is not None
    ]
    drops = {column for column, _ in marks}
    label = label_row(shifted_labels(marks, plot_width), plot_width)
    lines.append((("quiet", " " + label),))
    for row in rows:
        lines.append((("plain", " "), *_latency_row(row, drops)))
    lines += log_axis(latency.low, latency.high, plot_width)
    return lines


def _latency_remarks(latency: Latency, width: int) -> list[Line]:
    """At least one line below the latency's words: the service time, or why something is missing or invalid."""
    lines = [service_words(latency.service, width)] if latency.service else []
    if latency.invalid or (latency.why_blank and not lines):
        lines.append(_remark(latency.invalid, latency.why_blank, width))
    return lines or [EMPTY]


def service_words(service: tuple[Percentile, ...], width: int) -> Line:
    """The service time's percentiles; only p50 and p99 if they don't all fit."""
    words: Line = EMPTY
    outer = tuple(mark for mark in service if mark.name in ("p50", "p99"))
    for shown, gap in ((service, "   "), (service, "  "), (outer, "   "), (outer, " ")):
        marks: list[Line] = [
            (("quiet", f"{mark.name} "), ("plain", " ".join(_number(mark.seconds, 3)).strip()))
            for mark in shown
        ]
        words = (("quiet", f" service time{gap}"), *joined(marks, gap))
        if width_of(words) <= width:
            break
    return clip(words, width)


def _remark(invalid: str | None, blank: str | None, width: int) -> Line:
    """Why the figures are invalid, or why one of them is missing."""
    if invalid:
        return clip((("error", f" invalid: {invalid}"),), width)
    return clip((("quiet", f" {blank}"),), width) if blank else EMPTY


def _latency_row(row: str, drops: set[int]) -> list[Piece]:
    """Bars, with the marks' dotted lines in the gaps."""
    pieces: list[Piece] = []
    for dotted, cells in groupby(range(len(row)), key=lambda x: x in drops and row[x] == " "):
        columns = list(cells)
        pieces.append(
            ("quiet", "┊" * len(columns)) if dotted else ("measured", row[columns[0] : columns[-1] + 1])
        )
    return pieces


ROUND_COLUMNS: tuple[tuple[str, int, int, Callable[[Round], str]], ...] = (
    ("req/s", 10, 0, lambda row: row.rate),
    ("errors", 9, 0, lambda row: row.errors),
    ("p50", 10, 0, lambda row: row.p50),
    ("p90", 10, 1, lambda row: row.p90),
    ("p99", 10, 0, lambda row: row.p99),
    ("max", 10, 2, lambda row: row.longest),
    ("server CPU", 12, 3, lambda row: row.server_busy),
    ("load CPU", 10, 4, lambda row: row.load_busy),
    ("memory after", 14, 1, lambda row: row.memory),
)
"""Head, width, how early it is dropped if they don't all fit, and what a row shows in it."""
ROUND_NAME = 11
"""Cells for a round's name."""
ANSWERS = ("errors", "p50", "p90", "p99", "max")
"""Columns that only stackdyno's own load can fill."""


def round_lines(rounds: Sequence[Round], width: int, height: int, *, external: bool) -> list[Line]:
    """A head and a row per round, or the newest rounds if they don't all fit; ``external``: without answers."""
    columns = [each for each in ROUND_COLUMNS if not external or each[0] not in ANSWERS]
    while len(columns) > 1 and 2 + ROUND_NAME + sum(room for _, room, _, _ in columns) > width:
        columns.remove(max(columns, key=lambda column: column[2]))
    head = "".join(right(name, room) for name, room, _, _ in columns)
    lines: list[Line] = [(("faint", "  " + fit("", ROUND_NAME) + head),)]
    for row in rounds[-max(1, height - 1) :]:
        pieces: list[Piece] = [
            ("plain", "  "),
            ("plain" if row.counted else "faint", fit(row.name, ROUND_NAME)),
        ]
        pieces += [
            (_round_style(row, name, text(row)), right(text(row), room)) for name, room, _, text in columns
        ]
        lines.append(tuple(pieces))
    return lines


def _round_style(row: Round, column: str, text: str) -> StyleName:
    if column == "errors" and text != "0":
        return "error"
    if not row.counted:
        return "faint"
    return "strong" if column == "req/s" else "plain"
