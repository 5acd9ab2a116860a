"""The evidence for a variant's figures: its latencies, its rates over time, the memory of its workers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median_low

from tui.compare.sample import sample_of
from tui.findings.judged import summarise
from tui.load.result import Times
from tui.record.record import Record, read_state
from tui.record.series import RatePoint
from tui.record.state import RunState
from tui.summary.reading import kept_summary

STEP = 1.0
"""The fewest seconds that one point of a rate over time may cover."""

Rates = tuple[tuple[float, float], ...]
"""(seconds since the first counted round began, good answers per second), counted rounds only."""
WorkerMemory = tuple[str, int, int | None, int | None, int | None]
"""(role, pid, private bytes, shared bytes, PSS); shared is PSS minus USS, and None is not readable."""


@dataclass(frozen=True, slots=True)
class VariantEvidence:
    """One variant's measurements, for charts."""

    label: str
    latency: Times
    """Latency of the good answers in all counted rounds of all runs whose latency is valid."""
    rates: tuple[Rates, ...]
    """One for each run."""
    shown: int
    """Index of the run whose rate is the variant's median (of two, the lower): the one to show if only one is shown."""
    workers: tuple[WorkerMemory, ...]
    """The memory of that run's processes after its last round."""


def read_evidence(label: str, records: Sequence[Record]) -> VariantEvidence:
    """Fold each of a variant's records once, which takes about a second for each hundred seconds of load.

    Raises:
        UserError: A record is damaged.
    """
    latency = Times()
    rates: list[Rates] = []
    workers: list[tuple[WorkerMemory, ...]] = []
    speeds: list[float | None] = []
    for record in records:
        state = read_state(record)
        summary = kept_summary(record) or summarise(record, state)
        if summary.verdict == "good" and "latency" not in summary.invalid:
            latency += state.times("total")
        rates.append(_rates(state))
        workers.append(_workers(state))
        speeds.append(sample_of(summary).values["rate"])
    known = [speed for speed in speeds if speed is not None]
    shown = speeds.index(median_low(known)) if known else 0
    return VariantEvidence(label, latency, tuple(rates), shown, workers[shown] if workers else ())


def _rates(state: RunState) -> Rates:
    points: list[tuple[float, float]] = []
    counted = [point for point in state.rate if point.round is not None]
    if not counted:
        return ()
    begin = counted[0].t0
    gathered: list[RatePoint] = []
    for point, following in zip(counted, [*counted[1:], None], strict=True):
        gathered.append(point)
        spent = point.t1 - gathered[0].t0
        if spent >= STEP - 1e-6 or following is None or following.round != point.round:
            if spent > 0:
                middle = (gathered[0].t0 + point.t1) / 2 - begin
                points.append((middle, sum(each.good for each in gathered) / spent))
            gathered = []
    return tuple(points)


def _workers(state: RunState) -> tuple[WorkerMemory, ...]:
    passes = [each for each in state.memory_totals if each.label.startswith("after round")]
    if not passes:
        return ()
    order = {"master": 0, "front": 1, "worker": 2, "helper": 3}
    rows: list[WorkerMemory] = []
    for reading in passes[-1].readings:
        known = state.processes.get((reading.pid, reading.start))
        role = known.seen.role if known else "worker"
        shared = reading.pss - reading.uss if reading.pss is not None and reading.uss is not None else None
        rows.append((role, reading.pid, reading.uss, shared, reading.pss))
    return tuple(sorted(rows, key=lambda row: (order.get(row[0], 9), row[1])))
