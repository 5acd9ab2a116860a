"""A comparison as lines: the answer, the warnings, and the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tui.compare import words
from tui.compare.schema import Cell, Comparison, Difference, Row
from tui.console.drawing.lines import (
    EMPTY,
    GLYPHS,
    Line,
    Piece,
    StyleName,
    clip,
    fit,
    joined,
    right,
    signed,
    width_of,
)
from tui.console.words import counted

VARIANTS: tuple[StyleName, ...] = ("variant1", "variant2", "variant3", "variant4", "variant5")
OVER: tuple[StyleName, ...] = ("over1", "over2", "over3", "over4", "over5")
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
BETTER, WORSE, UNCERTAIN = "✓", "▼", "≈"
MARKS = "¹²³⁴⁵⁶⁷⁸⁹"
WORDS = {BETTER: "better", WORSE: "worse", UNCERTAIN: "can't tell", " ": "no verdict"}
LEGEND = f"{BETTER} better  {WORSE} worse  {UNCERTAIN} can't tell"
GAP = "   "


def style_of(variant: int) -> StyleName:
    """The colour of a variant. It is never used without the variant's letter."""
    return VARIANTS[variant % len(VARIANTS)]


def sign_of(variant: int) -> Piece:
    """A variant's letter in its colour."""
    return style_of(variant), LETTERS[variant % len(LETTERS)]


def head_line(comparison: Comparison, width: int) -> Line:
    """The names of the variants."""
    variants: list[Line] = [
        (sign_of(i), ("strong", f" {variant.label}")) for i, variant in enumerate(comparison.variants)
    ]
    brand: Line = (("measured", "stackdyno"), ("strong", "  Compare  "))
    return clip((*brand, *joined(variants, "  against  " if len(variants) == 2 else "  ")), width)


def answer_lines(comparison: Comparison, width: int, most: int) -> list[Line]:
    """The sentences, each with the sign of its outcome, and the warnings below them, in at most ``most`` lines."""
    lines: list[Line] = []
    primary = next((row for row in comparison.rows if row.primary), None)
    for variant, sentence in enumerate(comparison.sentences, start=1):
        difference = primary.differences[variant] if primary and variant < len(primary.differences) else None
        style, glyph = _verdict(primary, difference) if primary else ("quiet", " ")
        lines += signed((style if style != "plain" else "quiet", glyph), sentence, width, "strong")
    for warning in comparison.warnings:
        lines += signed(("warning", GLYPHS["warning"]), warning, width, "plain")
    if len(lines) > most:
        more = len(lines) - max(1, most) + 1
        lines = [*lines[: max(1, most) - 1], (("quiet", f"  … {counted(more, 'more line')}: i shows them"),)]
    return lines


def table_title(comparison: Comparison) -> str:
    """What the table's figures mean."""
    runs = [variant.runs for variant in comparison.variants]
    least, most = min(runs, default=0), max(runs, default=0)
    of = counted(most, "run") if least == most else f"{least} to {most} runs"
    intervals = {cell.interval for row in comparison.rows for cell in row.cells if cell.low is not None}
    names = {"95 %": "95 % interval", "range": "range"}
    interval = " or ".join(names[each] for each in ("95 %", "range") if each in intervals)
    return f"Median of {of} per variant" + (f", with {interval}" if interval else "")


@dataclass(frozen=True, slots=True)
class _Shape:
    """How much a row of the table shows, from most to least, depending on the width."""

    below: bool
    """The differences are below the medians, not in separate columns."""
    intervals: bool
    reaches: bool
    """Differences show their interval."""
    words: bool = False
    """Verdicts are spelled out after their sign."""


_SHAPES = (
    _Shape(below=False, intervals=True, reaches=True, words=True),
    _Shape(below=True, intervals=True, reaches=True),
    _Shape(below=True, intervals=False, reaches=True),
    _Shape(below=True, intervals=False, reaches=False),
)


def table_lines(comparison: Comparison, width: int) -> list[Line]:
    """Heads, a row per quantity, and below them the reason if a cell is blank or covers fewer runs."""
    notes = _Notes(comparison)
    for shape in _SHAPES:
        lines = _table(comparison, shape, notes, width)
        if max(map(width_of, lines)) <= width:
            break
    return [*(clip(line, width) for line in lines), *notes.lines(width)]


def _table(comparison: Comparison, shape: _Shape, notes: _Notes, width: int) -> list[Line]:
    columns = [[EMPTY, *_quantities(comparison, shape)]]
    apart: list[list[Line]] = []
    """The columns of the differences, if they have separate ones."""
    for variant, part in enumerate(comparison.variants):
        cells = _aligned([_cell_texts(row, variant, shape, notes) for row in comparison.rows])
        differences = [_difference_line(row, row.differences[variant], shape) for row in comparison.rows]
        head: Line = (sign_of(variant), ("plain", f" {part.label}"))
        if shape.below:
            both = [line for pair in zip(cells, differences, strict=True) for line in pair]
            columns.append([head, *both])
            continue
        columns.append([head, *cells])
        if variant:
            against: Line = (sign_of(variant), ("quiet", " against "), sign_of(0))
            apart.append([against, *differences])
    columns += apart
    rooms = [max(map(width_of, column[1:])) for column in columns]
    gap = GAP if shape.below else GAP * 2
    spare = width - sum(rooms) - len(gap) * (len(rooms) - 1)
    heads = [width_of(column[0]) for column in columns]
    while spare > 0 and any(room < head for room, head in zip(rooms, heads, strict=True)):
        shortest = min((room, i) for i, room in enumerate(rooms) if room < heads[i])[1]
        rooms[shortest] += 1
        spare -= 1
    return [_in_columns(parts, rooms, gap) for parts in zip(*columns, strict=True)]


