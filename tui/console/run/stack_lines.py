"""The stack as lines: the table of workers, which drops columns if there's no room, and the listen queues."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from rich.cells import cell_len

from tui.console.drawing.charts import PRIVATE, SHARED, memory_bar, sparkline
from tui.console.drawing.lines import (
    EMPTY,
    Line,
    Piece,
    StyleName,
    fit,
    joined,
    right,
    shorten,
    spread,
    width_of,
)
from tui.console.run.stack_view import Queue, Queues, Worker, Workers
from tui.console.words import megabytes
from tui.summary import units


@dataclass(frozen=True, slots=True)
class _Column:
    """One column: its head, its width, and what a row shows in it."""

    head: str
    width: int
    text: Callable[[Worker], str]
    keep: int
    """Lower values stay longer on a narrow screen."""
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
    """Which columns fit, with their widths. Spare room goes to the role (up to ``role``), bar and trend.

    Without ``counted`` there is no column for requests: no status page counts them per process.
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
    """The column heads, and a row for each process in ``shown``; all bars share one scale."""
    longest = max((len(w.role) + len(w.note) + bool(w.note) for w in workers.rows), default=0)
    columns = columns_for(width, min(24, longest), counted=workers.counted)
    largest = max(
        (w.private + w.shared for w in workers.rows if w.private is not None and w.shared is not None),
        default=0,
    )
    return [_head(columns), *(_row(worker, largest, columns) for worker in workers.rows[shown])]


def _head(columns: dict[str, int]) -> Line:
    """The heads; the bar's head is its legend."""
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
    """One process. An ended one is faint, and says how it ended."""
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
    """The role, and whether it is new or how it ended."""
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
    """Processes alive and expected, how many are busy, total memory, what sharing saves, idle memory."""
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
    others: list[Line] = [(("quiet", words),) for words in workers.others]
    return joined(((("warning" if few else "quiet", alive),), *busy, memory, saved, idle, *others))


QUEUE_GAP = "     "
MOST_LINES = 2


def queue_lines(queues: Queues, width: int) -> list[Line]:
    """As many sockets as fit in two lines, in columns, then the overflows."""
    if not queues.sockets:
        return [(("quiet", f" {units.UNKNOWN}: {queues.reason}"),)]
    cells = [_cell(each) for each in queues.sockets]
    room = max(width_of(cell) for cell in cells)
    tail = _overflows(queues)
    columns = max(1, (width - 1 + len(QUEUE_GAP)) // (room + len(QUEUE_GAP)))
    rows = [cells[i : i + columns] for i in range(0, len(cells), columns)]
    hidden = sum(len(row) for row in rows[MOST_LINES:])
    lines = [_line(row, room) for row in rows[:MOST_LINES]]
    end: Line = (("faint", f"{hidden} more"),) if hidden else EMPTY
    if width_of(lines[-1]) + width_of(tail) + len(QUEUE_GAP) > width and len(lines) < MOST_LINES:
        lines.append(EMPTY)
    lines[-1] = spread(lines[-1], joined((end, tail)), width)
    return lines


def _line(cells: list[Line], room: int) -> Line:
    pieces: Line = (("plain", " "),)
    for i, cell in enumerate(cells):
        last = i == len(cells) - 1
        pieces = (*pieces, *cell, ("plain", "" if last else " " * (room - width_of(cell)) + QUEUE_GAP))
    return pieces


def _cell(each: Queue) -> Line:
    """``app-1.sock  3 of 128, most 9``; once the run is over ``app-1.sock  most 9 of 128``."""
    full = each.queue is not None and each.queue >= each.backlog
    name: Line = (("warning" if each.overflowed else "quiet", fit(each.name, min(len(each.name), 28))),)
    backlog = units.count(each.backlog)
    if each.queue is None:
        return (*name, ("faint", "  most "), ("strong", units.count(each.most)), ("quiet", f" of {backlog}"))
    words: Line = (
        ("warning" if full else "strong", f"{each.queue:,}".rjust(max(1, len(units.count(each.most))))),
        ("quiet", f" of {backlog}"),
    )
    return (*name, ("plain", "  "), *words, ("faint", f", most {units.count(each.most)}"))


def _overflows(queues: Queues) -> Line:
    """``dropped 0 · refused 1,200``: of TCP sockets and of unix sockets, each where the stack has any."""
    parts = []
    for kind, words, count in (("tcp", "dropped", queues.dropped), ("unix", "refused", queues.refused)):
        if kind in queues.kinds:
            number = units.count(count)
            mark: Line = (("warning", f"▲ {words} {number}"),) if count else (("quiet", f"{words} {number}"),)
            parts.append(mark)
    scope: Line = EMPTY if queues.measured else (("faint", "not counted yet"),)
    return (*joined([*parts, scope]), ("plain", " "))
