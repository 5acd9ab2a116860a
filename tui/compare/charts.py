"""The charts of a comparison's page as inline SVG: bars with their intervals, and the memory of each worker."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from tui.compare import words
from tui.compare.evidence import VariantEvidence
from tui.compare.schema import Comparison, Row
from tui.compare.text import letter
from tui.summary import units

WIDTH, ROW = 720, 20
LEFT, RIGHT = 150, 160
LONGEST = WIDTH - LEFT - RIGHT


def bars(row: Row, comparison: Comparison) -> str:
    """One quantity: a bar from zero for each variant's median, and its interval over it."""
    ends = [end for cell in row.cells for end in (cell.median, cell.high) if end is not None]
    if not ends or max(ends) <= 0:
        return ""
    scale = LONGEST / max(ends)
    parts = [f'<text x="0" y="14" class="title">{escape(row.title)}</text>']
    for place, cell in enumerate(row.cells):
        y = 4 + ROW * place
        parts.append(f'<text class="variant" x="{LEFT - 8}" y="{y + 10}">{letter(place)}</text>')
        if cell.median is None:
            parts.append(f'<text x="{LEFT}" y="{y + 10}">{words.BLANK}</text>')
            continue
        parts.append(_bar(LEFT, y, cell.median * scale, f"f{place % 6}"))
        if cell.low is not None and cell.high is not None:
            parts.append(_whisker(LEFT + cell.low * scale, LEFT + cell.high * scale, y + 6))
        x = LEFT + max(cell.median, cell.high or 0.0) * scale + 8
        parts.append(f'<text x="{x:.1f}" y="{y + 10}">{escape(words.value(cell.median, row.unit))}</text>')
    label = f"{row.title} of {', '.join(variant.label for variant in comparison.variants)}"
    return _drawing(parts, 4 + ROW * len(row.cells), label)


def workers(variants: Sequence[VariantEvidence]) -> str:
    """A bar for each process in its variant's colour: its private part, then paler its shared part (PSS minus USS)."""
    shown = [(place, *worker) for place, variant in enumerate(variants) for worker in variant.workers]
    if not shown:
        return ""
    scale = LONGEST / max([pss for *_, pss in shown if pss] or [1])
    parts = []
    for number, (place, role, pid, private, shared, pss) in enumerate(shown):
        y = 4 + ROW * number
        parts.append(
            f'<text class="variant" x="{LEFT - 8}" y="{y + 10}">{letter(place)} {escape(role)} {pid}</text>'
        )
        if pss is None:
            parts.append(f'<text x="{LEFT + 8}" y="{y + 10}">not readable</text>')
            continue
        own = (pss if private is None else private) * scale
        parts.append(_bar(LEFT, y, own, f"f{place % 6}"))
        if shared:
            parts.append(_bar(LEFT + own, y, shared * scale, f"f{place % 6} shared"))
        text = units.size(pss) + ("" if private is None else f", {units.size(private)} private")
        parts.append(f'<text x="{LEFT + pss * scale + 8:.1f}" y="{y + 10}">{text}</text>')
    return _drawing(parts, 4 + ROW * len(shown), "memory of each process")


def _bar(x: float, y: float, width: float, kind: str) -> str:
    return f'<rect class="{kind}" x="{x:.1f}" y="{y}" width="{max(width, 0.5):.1f}" height="12"/>'


def _whisker(low: float, high: float, y: float) -> str:
    return f'<path class="whisker" d="M{low:.1f},{y - 4}v8M{low:.1f},{y}H{high:.1f}M{high:.1f},{y - 4}v8"/>'


def _drawing(parts: Sequence[str], height: int, label: str) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(label)}">{"".join(parts)}</svg>'
    )
