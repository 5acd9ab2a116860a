"""The processes of the stack, a row each."""

from __future__ import annotations

from textual.content import Content
from textual.reactive import reactive

from tui.console.drawing.drawn import Drawn
from tui.console.drawing.lines import Line, StyleName
from tui.console.run.frame import Workers
from tui.console.run.worker_lines import table_lines, totals_line

TITLE_STYLES: dict[StyleName, str] = {
    "strong": "bold $foreground",
    "warning": "$warning",
    "faint": "$foreground 35%",
}


class WorkerTable(Drawn):
    """Rows of processes, which scroll when there are more than fit."""

    DEFAULT_CSS = """
    WorkerTable { height: 6; }
    """

    BORDER_TITLE = "Workers"

    table: reactive[Workers | None] = reactive(None, repaint=False)
    """What is drawn."""
    first: reactive[int] = reactive(0, repaint=False)
    """The row on top."""
    _title: Line = ()
    _subtitle = ""

    def validate_first(self, first: int) -> int:
        """Never beyond the last page."""
        return max(0, min(first, self.hidden_rows))

    def watch_table(self, workers: Workers | None) -> None:
        title: Line = (("plain", "Workers"),)
        if workers and workers.rows:
            title = (*title, ("plain", "  "), *totals_line(workers))
        if title != self._title:
            self._title = title
            self.border_title = Content.assemble(
                *((text, TITLE_STYLES.get(name, "")) for name, text in title)
            )
        self.first = min(self.first, self.hidden_rows)
        self._say_hidden()
        self.redraw()

    def watch_first(self) -> None:
        self._say_hidden()
        self.redraw()

    def on_resize(self) -> None:
        self.first = min(self.first, self.hidden_rows)
        self._say_hidden()

    @property
    def wanted_height(self) -> int:
        """Lines that show every row: head and border included."""
        return max(1, len(self.table.rows) if self.table else 0) + 3

    @property
    def hidden_rows(self) -> int:
        """Rows that don't fit."""
        rows = len(self.table.rows) if self.table else 0
        return max(0, rows - max(1, self.content_size.height - 1))

    def lines(self, width: int, height: int) -> list[Line]:
        if self.table is None or not self.table.rows:
            why = self.table.reason if self.table else None
            return [(("quiet", f" {why or 'no process yet'}"),)]
        return table_lines(self.table, width, slice(self.first, self.first + max(1, height - 1)))

    def _say_hidden(self) -> None:
        """How many rows are out of sight, and how to see them."""
        below = self.hidden_rows - self.first
        parts = [f"{self.first} above"] * bool(self.first) + [f"{below} below"] * bool(below)
        text = f"{', '.join(parts)}: j k" if parts else ""
        if text != self._subtitle:
            self._subtitle = text
            self.border_subtitle = text
