"""What the screen shows of an experiment at one moment: which run, how far, how long still."""

from __future__ import annotations

from dataclasses import dataclass

from tui.experiment.progress import Progress
from tui.experiment.record import ExperimentRecord

COARSE = 5.0
"""Seconds to which the time left is rounded: it is an estimate, and an unchanged line isn't drawn again."""


@dataclass(frozen=True, slots=True)
class ExperimentFrame:
    """One experiment at one moment."""

    name: str
    kind: str
    """"comparison" or "suite"."""
    running: bool
    run: str | None
    """The name of the record of the run under way."""
    label: str
    """The variant that it is a run of."""
    number: int
    """Which run it is; 0 if none is active."""
    runs: int
    done: int
    fraction: float
    """The part of all runs that is done, the current one by its time."""
    seconds_left: float | None
    taken_by: str | None
    """The run of somebody else that it is waiting for."""
    fault: str | None
    """Why it is incomplete, once it has ended."""
    comparable: bool
    """At least two variants have a whole run."""


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
    """How much of the current run is over, at most 95 %."""
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
