"""The rounds side by side: a drift or a scatter is seen at once."""

from __future__ import annotations

from collections.abc import Callable

from textual.reactive import reactive

from tui.console.drawing.drawn import Drawn
from tui.console.drawing.lines import Line, Piece, StyleName, fit, right
from tui.console.run.frame import Round

COLUMNS: tuple[tuple[str, int, int, Callable[[Round], str]], ...] = (
    ("req/s", 10, 0, lambda row: row.rate),
    ("errors", 9, 0, lambda row: row.errors),
    ("p50", 10, 0, lambda row: row.p50),
    ("p90", 10, 1, lambda row: row.p90),
    ("p99", 10, 0, lambda row: row.p99),
    ("max", 10, 2, lambda row: row.longest),
    ("server CPU", 12, 3, lambda row: row.server_busy),
    ("load CPU", 10, 4, lambda row: row.load_busy),
    ("memory after", 14, 1, lambda row: row.memory),
)
"""Head, width, how early it goes where there is no room for all, and what a row has in it."""
NAME = 11
OF_OURS = ("errors", "p50", "p90", "p99", "max")
"""Columns that a load which isn't ours doesn't have."""


class RoundTable(Drawn):
    """A row for the warm-up, which isn't counted, and for each round."""

    DEFAULT_CSS = """
    RoundTable { height: 6; }
    """

    BORDER_TITLE = "Rounds"

    rounds: reactive[tuple[Round, ...]] = reactive((), repaint=False)
    """What is drawn; the newest rows when there is no room for all."""
    external: reactive[bool] = reactive(False, repaint=False)
    """The load isn't ours: errors and latency aren't known."""

    def watch_rounds(self) -> None:
        self.redraw()

    def watch_foreign(self) -> None:
        self.redraw()

    def lines(self, width: int, height: int) -> list[Line]:
        columns = [each for each in COLUMNS if not self.external or each[0] not in OF_OURS]
        while len(columns) > 1 and 2 + NAME + sum(room for _, room, _, _ in columns) > width:
            columns.remove(max(columns, key=lambda column: column[2]))
        head = "".join(right(name, room) for name, room, _, _ in columns)
        lines: list[Line] = [(("faint", "  " + fit("", NAME) + head),)]
        for row in self.rounds[-max(1, height - 1) :]:
            pieces: list[Piece] = [
                ("plain", "  "),
                ("plain" if row.counted else "faint", fit(row.name, NAME)),
            ]
            pieces += [
                (_style(row, name, text(row)), right(text(row), room)) for name, room, _, text in columns
            ]
            lines.append(tuple(pieces))
        return lines


def _style(row: Round, column: str, text: str) -> StyleName:
    if column == "errors" and text != "0":
        return "error"
    if not row.counted:
        return "faint"
    return "strong" if column == "req/s" else "plain"
