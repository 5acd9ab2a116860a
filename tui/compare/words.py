"""The figures of a comparison as an engineer reads them, the same in every form and on the screen."""

from __future__ import annotations

from collections.abc import Callable

from tui.compare.schema import Cell, Comparison, Difference, Row
from tui.summary import units

BLANK = "–"
"""Shown if there is no figure; the reason is given below."""


def value(amount: float | None, unit: str) -> str:
    """A quantity with its unit; the unit of a rate is in the row's title."""
    words: dict[str, Callable[[float | None], str]] = {
        "requests/s": units.rate,
        "s": units.duration,
        "bytes": units.size,
    }
    return BLANK if amount is None else words[unit](amount)


def interval(cell: Cell, unit: str) -> str:
    """``4,700–4,900``, ``1.85–1.97 ms``; nothing if there is none."""
    if cell.low is None or cell.high is None:
        return ""
    low, high = value(cell.low, unit), value(cell.high, unit)
    number, _, measure = low.rpartition(" ")
    if number and high.endswith(f" {measure}"):
        low = number
    return f"{low}–{high}"


def per_cent(fraction: float) -> str:
    """``0.17`` → ``+17 %``, ``-0.008`` → ``−0.8 %``."""
    return f"{signed(fraction)} %"


def signed(fraction: float) -> str:
    """The same without its unit."""
    per_hundred = abs(fraction) * 100
    digits = f"{per_hundred:.1f}" if per_hundred < 9.95 else f"{per_hundred:,.0f}"
    sign = "" if digits == "0.0" else "+" if fraction > 0 else "−"
    return f"{sign}{digits}"


def reach(difference: Difference) -> str:
    """The interval of a difference, ``+15 to +21``; nothing if there is none."""
    if difference.low is None or difference.high is None:
        return ""
    return f"{signed(difference.low)} to {signed(difference.high)}"


def chance(p: float | None) -> str:
    """A p: ``0.004``, ``< 0.001``; nothing if there is none."""
    if p is None:
        return ""
    return "< 0.001" if p < 0.001 else f"{p:.3f}" if p < 0.0995 else f"{p:.2f}"


def verdict(row: Row, difference: Difference) -> str:
    """``better``, ``worse``, ``can't tell``; nothing where no verdict is given."""
    if difference.outcome is None:
        return ""
    if difference.outcome == "can't tell":
        return "can't tell"
    return "better" if (difference.outcome == "more") == (row.better == "higher") else "worse"


def gaps(comparison: Comparison) -> list[str]:
    """A line for each reason why cells are blank or cover fewer runs: ``p99 of B: latency invalid: errors``."""
    by_reason: dict[str, list[tuple[str, str]]] = {}
    for row in comparison.rows:
        for variant, cell in zip(comparison.variants, row.cells, strict=True):
            if cell.reason is not None:
                by_reason.setdefault(cell.reason, []).append((row.title, variant.label))
    lines = []
    for reason, places in by_reason.items():
        titles = ", ".join(dict.fromkeys(title for title, _ in places))
        labels = " and ".join(dict.fromkeys(label for _, label in places))
        lines.append(f"{titles} of {labels}: {reason}")
    first = comparison.variants[0].label
    for row in comparison.rows:
        if 0 in row.cells[0].values and any(cell.median is not None for cell in row.cells[1:]):
            lines.append(f"difference in {row.title}: it is 0 in a run of {first}, so there is no percentage")
    return lines
