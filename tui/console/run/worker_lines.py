"""The table of workers as lines: columns that go when the room does, and the bar of private against shared memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from rich.cells import cell_len

from tui.console.drawing.charts import PRIVATE, SHARED, memory_bar, sparkline
from tui.console.drawing.lines import EMPTY, Line, Piece, StyleName, fit, joined, right, shorten
from tui.console.run.frame import Worker, Workers
from tui.console.words import megabytes


@dataclass(frozen=True, slots=True)
class _Column:
    """One column: its head, width, and what a row has in it."""

    head: str
    width: int
    text: Callable[[Worker], str]
    keep: int
    """The lower, the longer it stays when the screen is narrow."""
    to_right: bool = True


BAR, TREND, REQUESTS = "bar", "trend", "requests"

COLUMNS: dict[str, _Column] = {
    "pid": _Column("pid", 7, lambda w: str(w.pid), 0),
    "role": _Column("role", 10, lambda w: w.role, 0, to_right=False),
    "bound": _Column("bound", 5, lambda w: w.bound, 3),
    "on": _Column("on", 3, lambda w: w.on, 6),
    "cpu": _Column("cpu", 5, lambda w: w.cpu, 1),
    "rss": _Column("RSS", 8, lambda w: w.rss, 0),
    "pss": _Column("PSS", 8, lambda w: w.pss, 0),
    "uss": _Column("USS", 8, lambda w: w.uss, 1),
    BAR: _Column("", 12, lambda w: "", 2, to_right=False),
    TREND: _Column("trend", 8, lambda w: "", 5, to_right=False),
    "growth": _Column("growth", 8, lambda w: w.growth, 7),
    "age": _Column("age", 6, lambda w: w.age, 4),
    REQUESTS: _Column("requests", 9, lambda w: w.requests, 2),
}
GAP = "  "


def columns_for(width: int, role: int = 14, *, counted: bool = False) -> dict[str, int]:
    """Which columns fit, with their widths; what is left over goes to the role, which needs ``role``, and the bar.

    Without ``counted`` nothing tells how many requests a process has answered, and there is no such column.
    """
    least = {name: column.width for name, column in COLUMNS.items() if counted or name != REQUESTS}
    while sum(least.values()) + len(GAP) * len(least) > width and len(least) > 3:
        least.pop(max(least, key=lambda name: COLUMNS[name].keep))
    spare = max(0, width - sum(least.values()) - len(GAP) * len(least))
    for name, most in (("role", role), (BAR, 36), (TREND, 16)):
        if name in least:
            more = max(0, min(spare, most - least[name]))
            least[name] += more
            spare -= more
    return least


def table_lines(workers: Workers, width: int, shown: slice = slice(None)) -> list[Line]:
    """The heads of the columns, and a row for each process that is ``shown``; all of them are on one scale."""
    longest = max((len(w.role) + len(w.note) + bool(w.note) for w in workers.rows), default=0)
    columns = columns_for(width, min(24, longest), counted=workers.counted)
    largest = max(
        (w.private + w.shared for w in workers.rows if w.private is not None and w.shared is not None),
        default=0,
    )
    return [_head(columns), *(_row(worker, largest, columns) for worker in workers.rows[shown])]


def _head(columns: dict[str, int]) -> Line:
    """The heads; that of the bar is its legend."""
    pieces: list[Piece] = []
    for name, room in columns.items():
        column = COLUMNS[name]
        pieces.append(("plain", GAP))
        if name == BAR:
            own = "private " if room >= 18 else "own " if room >= 14 else ""
            legend: list[Piece] = [
                ("faint", own),
                ("measured", PRIVATE),
                ("faint", " shared "),
                ("shared", SHARED),
            ]
            pieces += [*legend, ("plain", " " * (room - len(own) - 10))]
        else:
            pieces.append(("faint", right(column.head, room) if column.to_right else fit(column.head, room)))
    return tuple(pieces)


def _row(worker: Worker, largest: float, columns: dict[str, int]) -> Line:
    """One process. One that has ended is faint as a whole and says how it ended."""
    quiet = worker.ended
    pieces: list[Piece] = []
    for name, room in columns.items():
        column = COLUMNS[name]
        pieces.append(("plain", GAP))
        if name == BAR:
            styles: tuple[StyleName, StyleName] = ("faint", "faint") if quiet else ("measured", "shared")
            pieces += memory_bar(worker.private, worker.shared, largest, room, styles)
        elif name == TREND:
            line = sparkline(worker.trend, room)
            pieces.append(("faint" if quiet else "shared", fit(line, room)))
        elif name == "role":
            pieces += _role(worker, room)
        else:
            text = column.text(worker)
            pieces.append((_style(name, quiet), right(text, room) if column.to_right else fit(text, room)))
    return tuple(pieces)


def _role(worker: Worker, room: int) -> list[Piece]:
    """The role, and beside it that it is new, or how it ended."""
    if not worker.note:
        return [("faint" if worker.ended else "plain", fit(worker.role, room))]
    role = shorten(worker.role, max(6, room - len(worker.note) - 1))
    note = fit(f" {worker.note}", room - cell_len(role))
    return [("faint" if worker.ended else "plain", role), ("warning" if worker.unexpected else "faint", note)]


def _style(name: str, quiet: bool) -> Literal["faint", "strong", "quiet", "plain"]:
    if quiet:
        return "faint"
    return (
        "strong" if name == "pss" else "quiet" if name in ("pid", "bound", "on", "age", "growth") else "plain"
    )


def totals_line(workers: Workers) -> Line:
    """Alive of expected, who is busy, memory of all, what sharing saves, memory when idle."""
    few = workers.expected is not None and workers.alive < workers.expected
    alive = f"{workers.alive} of {workers.expected}" if workers.expected is not None else f"{workers.alive}"
    memory: Line = (("quiet", "memory "), ("strong", megabytes(workers.memory)))
    if workers.reason:
        memory = (*memory, ("quiet", f" ({workers.reason})"))
    saved: Line = EMPTY
    if workers.saved is not None:
        saved = (("quiet", "sharing saves "), ("strong", megabytes(workers.saved)))
    idle: Line = (
        (("quiet", f"idle {megabytes(workers.idle_memory)}"),) if workers.idle_memory is not None else EMPTY
    )
    busy: list[Line] = [(("quiet", words),) for words in workers.busy]
    beside: list[Line] = [(("quiet", words),) for words in workers.beside]
    return joined(((("warning" if few else "quiet", alive),), *busy, memory, saved, idle, *beside))
