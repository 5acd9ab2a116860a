"""An experiment that goes on, as one line: which start, how far, how long still."""

from __future__ import annotations

from dataclasses import dataclass

from tui.experiment.progress import Progress
from tui.experiment.record import ExperimentRecord

COARSE = 5.0
"""Seconds to which the time that is left is rounded: it is an estimate, and a line that stays isn't drawn again."""


@dataclass(frozen=True, slots=True)
class ExperimentFrame:
    """One picture of one experiment."""

    name: str
    kind: str
    """"comparison" or "suite"."""
    running: bool
    run: str | None
    """The name of the record of the run under way."""
    label: str
    """Whose start that is."""
    number: int
    starts: int
    done: int
    fraction: float
    """The part of all starts that is done, the current one by its time."""
    seconds_left: float | None
    taken_by: str | None
    """The run elsewhere that it waits for."""
    fault: str | None
    """Why it didn't come to its end."""
    comparable: bool
    """At least two sides have a whole start."""


def frame_of(
    record: ExperimentRecord, progress: Progress, *, running: bool, elapsed: float
) -> ExperimentFrame:
    """``elapsed`` are the seconds since the current start began."""
    current = progress.current if running else None
    start = current[0] if current else None
    total = len(progress.done) + len(progress.remaining)
    left = progress.seconds_left(elapsed if current else 0.0)
    return ExperimentFrame(
        name=record.name,
        kind=record.kind,
        running=running,
        run=current[1] if current else None,
        label=progress.experiment.entrants[start.entrant].label if start else "",
        number=start.number if start else 0,
        starts=progress.starts,
        done=len(progress.done),
        fraction=(len(progress.done) + _part(progress, elapsed if current else 0.0)) / max(1, total),
        seconds_left=None if left is None else round(left / COARSE) * COARSE,
        taken_by=progress.taken_by if running else None,
        fault=None if running else _fault(progress),
        comparable=sum(bool(progress.records_of(i)) for i in range(len(progress.experiment.entrants))) >= 2,
    )


def _part(progress: Progress, elapsed: float) -> float:
    """How much of the current start is over; never quite all of it."""
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
