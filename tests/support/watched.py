"""Waiting for what an experiment does, and looking at what it leaves."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from tests.support.command import Command, processes_of
from tests.support.forked import Process
from tui.experiment.progress import Progress, read_progress
from tui.experiment.record import ExperimentRecord, find_experiment, list_experiments
from tui.record import control
from tui.record.record import Record, first_event, list_records, read_state


def wait_for(
    record: ExperimentRecord, condition: Callable[[Progress], object], seconds: float = 40.0
) -> Progress:
    deadline = time.monotonic() + seconds
    while not condition(progress := read_progress(record)):
        assert time.monotonic() < deadline, f"it did not happen in time: {progress}"
        time.sleep(0.05)
    return progress


def nothing_left(runs: Path) -> bool:
    """Whether no run in this folder is running, and no process of a stack that it started is alive."""
    return not any(
        control.is_running(record) or ((told := first_event(record)) and processes_of(told.run))
        for record in list_records(runs)
    )


def measuring(record: ExperimentRecord) -> Record:
    """Wait until the current run has put load on; its record."""
    progress = wait_for(record, lambda progress: progress.current)
    assert progress.current is not None
    run = Record(record.runs / progress.current[1])
    wait_for(record, lambda progress: first_event(run) and read_state(run).in_round)
    return run


def begin(stackdyno: Command, *arguments: str) -> Process:
    """A command in whose second run load is put on when this returns."""
    command = stackdyno.begin(*arguments)
    deadline = time.monotonic() + 20
    while not list_experiments(stackdyno.runs):
        assert time.monotonic() < deadline, command.communicate(timeout=5)
        time.sleep(0.05)
    experiment = find_experiment(None, stackdyno.runs)
    wait_for(experiment, lambda progress: len(progress.done) == 1)
    measuring(experiment)
    return command
