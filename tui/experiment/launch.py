"""Starts the process that carries out an experiment on its own, without a terminal."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

from tui.experiment.plan import Experiment, Variant
from tui.experiment.process import is_running
from tui.experiment.progress import ExperimentBegan, ProgressWriter, read_progress
from tui.experiment.record import ExperimentRecord, create_experiment
from tui.findings.codes import check_codes
from tui.plan.addresses import is_remote
from tui.plan.planning import draft
from tui.plan.trust import commands_of, require_trust
from tui.profile.catalogue import Catalogue
from tui.profile.estimate import run_seconds
from tui.record.record import default_runs
from tui.run.detached import start_detached
from tui.system.errors import UserError

FEWEST = 2
"""Runs of each variant of a comparison: a single run doesn't show how much runs vary. A suite may have one each."""


def require_experiment_trust(experiment: Experiment, *, trust: bool = False) -> None:
    """Make sure that somebody has agreed to all that its runs are made from.

    Raises:
        NotTrusted: Nobody has agreed to one of the files as it is, and ``trust`` isn't given.
        UserError: ``experiment.profiles`` is no folder.
    """
    catalogue = Catalogue(extra=experiment.profiles)
    files = [experiment.suite] if experiment.suite else []
    for variant in experiment.variants:
        with contextlib.suppress(UserError):
            files.append(catalogue.path(variant.profile))

    def commands() -> list[str]:
        found: list[str] = []
        for variant in experiment.variants:
            with contextlib.suppress(UserError):  # the launch reports it
                found += commands_of(draft(catalogue.load(variant.profile, variant.overrides), catalogue))
        return list(dict.fromkeys(found))

    require_trust(catalogue, files, commands, trust=trust)


def launch_experiment(
    experiment: Experiment, runs: Path | None = None, *, trust: bool = False
) -> ExperimentRecord:
    """Start an experiment and return its record as soon as its process has taken over.

    ``runs`` is where it and its runs are kept; the user's state folder by default. The process has its own session:
    it needs no terminal and outlives this one. With ``trust`` somebody agrees to all files that it is made from.

    Raises:
        NotTrusted: Nobody has agreed to one of those files as it is.
        UserError: Everything that prevents it, one line each; nothing was started.
    """
    expected = _checked(experiment, trust=trust)
    record = create_experiment((runs or default_runs()).expanduser().absolute(), experiment)
    writer = ProgressWriter(record)
    writer.write(ExperimentBegan(wall=time.time(), expected=expected))
    writer.close()
    _start(record)
    return record


def resume_experiment(record: ExperimentRecord, *, trust: bool = False) -> ExperimentRecord:
    """Resume an experiment that was stopped or interrupted: complete runs aren't repeated.

    Raises:
        UserError: It is running, nothing is left to do, or something now prevents it.
    """
    if is_running(record):
        raise UserError(f"{record.name}: it is already running")
    progress = read_progress(record)
    if not progress.remaining or progress.lost:
        raise UserError(f"{record.name}: it has ended, and nothing is left to do")
    _checked(progress.experiment, trust=trust)
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


def _checked(experiment: Experiment, *, trust: bool) -> tuple[float | None, ...]:
    """The seconds that a run of each variant should take. Raises UserError with everything that prevents one."""
    expected: tuple[float | None, ...] = ()
    for ask in (False, True):  # nothing is started before somebody has agreed
        problems, expected = _check(experiment, ask=ask)
        if problems:
            raise UserError("\n".join(problems))
        require_experiment_trust(experiment, trust=trust)
    return expected


def _check(experiment: Experiment, *, ask: bool) -> tuple[list[str], tuple[float | None, ...]]:
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
        lines, seconds = _check_variant(variant, catalogue, ask=ask)
        expected.append(seconds)
        for line in lines:
            found.setdefault(line, []).append(variant.label)
    for line, labels in found.items():
        of_all = len(labels) > 1 or line.startswith(f"{labels[0]}:")
        problems.append(line if of_all else f"{labels[0]}: {line}")
    return problems, tuple(expected)


def _check_variant(variant: Variant, catalogue: Catalogue, *, ask: bool) -> tuple[list[str], float | None]:
    """What prevents a run of it now, and the seconds that a run should take."""
    try:
        profile = catalogue.load(variant.profile, variant.overrides)
        plan = draft(profile, catalogue, ask=ask)
    except UserError as error:
        return str(error).splitlines(), None
    if is_remote(plan.address):
        refusal = (
            f"{plan.url} is on another machine ({plan.address}); only a single run may load another machine"
        )
        return [refusal], None
    return [], run_seconds(profile.load)
