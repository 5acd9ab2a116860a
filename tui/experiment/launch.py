"""From an experiment to a process that carries it out on its own, without a terminal."""

from __future__ import annotations

import time
from pathlib import Path

from tui.experiment.plan import Entrant, Experiment
from tui.experiment.process import is_running, request_stop
from tui.experiment.progress import ExperimentBegan, ProgressWriter, read_progress
from tui.experiment.record import ExperimentRecord, create_experiment
from tui.findings.codes import check_codes
from tui.plan.addresses import is_remote
from tui.plan.planning import make_plan
from tui.profile.catalogue import Catalogue
from tui.profile.estimate import run_seconds
from tui.record.record import default_runs
from tui.run.detached import start_detached
from tui.system.errors import UserError

__all__ = ["is_running", "launch_experiment", "request_stop", "resume_experiment"]

FEWEST = 2
"""Starts of each entrant of a comparison: one says nothing of how much they differ. A suite's may be one."""


def launch_experiment(experiment: Experiment, runs: Path | None = None) -> ExperimentRecord:
    """Start an experiment and return its record as soon as its process has taken over.

    ``runs`` is where it and its runs are kept; the user's state folder by default. The process is in a session of its
    own: it needs no terminal and outlives this one.

    Raises:
        UserError: All that stands against it, a line each; nothing was started.
    """
    problems, expected = _check(experiment)
    if problems:
        raise UserError("\n".join(problems))
    record = create_experiment((runs or default_runs()).expanduser().absolute(), experiment)
    writer = ProgressWriter(record)
    writer.write(ExperimentBegan(wall=time.time(), expected=expected))
    writer.close()
    _start(record)
    return record


def resume_experiment(record: ExperimentRecord) -> ExperimentRecord:
    """Go on with an experiment that was stopped or interrupted: whole starts aren't repeated.

    Raises:
        UserError: It goes on, nothing is left to be done, or something stands against it by now.
    """
    if is_running(record):
        raise UserError(f"{record.name}: it goes on already")
    progress = read_progress(record)
    if not progress.remaining or progress.lost:
        raise UserError(f"{record.name}: it is over, and nothing is left to be done")
    if problems := _check(progress.experiment)[0]:
        raise UserError("\n".join(problems))
    _start(record)
    return record


def _start(record: ExperimentRecord) -> None:
    start_detached(
        "tui.experiment.execute",
        record.folder,
        errors=record.errors_path,
        appeared=lambda: is_running(record),
        what="experiment's",
    )


def _check(experiment: Experiment) -> tuple[list[str], tuple[float | None, ...]]:
    """Every problem of every entrant, a line each, and the seconds that a start of each should take."""
    problems: list[str] = []
    fewest, whose = (FEWEST, "side") if experiment.kind == "comparison" else (1, "entrant")
    if experiment.starts < fewest:
        problems.append(f"starts: found {experiment.starts}, and each {whose} needs at least {fewest}")
    try:
        check_codes((*experiment.allow, *(code for entrant in experiment.entrants for code in entrant.allow)))
    except UserError as error:
        problems.append(str(error))
    try:
        catalogue = Catalogue(extra=experiment.profiles)
    except UserError as error:
        return [*problems, str(error)], ()
    found: dict[str, list[str]] = {}
    """Lines, with the labels of the entrants that they are told of."""
    expected: list[float | None] = []
    for entrant in experiment.entrants:
        lines, seconds = _check_entrant(entrant, catalogue)
        expected.append(seconds)
        for line in lines:
            found.setdefault(line, []).append(entrant.label)
    for line, labels in found.items():
        of_all = len(labels) > 1 or line.startswith(f"{labels[0]}:")
        problems.append(line if of_all else f"{labels[0]}: {line}")
    return problems, tuple(expected)


def _check_entrant(entrant: Entrant, catalogue: Catalogue) -> tuple[list[str], float | None]:
    """What stands against a start of it now, and the seconds that one should take."""
    nowhere = Path(
        "/tmp/stackdyno-12345678"
    )  # as long as a runtime folder's: paths of sockets may be too long
    try:
        profile = catalogue.load(entrant.profile, entrant.overrides)
        plan = make_plan(profile, catalogue, run_id="", runtime=nowhere, logs=nowhere)
    except UserError as error:
        return str(error).splitlines(), None
    if is_remote(plan.address):
        refusal = f"{plan.url} is on another machine ({plan.address}); only single runs put a load there"
        return [refusal], None
    return [], run_seconds(profile.load)
