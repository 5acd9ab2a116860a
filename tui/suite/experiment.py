"""From a suite to the experiment that runs it, leaving out variants that this machine can't run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tui.experiment.plan import Experiment, LeftOut, Variant
from tui.experiment.process import is_running
from tui.experiment.progress import read_progress
from tui.experiment.record import ExperimentRecord, list_experiments
from tui.plan.planning import requirements_missing
from tui.profile.catalogue import Catalogue
from tui.profile.estimate import run_seconds
from tui.suite.loading import profile_of
from tui.suite.models import Suite
from tui.system.errors import UserError


def experiment_of(
    suite: Suite,
    path: Path,
    catalogue: Catalogue,
    *,
    profiles: Path | None = None,
    overrides: Sequence[str] = (),
    runs_each: int | None = None,
    allow: Sequence[str] = (),
    concurrent: bool = False,
    ask: bool = True,
) -> Experiment:
    """The experiment of a suite; settings for all variants come first, then a variant's own, then ``overrides``.

    With ``ask``, an app's interpreter may be started to ask for what a variant requires.

    Raises:
        UserError: An override is wrong, or this machine can run no variant.
    """
    variants, left_out = [], []
    for each in suite.variant:
        profile, own = profile_of(each.profile, path), (*suite.set, *each.set, *overrides)
        if missing := requirements_missing(catalogue.load(profile, own), catalogue, ask=ask):
            more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
            left_out.append(LeftOut(label=each.label, reason=missing[0] + more))
        else:
            variants.append(Variant(label=each.label, profile=profile, overrides=own, allow=each.allow))
    if not variants:
        raise UserError("\n".join(f"{each.label}: {each.reason}" for each in left_out))
    return Experiment(
        kind="suite",
        title=suite.title,
        variants=tuple(variants),
        runs_each=suite.starts if runs_each is None else runs_each,
        profiles=profiles.absolute() if profiles else None,
        allow=tuple(allow),
        concurrent=concurrent,
        suite=path,
        left_out=tuple(left_out),
    )


def is_as_written(experiment: Experiment, suite: Suite, path: Path) -> bool:
    """Whether the experiment ran the variants in the suite's current file; the call may have overridden more."""
    ran = {variant.label: variant for variant in experiment.variants}
    labels = {*ran, *(each.label for each in experiment.left_out)}
    if labels != {each.label for each in suite.variant}:
        return False
    for each in suite.variant:
        own = (*suite.set, *each.set)
        variant = ran.get(each.label)
        if variant and (variant.profile, variant.overrides[: len(own)]) != (
            profile_of(each.profile, path),
            own,
        ):
            return False
    return True


def unfinished(experiment: Experiment, runs: Path) -> ExperimentRecord | None:
    """The newest experiment of the same suite with the same content, if it is running or was interrupted.

    A suite isn't resumed if its newest experiment is complete or its content has changed since.
    """
    for record in _of_suite(experiment.suite, runs):
        progress = read_progress(record)
        same = progress.experiment.model_copy(update={"concurrent": experiment.concurrent}) == experiment
        if not same or not progress.remaining or (progress.lost and not is_running(record)):
            return None
        return record
    return None


def newest_finished(path: Path, runs: Path) -> ExperimentRecord:
    """The newest complete experiment of a suite.

    Raises:
        UserError: There is none.
    """
    for record in _of_suite(path, runs):
        ended = read_progress(record).ended
        if ended is not None and ended.verdict == "complete":
            return record
    raise UserError(
        f"{path.stem}: no finished run of this suite in {runs}; run it with: stackdyno suite {path.stem}"
    )


def _of_suite(path: Path | None, runs: Path) -> list[ExperimentRecord]:
    """The readable experiments of a suite's file, newest first."""
    found = []
    for record in list_experiments(runs, "suite"):
        try:
            if record.read().suite == path and read_progress(record):
                found.append(record)
        except UserError:
            continue  # a damaged experiment is no reason to refuse a new one
    return found


def expected_of(suite: Suite, path: Path, catalogue: Catalogue) -> float | None:
    """Seconds that the whole suite should take, by its profiles; None if one only gives a number of requests."""
    each = [
        run_seconds(catalogue.load(profile_of(variant.profile, path), (*suite.set, *variant.set)).load)
        for variant in suite.variant
    ]
    return None if None in each else suite.starts * sum(seconds or 0.0 for seconds in each)
