"""The base class of everything that is drawn live.

A library's table or plot costs three to five times the CPU and the bytes on the wire, since it draws cell by cell.
This class draws whole lines: it builds them once when their contents change, and ``render_line`` only returns them.
An unchanged line isn't redrawn.

The style of a piece named ``quiet`` is what the style sheets say about the class ``drawn--quiet`` in this widget. It is
worked out when a line is first drawn with it. As component classes, Textual would work out all of them, for every
widget, shown or not, whenever anything about it changes: a third of what opening the console cost.
"""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style
from textual.css.model import RuleSet
from textual.dom import DOMNode
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from tui.console.drawing.lines import EMPTY, Line


class Drawn(Widget):
    """A widget that lays out its lines once and returns them row by row.

    | Class | Description |
    | :- | :- |
    | `drawn--strong` | What the eye should find first. |
    | `drawn--quiet`, `drawn--faint` | Labels and axes; separators. |
    | `drawn--measured`, `drawn--warm`, `drawn--shared` | Figures and bars; those that don't count; shared memory. |
    | `drawn--warning`, `drawn--error`, `drawn--good` | What needs attention; that all is well. |
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

    _lines: list[Line]
    _strips: list[Strip] | None = None
    _drawn_for: tuple[int, int] = (0, 0)
    _styles: dict[str, Style]
    _base: Style
    _classes_drawn: dict[str, DOMNode]
    """One node for each name, which has the rules of its class."""
    _rules: list[RuleSet] | None = None
    """The style sheets' rules that those were made with; another theme has others."""

    def lines(self, width: int, height: int) -> list[Line]:
        """The lines that fill ``width`` by ``height`` cells, top first; fewer leave the rest empty."""
        raise NotImplementedError

    def redraw(self) -> None:
        """Lay out again, and draw the lines that have changed."""
        width, height = self.content_size
        if self._strips is None or self._drawn_for != (width, height):
            self._strips = None
            self.refresh()
            return
        lines = self._whole(width, height)
        changed = [y for y, (old, new) in enumerate(zip(self._lines, lines, strict=True)) if old != new]
        for y in changed:
            self._strips[y] = self._strip(lines[y], width)
        self._lines = lines
        if changed:
            self.refresh(*(Region(0, y, width, 1) for y in changed))

    def render_line(self, y: int) -> Strip:
        width, height = self.content_size
        if self._strips is None or self._drawn_for != (width, height):
            self._base, self._styles = self.rich_style, {}
            self._lines = self._whole(width, height)
            self._strips = [self._strip(line, width) for line in self._lines]
            self._drawn_for = (width, height)
        return self._strips[y] if y < len(self._strips) else Strip.blank(width, self._base)

    def notify_style_update(self) -> None:
        """Drop the cached strips, since the colours have changed."""
        super().notify_style_update()
        self._strips = None

    def _whole(self, width: int, height: int) -> list[Line]:
        """As many lines as there are rows."""
        lines = self.lines(width, height)[:height]
        return lines + [EMPTY] * (height - len(lines))

    def _strip(self, line: Line, width: int) -> Strip:
        """One line with its colours. A style lookup walks up the widget tree, so each style is looked up once."""
        for name, _ in line:
            if name not in self._styles:
                self._styles[name] = self._style(name)
        segments = [Segment(text, self._styles[name]) for name, text in line if text]
        return Strip(segments).adjust_cell_length(width, self._base)

    def _style(self, name: str) -> Style:
        """The style of this name on what lies behind the widget now."""
        rules = self.app.stylesheet.rules
        if self._rules is not rules:
            self._rules, self._classes_drawn = rules, {}
        node = self._classes_drawn.get(name)
        if node is None:
            node = self._classes_drawn[name] = DOMNode(classes=f"drawn--{name}")
            node._attach(self)
            self.app.stylesheet.apply(node)
        return node.rich_style