def _in_columns(parts: Sequence[Line], rooms: Sequence[int], gap: str) -> Line:
    pieces: list[Piece] = []
    for part, room in zip(parts, rooms, strict=True):
        kept = clip(part, room)
        pieces += [*kept, ("plain", " " * (room - width_of(kept)) + gap)]
    last_style, last = pieces[-1]
    pieces[-1] = last_style, last[: -len(gap)]
    return tuple(pieces)


def _quantities(comparison: Comparison, shape: _Shape) -> list[Line]:
    column: list[Line] = []
    for row in comparison.rows:
        column.append((("strong" if row.primary else "plain", row.title),))
        if shape.below:
            column.append(EMPTY)
    return column


def _aligned(cells: Sequence[tuple[str, str, str]]) -> list[Line]:
    """Right-aligned medians, each with the mark of its note and its interval."""
    room = max(len(median) for median, _, _ in cells)
    noted = max(len(mark) for _, mark, _ in cells)
    return [
        (
            ("strong" if median != words.BLANK else "quiet", right(median, room)),
            ("warning", fit(mark, noted)),
            ("quiet", f"  {interval}" if interval else ""),
        )
        for median, mark, interval in cells
    ]


def _cell_texts(row: Row, variant: int, shape: _Shape, notes: _Notes) -> tuple[str, str, str]:
    """Median, mark and interval."""
    cell = row.cells[variant]
    median = words.value(cell.median, row.unit)
    interval = words.interval(cell, row.unit) if shape.intervals else ""
    return median, notes.mark(cell), interval


def _verdict(row: Row, difference: Difference | None) -> Piece:
    """Better, worse, can't tell, or nothing if there is no verdict: each with its sign and style."""
    if difference is None or difference.outcome is None:
        return "plain", " "
    if difference.outcome == "can't tell":
        return "quiet", UNCERTAIN
    better = (difference.outcome == "more") == (row.better == "higher")
    return ("good", BETTER) if better else ("warning", WORSE)


def _difference_line(row: Row, difference: Difference | None, shape: _Shape) -> Line:
    """``✓ +17 %  15 to 21``."""
    if difference is None or difference.fraction is None:
        return EMPTY
    style, glyph = _verdict(row, difference)
    word = f"{WORDS[glyph]:<12}" if shape.words else ""
    line: Line = ((style, f"{glyph} {word}{right(words.per_cent(difference.fraction), 7)}"),)
    if shape.reaches and difference.low is not None and difference.high is not None:
        return (*line, ("quiet", f"  {words.signed(difference.low)} to {words.signed(difference.high)}"))
    return line


class _Notes:
    """Notes on single cells below the table: a mark for each reason."""

    def __init__(self, comparison: Comparison) -> None:
        self._cells: dict[str, list[tuple[str, int]]] = {}
        """The quantities and variants by their reason."""
        for row in comparison.rows:
            for variant, cell in enumerate(row.cells):
                if cell.reason is not None:
                    self._cells.setdefault(cell.reason, []).append((row.title, variant))

    def mark(self, cell: Cell) -> str:
        if cell.reason is None:
            return ""
        place = list(self._cells).index(cell.reason)
        return MARKS[place] if place < len(MARKS) else "⁺"

    def lines(self, width: int) -> list[Line]:
        lines: list[Line] = []
        for place, (reason, cells) in enumerate(self._cells.items()):
            mark = MARKS[place] if place < len(MARKS) else "⁺"
            variants = sorted({variant for _, variant in cells})
            titles = ", ".join(dict.fromkeys(title for title, _ in cells))
            of = " and ".join(LETTERS[variant] for variant in variants)
            lines += signed(("warning", mark), f"{titles} of {of}: {reason}", width, "quiet")
        return lines


def page_line(names: Sequence[str], shown: int, width: int) -> Line:
    """The pages, each with its digit; the current one is highlighted."""
    pieces: list[Piece] = []
    for i, name in enumerate(names):
        pieces += [("chosen" if i == shown else "quiet", f" {i + 1} {name} "), ("plain", " ")]
    return clip(tuple(pieces), width)


def whole_text(comparison: Comparison) -> str:
    """Everything in words: sentences, warnings, the method, the runs of each variant."""
    parts = ["\n".join(comparison.sentences)]
    if comparison.warnings:
        parts.append("\n".join(f"{GLYPHS['warning']} {warning}" for warning in comparison.warnings))
    parts.append(comparison.method)
    for i, variant in enumerate(comparison.variants):
        parts.append(
            "\n  ".join([f"{LETTERS[i % len(LETTERS)]} {variant.label}: {variant.title}", *variant.records])
        )
    return "\n\n".join(parts)
