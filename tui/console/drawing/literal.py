"""The last border before the terminal: every line of every widget passes it.

What enters a record is cleaned there, but names of files and folders are kept as they are, to find them by.
"""

from __future__ import annotations

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from tui.system.text import CONTROLS, UNSHOWABLE

_DROPPED = {code: UNSHOWABLE if cell_len(chr(code)) else None for code in (*CONTROLS, ord("\n"), ord("\t"))}
"""The line is laid out already, so what takes a cell must still take one, and nothing else may."""


class NoControls(LineFilter):
    """Drops what would command the terminal."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        if all(segment.text.isprintable() for segment in segments):
            return segments
        return [
            segment
            if segment.text.isprintable()
            else Segment(segment.text.translate(_DROPPED), segment.style, segment.control)
            for segment in segments
        ]
