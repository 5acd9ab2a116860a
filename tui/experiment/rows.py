"""The kept experiments, one row each, newest first; a damaged experiment never breaks the list."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from tui.experiment.plan import Experiment
from tui.experiment.process import is_running
from tui.experiment.progress import Progress, read_progress
from tui.experiment.record import ExperimentRecord, list_experiments
from tui.record.deletion import delete_folder
from tui.record.folders import read_name
from tui.system.errors import UserError

ExperimentVerdict = Literal["complete", "running", "stopped", "failed", "interrupted", "unreadable"]


@dataclass(frozen=True, slots=True)
class ExperimentRow:
    """One experiment."""

    record: ExperimentRecord
    started: datetime | None
    """In local time."""
    title: str
    """"comparison of A and B", "suite articles-2009"."""
    verdict: ExperimentVerdict
    sentence: str
    runs: int = 0
    done: int = 0
    variants: tuple[tuple[str, int, int], ...] = ()
    """(label, good runs, runs without a result) of each variant."""

    @property
    def words(self) -> str:
        """The verdict in a few words: "complete, 12 runs", "stopped, 5 of 12 runs"."""
        if not self.runs:
            return self.verdict
        of = f"{self.runs}" if self.done == self.runs else f"{self.done} of {self.runs}"
        return f"{self.verdict}, {of} run{'' if self.runs == 1 else 's'}"

    @property
    def subject(self) -> str:
        """The text that a search looks in."""
        return f"{self.title} {' '.join(label for label, _, _ in self.variants)}"


def read_experiments(runs: Path, known: Iterable[ExperimentRow] = ()) -> tuple[ExperimentRow, ...]:
    """A row for every experiment below ``runs``, newest first.

    ``known`` are the rows of an earlier reading; rows of complete experiments are reused.

    Raises:
        UserError: The folder can't be read.
    """
    settled = {row.record: row for row in known if row.verdict == "complete"}
    return tuple(settled.get(record) or _read(record) for record in list_experiments(runs))


def delete_experiment(record: ExperimentRecord, runs: Path) -> None:
    """Remove an experiment's folder; its runs stay.

    Raises:
        UserError: It is running, its folder isn't directly below ``runs``, or it can't be removed.
    """
    if is_running(record):
        raise UserError(f"{record.name}: it is running; stop it first")
    delete_folder(record.folder, runs, proof=record.experiment_path.name)


def _read(record: ExperimentRecord) -> ExperimentRow:
    running = is_running(record)  # asked before reading: everything that a dead process wrote is then read
    started, _ = read_name(record.name)
    try:
        progress = read_progress(record)
    except UserError as error:
        return ExperimentRow(record, started, record.name, "unreadable", f"Unreadable: {error}.")
    verdict: ExperimentVerdict = progress.ended.verdict if progress.ended else "interrupted"
    return ExperimentRow(
        record=record,
        started=started,
        title=experiment_title(progress.experiment),
        verdict="running" if running else verdict,
        sentence=_sentence(progress, "running" if running else verdict) + _damage(progress),
        runs=progress.total,
        done=len(progress.done),
        variants=tuple(
            (
                variant.label,
                len(progress.records_of(i)),
                sum(each.run.variant == i for each in progress.failed),
            )
            for i, variant in enumerate(progress.experiment.variants)
        ),
    )


def _damage(progress: Progress) -> str:
    return f" Damaged: {progress.damage}; a run of which they told is not counted." if progress.damage else ""


def experiment_title(experiment: Experiment) -> str:
    """``comparison of A, B and C``, ``suite articles-2009``."""
    if experiment.kind == "suite":
        return f"suite {experiment.suite.stem if experiment.suite else experiment.title}"
    *first, last = (variant.label for variant in experiment.variants)
    return f"comparison of {', '.join(first)} and {last}" if first else f"comparison of {last}"


def _sentence(progress: Progress, verdict: ExperimentVerdict) -> str:
    done = f"{len(progress.done)} of {progress.total} runs"
    match verdict:
        case "running" if progress.current is not None:
            run, _ = progress.current
            label = progress.experiment.variants[run.variant].label
            return f"Running {run.number} of {progress.total}: {label}."
        case "running" if progress.taken_by is not None:
            return f"Waiting for {progress.taken_by}."
        case "running":
            return f"Running: {done} done."
        case "interrupted":
            return f"Interrupted: its process ended after {done}."
        case "complete":
            lacking = f", {len(progress.failed)} of them without a result" if progress.failed else ""
            return f"Complete: {done}{lacking}."
    reason = progress.ended.reason if progress.ended else None
    return f"{verdict.capitalize()} after {done}" + (f": {reason}." if reason else ".")
