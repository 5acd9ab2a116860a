"""The base of everything that is drawn live.

A table or a plot of a library costs three to five times the CPU and the bytes on the wire, since it draws cell by
cell. This draws whole lines: built once when what they show changes, and only handed out by ``render_line``.
"""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from tui.console.lines import Line


class Drawn(Widget):
    """A widget that lays its lines out once and is asked for them row by row."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "drawn--plain",
        "drawn--strong",
        "drawn--quiet",
        "drawn--faint",
        "drawn--measured",
        "drawn--warm",
        "drawn--shared",
        "drawn--warning",
        "drawn--error",
        "drawn--good",
        "drawn--chosen",
    }
    """
    | Class | Description |
    | :- | :- |
    | `drawn--strong` | What a person looks for first. |
    | `drawn--quiet`, `drawn--faint` | Labels and axes; separators. |
    | `drawn--measured`, `drawn--warm`, `drawn--shared` | Figures and bars; those that don't count; shared memory. |
    | `drawn--warning`, `drawn--error`, `drawn--good` | What needs a person; that all is well. |
    """

    DEFAULT_CSS = """
    Drawn {
        height: 1fr;
        .drawn--plain { color: $foreground; }
        .drawn--strong { color: $foreground; text-style: bold; }
        .drawn--quiet { color: $foreground 65%; }
        .drawn--faint { color: $foreground 35%; }
        .drawn--measured { color: $accent; }
        .drawn--warm { color: $accent 45%; }
        .drawn--shared { color: $accent 60%; }
        .drawn--warning { color: $warning; }
        .drawn--error { color: $error; }
        .drawn--good { color: $success; }
        .drawn--chosen { background: $block-cursor-background; color: $block-cursor-foreground; text-style: bold; }
    }
    """

    _strips: list[Strip] | None = None
    _drawn_for: tuple[int, int] = (0, 0)

    def lines(self, width: int, height: int) -> list[Line]:
        """The lines that fill ``width`` by ``height`` cells, top first; fewer leave the rest empty."""
        raise NotImplementedError

    def redraw(self) -> None:
        """Lay out again at the next line that is asked for."""
        self._strips = None
        self.refresh()

    def render_line(self, y: int) -> Strip:
        width, height = self.content_size
        if self._strips is None or self._drawn_for != (width, height):
            self._strips = [self._strip(line, width) for line in self.lines(width, height)]
            self._drawn_for = (width, height)
        if y < len(self._strips):
            return self._strips[y]
        return Strip.blank(width, self.rich_style)

    def notify_style_update(self) -> None:
        """Colours have changed: the strips hold the old ones."""
        super().notify_style_update()
        self._strips = None

    def _strip(self, line: Line, width: int) -> Strip:
        base = self.rich_style
        segments = [Segment(text, self._style(name)) for name, text in line if text]
        return Strip(segments).adjust_cell_length(width, base)

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"drawn--{name}")
