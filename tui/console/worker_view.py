"""The stack's processes in a run's state, as rows."""

from __future__ import annotations

from tui.console.frame import Worker, Workers
from tui.console.words import age, megabytes
from tui.report import units
from tui.run.state import ProcessState, RunState
from tui.system.cpus import format_cpu_list

ORDER = {"master": 0, "front": 1, "worker": 2, "helper": 3}
TREND = 32
"""Values that a trend keeps; a widget shows no more."""


def workers_of(state: RunState) -> Workers:
    """Every process: those that live in the order of their roles, below them those that have ended."""
    several = len({process.seen.service for process in state.processes.values()}) > 1
    processes = sorted(
        state.processes.values(),
        key=lambda p: (not p.alive, ORDER[p.seen.role], p.seen.service, p.seen.start, p.seen.pid),
    )
    living = state.living
    read = [process.memory for process in living if process.memory is not None]
    rss = [memory.rss for memory in read if memory.rss is not None]
    pss = [memory.pss for memory in read if memory.pss is not None]
    whole = bool(living) and len(pss) == len(rss) == len(living)
    idle = next((total.pss for total in state.memory_totals if total.label == "idle"), None)
    return Workers(
        rows=tuple(_row(process, state, several=several) for process in processes),
        alive=sum(process.seen.role == "worker" for process in living),
        expected=state.planned.facts.workers if state.planned else None,
        pss=sum(pss) if whole else None,
        saved=max(0, sum(rss) - sum(pss)) if whole else None,
        idle_pss=idle,
        reason=None if whole or not living else _reason(living),
    )


def _reason(living: list[ProcessState]) -> str:
    """Why the sum of PSS isn't there."""
    for process in living:
        if process.memory is not None and process.memory.pss is None:
            return process.memory.reason or "the kernel didn't tell"
    unread = sum(process.memory is None for process in living)
    return f"{unread} of {len(living)} not read yet"


def _row(process: ProcessState, state: RunState, *, several: bool) -> Worker:
    reading, memory, seen = process.reading, process.memory, process.seen
    ended = process.ended
    bound = reading.bound if reading and reading.bound is not None else seen.bound
    private = memory.uss if memory else None
    whole = memory.rss if memory else None
    until = ended.t if ended else state.now
    return Worker(
        pid=seen.pid,
        role=f"{seen.role} {seen.service}" if several else seen.role,
        bound=(format_cpu_list(bound) if bound is not None else units.UNKNOWN)
        + ("!" if seen.misbound else ""),
        on=str(reading.cpu_last) if reading and not ended else "",
        cpu="" if ended else units.share(reading.share if reading else None),
        rss=megabytes(reading.rss if reading else whole),
        pss=megabytes(memory.pss if memory else None),
        uss=megabytes(private),
        private=private,
        shared=max(0, whole - private) if whole is not None and private is not None else None,
        trend=_trend(process),
        growth=_growth(process),
        age=age(max(0.0, until - seen.t + seen.age)),
        note=_note(process),
        ended=ended is not None,
        unexpected=not ended.expected if ended else process.in_measured_window,
    )


def _trend(process: ProcessState) -> tuple[float, ...]:
    values = [float(rss) for _, rss in process.rss]
    step = max(1, -(-len(values) // TREND))
    return tuple(values[::-1][::step][::-1])


def _growth(process: ProcessState) -> str:
    """RSS now less RSS when first read."""
    if len(process.rss) < 2:
        return ""
    change = process.rss[-1][1] - process.rss[0][1]
    return "±0" if abs(change) < 50_000 else f"{'+' if change > 0 else ''}{megabytes(change)}"


def _note(process: ProcessState) -> str:
    if process.ended is not None:
        return process.ended.status or "ended"
    return "new" if process.in_measured_window else ""
