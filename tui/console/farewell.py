"""The words that stay in the terminal when the console has left a run that goes on."""

from __future__ import annotations

import shlex
from pathlib import Path

from tui.experiment.record import ExperimentRecord
from tui.record.record import Record, default_runs


def goes_on(record: Record, runs: Path | None) -> str:
    """How to come back to this run, from whatever folder that is typed in."""
    return f"The run goes on: {attach_command(record, runs)}"


def attach_command(record: Record | ExperimentRecord | None, runs: Path | None) -> str:
    """The whole command that shows ``record``, or the newest run without one. ``runs`` is what ``--runs`` said."""
    folder = (runs or default_runs()).expanduser().absolute()
    words = ["stackdyno"]
    if runs is not None:
        words += ["--runs", str(folder)]
    words.append("attach")
    if record is not None:
        there = record.folder.absolute()
        words.append(record.name if there.parent == folder else str(there))
    return shlex.join(words)
