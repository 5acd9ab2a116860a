"""A comparison as text for a terminal: the answer first, then the warnings, then the figures."""

from __future__ import annotations

from collections.abc import Sequence

from tui.compare import words
from tui.compare.schema import Comparison, Row
from tui.formats.text import table, wrapped

WIDTH = 80
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ABREAST = 2
"""The most variants that a table shows side by side."""


def render(comparison: Comparison) -> str:
    """The whole comparison, 80 columns wide unless labels are longer, ending with a newline."""
    parts = ["\n".join(_wrapped(f"{sentence}.", "") for sentence in comparison.sentences)]
    if comparison.warnings:
        parts.append("\n".join(_wrapped(f"▲ {warning}", "  ", "    ") for warning in comparison.warnings))
    parts.append(table(variants(comparison), left=(0, 1)))
    for first in range(0, len(comparison.variants), ABREAST):
        shown = range(first, min(first + ABREAST, len(comparison.variants)))
        parts.append(table(figures(comparison, shown), left=(0, *range(2, 2 * len(shown) + 1, 2))))
    parts += [
        table(differences(comparison, place), left=(0, 4)) for place in range(1, len(comparison.variants))
    ]
    if gaps := words.gaps(comparison):
        parts.append("\n".join(_wrapped(f"{words.BLANK} {gap}", "  ", "    ") for gap in gaps))
    runs = [
        _wrapped(", ".join(variant.records), f"  {letter(place)}  ", "     ")
        for place, variant in enumerate(comparison.variants)
    ]
    parts += ["Runs\n" + "\n".join(runs), _wrapped(comparison.method, "")]
    return "\n\n".join(parts) + "\n"


def _wrapped(text: str, first: str, others: str | None = None) -> str:
    return wrapped(text, first, others, WIDTH)


def letter(place: int) -> str:
    """The name of a variant in the tables."""
    return LETTERS[place % len(LETTERS)]


def variants(comparison: Comparison) -> list[list[str]]:
    """A row for each variant: its letter, its label, its title, its runs."""
    return [
        [
            letter(place),
            variant.label
            if variant.label == variant.title or not variant.title
            else f"{variant.label}: {variant.title}",
            f"{variant.runs} run{'' if variant.runs == 1 else 's'}",
        ]
        for place, variant in enumerate(comparison.variants)
    ]


def figures(comparison: Comparison, shown: Sequence[int]) -> list[list[str]]:
    """A row for each quantity: median and interval of each variant shown."""
    cells = [row.cells[place] for row in comparison.rows for place in shown]
    kinds = sorted({cell.interval for cell in cells if cell.median is not None})
    named = " or ".join(kinds)
    head = [""]
    for place in shown:
        head += [letter(place), named]
    return [head, *([row.title, *_cells(row, shown)] for row in comparison.rows)]


def _cells(row: Row, shown: Sequence[int]) -> list[str]:
    cells = []
    for place in shown:
        cell = row.cells[place]
        cells += [words.value(cell.median, row.unit), words.interval(cell, row.unit)]
    return cells


def differences(comparison: Comparison, place: int) -> list[list[str]]:
    """A row for each quantity: how a variant differs from the first one."""
    rows = [[f"{letter(place)} against {letter(0)}", "difference", "95 %", "p", ""]]
    for row in comparison.rows:
        found = row.differences[place]
        if found is None or found.fraction is None:
            rows.append([row.title, words.BLANK, "", "", ""])
            continue
        rows.append(
            [
                row.title,
                words.per_cent(found.fraction),
                words.reach(found),
                words.chance(found.p_corrected),
                words.verdict(row, found),
            ]
        )
    return rows
