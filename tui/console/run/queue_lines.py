"""The listen queues of a run: what of its state is shown, and as lines."""

from __future__ import annotations

from tui.console.drawing.lines import EMPTY, Line, fit, joined, spread, width_of
from tui.console.run.frame import Queue, Queues
from tui.record.state import RunState
from tui.summary import units
from tui.summary.sockets import named

GAP = "     "
MOST_LINES = 2


def queues_of(state: RunState) -> Queues | None:
    """Every socket of the newest look; None when nothing was seen."""
    looked = state.queues.latest
    if looked is None or not (looked.sockets or looked.reasons):
        return None
    open_now = {reading.inode for reading in looked.sockets}
    rows = [(name, each) for name, each in named(state) if each.reading.inode in open_now]
    measured = any(each.rounds for _, each in rows)
    dropped = [each.drops if measured else each.reading.drops for _, each in rows]
    refused = [each.refusals if measured else each.reading.refusals for _, each in rows]
    return Queues(
        sockets=tuple(
            Queue(
                name=name,
                queue=None if state.ended else each.reading.queue,
                backlog=each.reading.backlog,
                most=each.longest if each.longest_measured is None else each.longest_measured,
                overflowed=bool((each.drops or 0) + (each.refusals or 0)),
            )
            for name, each in rows
        ),
        dropped=_sum(dropped),
        refused=_sum(refused),
        kinds=frozenset(each.reading.kind for _, each in rows),
        measured=measured,
        reason=looked.reasons[0] if looked.reasons else None,
    )


def _sum(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def queue_lines(queues: Queues, width: int) -> list[Line]:
    """As many sockets as two lines hold, in columns, and the overflows behind the last one."""
    if not queues.sockets:
        return [(("quiet", f" {units.UNKNOWN}: {queues.reason}"),)]
    cells = [_cell(each) for each in queues.sockets]
    room = max(width_of(cell) for cell in cells)
    tail = _overflows(queues)
    columns = max(1, (width - 1 + len(GAP)) // (room + len(GAP)))
    rows = [cells[i : i + columns] for i in range(0, len(cells), columns)]
    hidden = sum(len(row) for row in rows[MOST_LINES:])
    lines = [_line(row, room) for row in rows[:MOST_LINES]]
    end: Line = (("faint", f"{hidden} more"),) if hidden else EMPTY
    if width_of(lines[-1]) + width_of(tail) + len(GAP) > width and len(lines) < MOST_LINES:
        lines.append(EMPTY)
    lines[-1] = spread(lines[-1], joined((end, tail)), width)
    return lines


def _line(cells: list[Line], room: int) -> Line:
    pieces: Line = (("plain", " "),)
    for i, cell in enumerate(cells):
        last = i == len(cells) - 1
        pieces = (*pieces, *cell, ("plain", "" if last else " " * (room - width_of(cell)) + GAP))
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
