"""A run second by second as CSV: rate, errors, CPU, and the memory of every process.

Each row is a second since the run's start in which load ran or something was read. A value that was not measured in a
second is empty, never 0. Memory is in bytes, times in seconds, shares from 0 to 1. Each row names the quantities that
findings invalidate for the whole run.
"""

from __future__ import annotations

import csv
import io
import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence

from tui.record.series import RatePoint
from tui.record.state import ProcessState, RunState

Cell = float | int | str | None
_ALWAYS = ("second", "phase", "good_per_second", "errors_per_second", "stack_cpu_share")


def render(state: RunState, invalid: Sequence[str] = ()) -> str:
    """A head line and the rows; ``invalid`` are the quantities that must not be used."""
    processes = sorted(state.processes.values(), key=lambda process: process.key[::-1])
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*_ALWAYS, *_names(processes), "invalid"])
    last = int(max((point.t1 for point in state.rate), default=state.now))
    points: defaultdict[int, list[RatePoint]] = defaultdict(list)
    for point in state.rate:
        points[int((point.t0 + point.t1) / 2)].append(point)
    cpu = _cpu_shares(state.cpu_series, last)
    memory = [_by_second(series) for process in processes for series in (process.rss, process.comparable)]
    for second in range(last + 1):
        row = [*_of_the_load(second, points[second]), cpu.get(second), *(each.get(second) for each in memory)]
        if any(cell is not None for cell in row[2:]):
            writer.writerow([*("" if cell is None else cell for cell in row), " ".join(invalid)])
    return out.getvalue()


def _names(processes: Sequence[ProcessState]) -> list[str]:
    return [
        f"{kind}_{process.seen.role}_{process.seen.pid}"
        for process in processes
        for kind in ("rss", "comparable")
    ]


def _of_the_load(second: int, inside: Sequence[RatePoint]) -> list[Cell]:
    span = sum(point.t1 - point.t0 for point in inside)
    return [
        second,
        _phase(inside),
        round(sum(point.good for point in inside) / span, 3) if span else None,
        round(sum(point.bad for point in inside) / span, 3) if span else None,
    ]


def _phase(inside: Sequence[RatePoint]) -> str:
    if not inside:
        return ""
    number = inside[-1].round
    return "warm-up" if number is None else f"round {number}"


def _cpu_shares(series: Sequence[tuple[float, float]], last: int) -> dict[int, float]:
    """The stack's CPU seconds in each second, between the last reading before its begin and the last before its end."""
    times = [t for t, _ in series]
    shares = {}
    for second in range(last + 1):
        before, after = bisect_right(times, second) - 1, bisect_right(times, second + 1) - 1
        if 0 <= before < after:
            (t0, cpu0), (t1, cpu1) = series[before], series[after]
            shares[second] = round((cpu1 - cpu0) / (t1 - t0), 4)
    return shares


def _by_second(series: Sequence[tuple[float, int]]) -> dict[int, int]:
    """The last value read in each second; one that was read at its very end counts for it."""
    return {math.ceil(t) - 1 if t > 0 else 0: value for t, value in series}
