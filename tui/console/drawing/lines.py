"""Lines of styled text, independent of how they are drawn.

A line is a tuple of (style, text). Every drawn widget maps the fixed set of styles to classes of the style sheets, so
the layout functions don't need Textual and can be tested as plain text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from rich.cells import cell_len, set_cell_size

StyleName = Literal[
    "plain",
    "strong",
    "quiet",
    "faint",
    "measured",
    "warm",
    "shared",
    "warning",
    "error",
    "good",
    "chosen",
    "variant1",
    "variant2",
    "variant3",
    "variant4",
    "variant5",
    "over1",
    "over2",
    "over3",
    "over4",
    "over5",
]
"""The meaning of a piece of text: ``measured`` is the only accent; ``warning`` and ``error`` need attention;
``variant1`` etc. are the variants of a comparison, whose colours distinguish the measured things; ``over1`` is drawn
on a bar of ``variant1``."""

Piece = tuple[StyleName, str]
Line = tuple[Piece, ...]

EMPTY: Line = ()
ELLIPSIS = "…"

Mark = Literal["good", "note", "warning", "invalid"]
"""Severities, from no action needed to an invalid figure."""
GLYPHS: dict[Mark, str] = {"good": "✓", "note": "●", "warning": "▲", "invalid": "✗"}
MARK_STYLES: dict[Mark, StyleName] = {
    "good": "good",
    "note": "quiet",
    "warning": "warning",
    "invalid": "error",
}
MARKED = "◆"
"""The sign of a row that the user has marked to compare or delete."""


def plain(line: Line) -> str:
    """The text of a line."""
    return "".join(text for _, text in line)


def width_of(line: Line) -> int:
    """The width of a line in cells."""
    return sum(cell_len(text) for _, text in line)


def fit(text: str, width: int) -> str:
    """``text`` in exactly ``width`` cells: padded, or cut with an ellipsis."""
    if width <= 0:
        return ""
    if cell_len(text) <= width:
        return set_cell_size(text, width)
    return set_cell_size(text, width - 1) + ELLIPSIS


def shorten(text: str, width: int) -> str:
    """``text`` in at most ``width`` cells."""
    return text if cell_len(text) <= width else fit(text, width)


def right(text: str, width: int) -> str:
    """``text`` at the right end of ``width`` cells."""
    return " " * (width - cell_len(text)) + text if cell_len(text) <= width else fit(text, width)


def spread(left: Line, right_end: Line, width: int) -> Line:
    """``left`` and ``right_end`` at the two ends of a line; ``left`` is cut if they don't both fit."""
    room = width - width_of(right_end)
    if room < 0:
        return clip(left, width)
    kept = clip(left, room - 1 if right_end else room)
    return (*kept, ("plain", " " * (room - width_of(kept))), *right_end)


def clip(line: Line, width: int) -> Line:
    """A line cut to ``width`` cells, with an ellipsis if it was too long."""
    if width_of(line) <= width:
        return line
    kept: list[Piece] = []
    room = width
    for style, text in line:
        taken = shorten(text, room)
        if taken:
            kept.append((style, taken))
        room -= cell_len(taken)
        if taken != text:
            break
        if room == 0:
            last_style, last = kept[-1]
            kept[-1] = (last_style, fit(last + ELLIPSIS, cell_len(last)))
            break
    return tuple(kept)


def joined(parts: Iterable[Line], separator: str = " · ") -> Line:
    """Joins the non-empty lines into one, with a quiet separator."""
    pieces: list[Piece] = []
    for part in parts:
        if not part:
            continue
        if pieces:
            pieces.append(("faint", separator))
        pieces.extend(part)
    return tuple(pieces)


def progress(fraction: float, width: int) -> Line:
    """A bar in half cells."""
    halves = round(fraction * width * 2)
    full, half = divmod(halves, 2)
    return (("measured", "━" * full + "╸" * half), ("faint", "─" * (width - full - half)))


def signed(sign: Piece, text: str, width: int, style: StyleName = "plain") -> list[Line]:
    """``text`` in lines of at most ``width`` cells, after a sign of one cell."""
    first, *rest = wrapped(text, max(8, width - 2), style)
    mark, glyph = sign
    return [((mark, f"{glyph} "), *first), *((("plain", "  "), *line) for line in rest)]


def finding_lines(mark: Mark, text: str, remedy: str, width: int) -> list[Line]:
    """The glyph of its severity, a finding, and what to do about it."""
    lines = signed((MARK_STYLES[mark], GLYPHS[mark]), text, width)
    if remedy:
        lines += [(("plain", "  "), *line) for line in wrapped(remedy, width - 2, "quiet")]
    return lines


def wrapped(
    text: str, width: int, style: StyleName = "plain", *, first: str = "", rest: str = ""
) -> list[Line]:
    """``text`` broken at spaces into lines of at most ``width`` cells, prefixed with ``first`` and ``rest``."""
    lines: list[Line] = []
    indent, current = first, ""
    for word in _words(text, max(1, width - max(cell_len(first), cell_len(rest)))):
        longer = f"{current} {word}" if current else word
        if current and cell_len(indent) + cell_len(longer) > width:
            lines.append(((style, indent + current),))
            indent, current = rest, word
        else:
            current = longer
    lines.append(((style, indent + current),))
    return lines


def _words(text: str, longest: int) -> Sequence[str]:
    """The words of ``text``; a word longer than a line is split."""
    words: list[str] = []
    for word in text.split():
        while cell_len(word) > longest:
            words.append(word[:longest])
            word = word[longest:]
        words.append(word)
    return words
