"""A run second by second as CSV: rate, errors, CPU, and the memory of every process.

Each row is a second since the run's start in which load ran or something was read. A value that was not measured in a
second is empty, never 0. Memory is in bytes, times in seconds, shares from 0 to 1. Each row names the quantities that
findings invalidate for the whole run.
"""

from __future__ import annotations

import csv
import io
from bisect import bisect_right
from collections.abc import Sequence

from tui.record.state import ProcessState, RatePoint, RunState

Cell = float | int | str | None
_ALWAYS = ("second", "phase", "good_per_second", "errors_per_second", "stack_cpu_share")


def render(state: RunState, invalid: Sequence[str] = ()) -> str:
    """A head line and the rows; ``invalid`` are the quantities that must not be used."""
    processes = sorted(state.processes.values(), key=lambda process: process.key[::-1])
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*_ALWAYS, *_names(processes), "invalid"])
    last = int(max((point.t1 for point in state.rate), default=state.now))
    for second in range(last + 1):
        row = _row(state, processes, second)
        if any(cell is not None for cell in row[2:]):
            writer.writerow([*("" if cell is None else cell for cell in row), " ".join(invalid)])
    return out.getvalue()


def _names(processes: Sequence[ProcessState]) -> list[str]:
    return [
        f"{kind}_{process.seen.role}_{process.seen.pid}"
        for process in processes
        for kind in ("rss", "comparable")
    ]


def _row(state: RunState, processes: Sequence[ProcessState], second: int) -> list[Cell]:
    inside = [point for point in state.rate if second <= (point.t0 + point.t1) / 2 < second + 1]
    span = sum(point.t1 - point.t0 for point in inside)
    row: list[Cell] = [
        second,
        _phase(inside),
        round(sum(point.good for point in inside) / span, 3) if span else None,
        round(sum(point.bad for point in inside) / span, 3) if span else None,
        _cpu_share(state, second),
    ]
    for process in processes:
        row += [_value_in(process.rss, second), _value_in(process.comparable, second)]
    return row


def _phase(inside: Sequence[RatePoint]) -> str:
    if not inside:
        return ""
    number = inside[-1].round
    return "warm-up" if number is None else f"round {number}"


def _cpu_share(state: RunState, second: int) -> float | None:
    """The stack's CPU seconds in this second, between the first and the last reading around it."""
    times = [t for t, _ in state.cpu_series]
    before, after = bisect_right(times, second) - 1, bisect_right(times, second + 1) - 1
    if before < 0 or after <= before:
        return None
    (t0, cpu0), (t1, cpu1) = state.cpu_series[before], state.cpu_series[after]
    return round((cpu1 - cpu0) / (t1 - t0), 4)


def _value_in(series: Sequence[tuple[float, int]], second: int) -> int | None:
    """The last value read in this second."""
    place = bisect_right([t for t, _ in series], second + 1) - 1
    if place < 0 or series[place][0] < second:
        return None
    return series[place][1]
