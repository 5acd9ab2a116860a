"""What the screen shows of an experiment at one moment: which run, how far, how much time is left."""

from __future__ import annotations

from dataclasses import dataclass

from tui.experiment.progress import Progress
from tui.experiment.record import ExperimentRecord

COARSE = 5.0
"""The remaining time is rounded to this many seconds: it is an estimate, and an unchanged line isn't redrawn."""


@dataclass(frozen=True, slots=True)
class ExperimentFrame:
    """One experiment at one moment."""

    name: str
    kind: str
    """"comparison" or "suite"."""
    running: bool
    run: str | None
    """The record's name of the current run."""
    label: str
    """The current run's variant."""
    number: int
    """The number of the current run; 0 if none is active."""
    runs: int
    done: int
    fraction: float
    """The fraction of all runs that is done; the current run counts by its time."""
    seconds_left: float | None
    taken_by: str | None
    """Someone else's run that it is waiting for."""
    fault: str | None
    """After the end: why it is incomplete."""
    comparable: bool
    """At least two variants have a complete run."""


def frame_of(
    record: ExperimentRecord, progress: Progress, *, running: bool, elapsed: float
) -> ExperimentFrame:
    """``elapsed``: seconds since the current run began."""
    current = progress.current if running else None
    start = current[0] if current else None
    total = len(progress.done) + len(progress.remaining)
    left = progress.seconds_left(elapsed if current else 0.0)
    return ExperimentFrame(
        name=record.name,
        kind=record.kind,
        running=running,
        run=current[1] if current else None,
        label=progress.experiment.variants[start.variant].label if start else "",
        number=start.number if start else 0,
        runs=progress.total,
        done=len(progress.done),
        fraction=(len(progress.done) + _part(progress, elapsed if current else 0.0)) / max(1, total),
        seconds_left=None if left is None else round(left / COARSE) * COARSE,
        taken_by=progress.taken_by if running else None,
        fault=None if running else _fault(progress),
        comparable=sum(bool(progress.records_of(i)) for i in range(len(progress.experiment.variants))) >= 2,
    )


def _part(progress: Progress, elapsed: float) -> float:
    """How much of the current run is done, at most 95 %."""
    whole, left = progress.seconds_left(), progress.seconds_left(elapsed)
    if not whole or left is None:
        return 0.0
    return min(0.95, (whole - left) / (whole / len(progress.remaining)))


def _fault(progress: Progress) -> str | None:
    if progress.ended is None:
        return "its process died"
    if progress.ended.verdict == "complete":
        return None
    return progress.ended.reason or progress.ended.verdict
