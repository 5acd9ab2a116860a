"""A panel of a comparison: it draws lines that a function lays out for its size, in the colours of the sides."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.reactive import reactive

from tui.console.drawing.drawn import Drawn
from tui.console.drawing.lines import Line

Draw = Callable[[int, int], list[Line]]
"""From width and height to the lines that fill them."""


class Sheet(Drawn):
    """Lines laid out by a function; where there are more than rows, they scroll."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "drawn--side1",
        "drawn--side2",
        "drawn--side3",
        "drawn--side4",
        "drawn--side5",
        "drawn--over1",
        "drawn--over2",
        "drawn--over3",
        "drawn--over4",
        "drawn--over5",
    }
    """The sides of a comparison, in their order, and what is drawn over a bar of each."""

    DEFAULT_CSS = """
    Sheet {
        .drawn--side1 { color: $side-1; }
        .drawn--side2 { color: $side-2; }
        .drawn--side3 { color: $side-3; }
        .drawn--side4 { color: $side-4; }
        .drawn--side5 { color: $side-5; }
        .drawn--over1 { color: $background; background: $side-1; text-style: bold; }
        .drawn--over2 { color: $background; background: $side-2; text-style: bold; }
        .drawn--over3 { color: $background; background: $side-3; text-style: bold; }
        .drawn--over4 { color: $background; background: $side-4; text-style: bold; }
        .drawn--over5 { color: $background; background: $side-5; text-style: bold; }
    }
    """

    draw: reactive[Draw | None] = reactive(None, repaint=False)
    """What lays the lines out; None leaves the panel empty."""
    first: reactive[int] = reactive(0, repaint=False)
    """The line on top."""

    def __init__(self, title: str = "", *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.border_title = title

    def watch_draw(self) -> None:
        self.redraw()

    def watch_first(self) -> None:
        self.redraw()

    def scroll_lines(self, by: int) -> None:
        """Show the lines from so many further down on, as far as there are any."""
        width, height = self.content_size
        there = len(self.draw(width, height)) if self.draw else 0
        self.first = max(0, min(self.first + by, there - height))

    def lines(self, width: int, height: int) -> list[Line]:
        return self.draw(width, height)[self.first :] if self.draw else []
