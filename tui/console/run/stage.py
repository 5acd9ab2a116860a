"""Replaces the charts: shows how a run is starting, or why it failed."""

from __future__ import annotations

from typing import ClassVar

from textual.reactive import reactive

from tui.console.drawing.drawn import Drawn
from tui.console.drawing.lines import EMPTY, Line, Piece, clip, fit, wrapped
from tui.console.run.frame import Failure, Step
from tui.summary import units


class Starting(Drawn):
    """The steps up to the first round."""

    DEFAULT_CSS = """
    Starting { padding: 1 2; }
    """

    BORDER_TITLE = "Starting"

    steps: reactive[tuple[Step, ...]] = reactive((), repaint=False)
    """What is done, what is happening now, what comes next."""

    def watch_steps(self) -> None:
        self.redraw()

    def lines(self, width: int, height: int) -> list[Line]:
        lines: list[Line] = []
        for step in self.steps:
            glyph, style = {"done": ("✓", "good"), "now": ("▸", "measured"), "next": ("·", "faint")}[
                step.state
            ]
            words = "quiet" if step.state == "next" else "strong" if step.state == "now" else "plain"
            time = units.duration(step.seconds) if step.seconds is not None else ""
            line: Line = (
                (style, f"{glyph} "),  # type: ignore[assignment]
                (words, fit(step.name, 22)),
                ("quiet", f"{time:>9}  "),
                ("quiet", step.detail),
            )
            lines.append(clip(line, width))
        return lines


class Failed(Drawn):
    """Why the run failed, and the server's last lines."""

    DEFAULT_CSS = """
    Failed { padding: 1 2; }
    """

    BORDER_TITLE = "Failed"

    keys: ClassVar[tuple[tuple[str, str], ...]] = (
        ("l", "the whole log"),
        ("v", "the profile's file"),
        ("r", "runs it again"),
    )
    """What helps, and its keys."""

    failure: reactive[Failure | None] = reactive(None, repaint=False)
    """What to show."""

    def watch_failure(self) -> None:
        self.redraw()

    def lines(self, width: int, height: int) -> list[Line]:
        if self.failure is None:
            return []
        lines = wrapped(self.failure.reason, width - 2, "strong")
        lines = [(("error", "✗ " if i == 0 else "  "), *line) for i, line in enumerate(lines)]
        keys: list[Piece] = []
        for key, what in self.keys:
            gap = "   " if (key, what) != self.keys[-1] else ""
            keys += [("measured", key), ("quiet", f" {what}{gap}")]
        room = height - len(lines) - 4
        if self.failure.log and room > 0:
            lines += [EMPTY, (("quiet", "The server's last lines:"),)]
            lines += [clip((("faint", "│ "), ("plain", text)), width) for text in self.failure.log[-room:]]
        return [*lines, EMPTY, tuple(keys)]


class FailedOnce(Failed):
    """The same of a run that is only looked at."""

    keys: ClassVar[tuple[tuple[str, str], ...]] = (("l", "the whole log"),)
