"""What the console is opened on: a run, or an experiment."""

from __future__ import annotations

import contextlib
from pathlib import Path

from tui.experiment.process import is_running
from tui.experiment.record import ExperimentRecord, find_experiment, list_experiments
from tui.record.record import Record, find_record
from tui.system.errors import UserError


def find_shown(name: str | None, runs: Path) -> Record | ExperimentRecord:
    """A run, or else an experiment, by its folder, its name or the beginning of its name.

    Without a name it is the experiment that goes on, and where none does the newest run.

    Raises:
        UserError: There is none.
    """
    if name is None:
        newest = next(iter(list_experiments(runs)), None)
        return newest if newest is not None and is_running(newest) else find_record(None, runs)
    try:
        return find_record(name, runs)
    except UserError:
        with contextlib.suppress(UserError):
            return find_experiment(name, runs)
        raise


def printing_command(shown: Record | ExperimentRecord) -> str:
    """What prints the same without a terminal."""
    if isinstance(shown, Record):
        return f"stackdyno export {shown.name}"
    if shown.kind == "comparison":
        return f"stackdyno compare {shown.name}"
    return f"stackdyno suite {shown.name.split('_suite_', 1)[1]} --show"
