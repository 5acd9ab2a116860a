"""Profiles as lines: a row of the list, and what running one would do."""

from __future__ import annotations

from tui.console.drawing.lines import MARKED, Line, StyleName, fit, wrapped
from tui.console.profiles.rows import ProfileRow, State

STATE_GLYPHS: dict[State, str] = {"ready": " ", "needs": "▲", "broken": "✗"}
STATE_STYLES: dict[State, StyleName] = {"ready": "plain", "needs": "warning", "broken": "error"}

TITLE_MARGIN = 6
"""Cells of a row apart from its title."""


def row_line(
    row: ProfileRow, number: int, width: int, *, selected: bool, running: bool, marked: bool = False
) -> Line:
    """One row of the list: its key, a mark, its title, a dot if it is running, a sign if it can't run."""
    key = str(number) if number <= 9 else " "
    mark = MARKED if marked else " "
    cursor = "▸" if selected else " "
    sign = "●" if running else STATE_GLYPHS[row.state]
    title = fit(row.title, max(0, width - TITLE_MARGIN))
    if selected:
        return (("chosen", f"{cursor}{key}{mark}{title} {sign} "),)
    body: StyleName = "plain" if row.state == "ready" else "quiet"
    sign_style: StyleName = "measured" if running else STATE_STYLES[row.state]
    return (("measured", f"{cursor}{key}{mark}"), (body, f"{title} "), (sign_style, f"{sign} "))


def fact_lines(row: ProfileRow, width: int, *, indent: int = 0) -> list[Line]:
    """What prevents a run, then the facts one per line, with aligned labels."""
    lines: list[Line] = []
    for reason in row.why_not:
        style, glyph = STATE_STYLES[row.state], STATE_GLYPHS[row.state]
        lines += wrapped(reason, width, style, first=" " * indent + f"{glyph} ", rest=" " * (indent + 2))
    label_width = max((len(label) for label, _ in row.facts), default=0) + 2
    for label, words in row.facts:
        texts = wrapped(words, max(8, width - label_width - indent))
        for i, text in enumerate(texts):
            head = fit(label if i == 0 else "", label_width)
            lines.append((("quiet", " " * indent + head), *text))
    return lines
