"""Starts the process that carries out an experiment on its own, without a terminal."""

from __future__ import annotations

import time
from pathlib import Path

from tui.experiment.plan import Experiment, Variant
from tui.experiment.process import is_running
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

FEWEST = 2
"""Runs of each variant of a comparison: a single run doesn't show how much runs vary. A suite may have one each."""


def launch_experiment(experiment: Experiment, runs: Path | None = None) -> ExperimentRecord:
    """Start an experiment and return its record as soon as its process has taken over.

    ``runs`` is where it and its runs are kept; the user's state folder by default. The process has its own session:
    it needs no terminal and outlives this one.

    Raises:
        UserError: Everything that prevents it, one line each; nothing was started.
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
    """Resume an experiment that was stopped or interrupted: complete runs aren't repeated.

    Raises:
        UserError: It is running, nothing is left to do, or something now prevents it.
    """
    if is_running(record):
        raise UserError(f"{record.name}: it is already running")
    progress = read_progress(record)
    if not progress.remaining or progress.lost:
        raise UserError(f"{record.name}: it has ended, and nothing is left to do")
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
    """Every problem of every variant, one line each, and the seconds that a run of each variant should take."""
    problems: list[str] = []
    fewest = FEWEST if experiment.kind == "comparison" else 1
    if experiment.runs_each < fewest:
        problems.append(f"starts: found {experiment.runs_each}, but each variant needs at least {fewest}")
    try:
        check_codes((*experiment.allow, *(code for variant in experiment.variants for code in variant.allow)))
    except UserError as error:
        problems.append(str(error))
    try:
        catalogue = Catalogue(extra=experiment.profiles)
    except UserError as error:
        return [*problems, str(error)], ()
    found: dict[str, list[str]] = {}
    """Each problem, with the labels of the variants that have it."""
    expected: list[float | None] = []
    for variant in experiment.variants:
        lines, seconds = _check_variant(variant, catalogue)
        expected.append(seconds)
        for line in lines:
            found.setdefault(line, []).append(variant.label)
    for line, labels in found.items():
        of_all = len(labels) > 1 or line.startswith(f"{labels[0]}:")
        problems.append(line if of_all else f"{labels[0]}: {line}")
    return problems, tuple(expected)


def _check_variant(variant: Variant, catalogue: Catalogue) -> tuple[list[str], float | None]:
    """What prevents a run of it now, and the seconds that a run should take."""
    nowhere = Path("/tmp/stackdyno-12345678")  # as long as a real one: a socket's path may be too long
    try:
        profile = catalogue.load(variant.profile, variant.overrides)
        plan = make_plan(profile, catalogue, run_id="", runtime=nowhere, logs=nowhere)
    except UserError as error:
        return str(error).splitlines(), None
    if is_remote(plan.address):
        refusal = (
            f"{plan.url} is on another machine ({plan.address}); only a single run may load another machine"
        )
        return [refusal], None
    return [], run_seconds(profile.load)
