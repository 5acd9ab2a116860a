"""Finds the run or the experiment to open the console on, and the commands that show the same."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Callable
from pathlib import Path

from tui.experiment.process import is_running
from tui.experiment.record import ExperimentRecord, find_experiment, list_experiments
from tui.record import control
from tui.record.record import Record, default_runs, find_record
from tui.system.errors import UserError


def find_shown(
    name: str | None, runs: Path, is_running: Callable[[ExperimentRecord], bool] = is_running
) -> Record | ExperimentRecord:
    """A run, or else an experiment, by its folder, its name or the start of its name.

    Without a name it is the newest experiment if that is running, or else the newest run.

    Raises:
        UserError: Nothing matches.
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


def find_replayed(
    name: str | None, runs: Path, is_running: Callable[[Record], bool] = control.is_running
) -> Record:
    """A run that is over, by its folder, its name or the start of its name; without a name the newest.

    Raises:
        UserError: Nothing matches, it is still running, or it is an experiment.
    """
    found = find_record(None, runs) if name is None else find_shown(name, runs)
    if isinstance(found, ExperimentRecord):
        raise UserError(f"{found.name}: it has no screen to replay; name one of its runs")
    if is_running(found):
        raise UserError(f"{found.name} is still running; `stackdyno attach {found.name}` shows it")
    return found


def printing_command(shown: Record | ExperimentRecord) -> str:
    """The command that prints the same without a terminal."""
    if isinstance(shown, Record):
        return f"stackdyno export {shown.name}"
    if shown.kind == "comparison":
        return f"stackdyno compare {shown.name}"
    return f"stackdyno suite {shown.name.split('_suite_', 1)[1]} --show"


def attach_command(record: Record | ExperimentRecord | None, runs: Path | None) -> str:
    """The full command that shows ``record``, or the newest run without one; it works from any folder.

    ``runs`` is the value of ``--runs``.
    """
    folder = (runs or default_runs()).expanduser().absolute()
    words = ["stackdyno"]
    if runs is not None:
        words += ["--runs", str(folder)]
    words.append("attach")
    if record is not None:
        there = record.folder.absolute()
        words.append(record.name if there.parent == folder else str(there))
    return shlex.join(words)
