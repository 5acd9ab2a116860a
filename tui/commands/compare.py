"""``stackdyno compare``: profiles by fresh starts in turn, or saved runs, beside each other."""

from __future__ import annotations

import argparse
import contextlib
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from tui.commands.output import check_output, deliver
from tui.compare.comparison import compare
from tui.compare.evidence import read_evidence
from tui.compare.formats import render
from tui.compare.sample import read_sample
from tui.compare.saved import VariantRuns, is_saved, sides_of_profiles, sides_of_runs
from tui.compare.schema import QuantityName, Side
from tui.experiment.launch import is_running, launch_experiment, resume_experiment
from tui.experiment.plan import Experiment
from tui.experiment.progress import Progress, read_progress, sides
from tui.experiment.record import ExperimentRecord, find_experiment
from tui.experiment.variants import parse_entrants, split_overrides
from tui.experiment.watching import watch_experiment
from tui.formats.progress import ProgressLine
from tui.profile.catalogue import Catalogue
from tui.record.record import default_runs
from tui.system.errors import UserError
from tui.system.signals import StopSignals

STARTS = 6
"""Of each side, unless the call says otherwise: from so many on there is an interval of 95 % and a verdict."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A call of ``stackdyno compare``; what wasn't said is None or empty."""

    sides: Sequence[str]
    profiles: Path | None
    runs: Path
    starts: int | None
    overrides: Sequence[str]
    primary: QuantityName | None
    form: str
    output: Path | None
    allow: Sequence[str]
    beside: bool
    saved: bool
    resume: str | None
    """The experiment to go on with; "" is the newest."""

    @classmethod
    def told(cls, options: argparse.Namespace) -> Wanted:
        """What the command line's arguments say."""
        return cls(
            sides=options.sides,
            profiles=options.profiles,
            runs=(options.runs or default_runs()).absolute(),
            starts=options.starts,
            overrides=options.overrides,
            primary=options.primary,
            form=options.format,
            output=options.output,
            allow=options.allow,
            beside=options.beside,
            saved=options.saved,
            resume=options.resume,
        )


def run_compare(wanted: Wanted) -> int:
    """Compare and print. Returns the exit status: 0 also where there is no telling, 1 if a side has no usable start.

    Raises:
        UserError: Something is wrong with the call, the profiles or the saved runs (exit status 2).
    """
    check_output(wanted.output)
    if wanted.resume is not None:
        _refuse(wanted, "--resume goes on with what was asked for then", sides=bool(wanted.sides))
        return _carry_out(wanted, find_experiment(wanted.resume or None, wanted.runs, "comparison"))
    if wanted.saved:
        _refuse(wanted, "saved runs are compared as they are")
        _check_number(wanted)
        return _print(wanted, sides_of_profiles(wanted.sides, wanted.runs))
    if record := _saved_comparison(wanted):
        _refuse(wanted, "a saved comparison is printed as it is")
        return _print_experiment(wanted, record)
    _check_number(wanted)
    if _are_saved(wanted):
        _refuse(wanted, "saved runs are compared as they are")
        return _print(wanted, sides_of_runs(wanted.sides, wanted.runs))
    return _carry_out(wanted, None)


def _check_number(wanted: Wanted) -> None:
    if len(wanted.sides) < 2:
        found = f"found {wanted.sides[0]} alone" if wanted.sides else "found nothing"
        what = "name two or more profiles or saved runs, or one saved comparison"
        raise UserError(f"compare: {found}; {what}")


def _refuse(wanted: Wanted, why: str, *, sides: bool = False) -> None:
    """Refuse what can't act where nothing new is asked for."""
    given = {
        "--starts": wanted.starts is not None,
        "--set": bool(wanted.overrides),
        "--allow": bool(wanted.allow),
        "--beside": wanted.beside,
        "--saved": wanted.saved and wanted.resume is not None,
        " ".join(wanted.sides): sides,
    }
    if idle := [name for name, is_given in given.items() if is_given]:
        raise UserError(f"{' and '.join(idle)} can't act here: {why}")


def _saved_comparison(wanted: Wanted) -> ExperimentRecord | None:
    """The one that is named alone; a profile's name is none, though the name of a comparison may end in it."""
    if len(wanted.sides) != 1 or _is_profile(wanted.sides[0], Catalogue(extra=wanted.profiles)):
        return None
    try:
        return find_experiment(wanted.sides[0], wanted.runs, "comparison")
    except UserError:
        return None


def _are_saved(wanted: Wanted) -> bool:
    """Whether all sides are saved runs; none of them is, where it is False.

    A profile's name comes before the runs that end in it; what is neither is taken for a misspelt profile.
    """
    catalogue = Catalogue(extra=wanted.profiles)
    saved = [not _is_profile(text, catalogue) and _means_saved(text, wanted.runs) for text in wanted.sides]
    if any(saved) and not all(saved):
        run, profile = wanted.sides[saved.index(True)], wanted.sides[saved.index(False)]
        what = "name profiles only, saved runs only, or with --saved profiles whose saved runs are meant"
        raise UserError(f"{run} is a saved run and {profile} is a profile; {what}")
    return all(saved)


def _is_profile(text: str, catalogue: Catalogue) -> bool:
    name, overrides = split_overrides(text)
    if overrides or name.endswith(".toml"):
        return True
    with contextlib.suppress(UserError):
        return "/" not in name and bool(catalogue.path(name))
    return False


def _means_saved(text: str, runs: Path) -> bool:
    return "+" in text or text[:2] == "20" or is_saved(text, runs)


def _carry_out(wanted: Wanted, earlier: ExperimentRecord | None) -> int:
    """Start an experiment, or go on with an earlier one, follow it to its end, and print what came of it."""
    signals = StopSignals()  # before the launch: a stop that comes meanwhile is then a stop like any other
    if earlier is None:
        record = launch_experiment(_experiment(wanted), wanted.runs)
    else:
        record = earlier if is_running(earlier) else resume_experiment(earlier)
    progress = watch_experiment(record, signals)
    signals.rest()
    if progress is None:
        return 128 + signal.SIGHUP
    return max(_print_experiment(wanted, record), _say_how_it_ended(record, progress))


def _experiment(wanted: Wanted) -> Experiment:
    entrants = parse_entrants(wanted.sides, wanted.overrides)
    return Experiment(
        kind="comparison",
        title=" against ".join(entrant.label for entrant in entrants),
        entrants=entrants,
        starts=STARTS if wanted.starts is None else wanted.starts,
        primary=wanted.primary or "rate",
        profiles=wanted.profiles.absolute() if wanted.profiles else None,
        allow=tuple(wanted.allow),
        beside=wanted.beside,
    )


def _say_how_it_ended(record: ExperimentRecord, progress: Progress) -> int:
    """What is to be said of an experiment that isn't complete, and the exit status of that."""
    ended = progress.ended
    if ended is not None and ended.verdict == "complete":
        return 0
    done = f"{len(progress.done)} of {progress.starts} starts are done"
    again = f"go on with: stackdyno compare --resume {record.name}"
    if ended is None:
        _complain(f"interrupted, {done}: the experiment's process died; {again}")
    elif progress.lost is not None:
        _complain(f"given up, {done}: fewer than two sides can be compared")
    else:
        _complain(f"{ended.verdict}, {done}: {ended.reason}; {again}")
    return 1


def _print_experiment(wanted: Wanted, record: ExperimentRecord) -> int:
    progress = read_progress(record)
    for index, entrant in enumerate(progress.experiment.entrants):
        if not progress.records_of(index):
            failed = [each.ended for each in progress.failed if each.start.entrant == index]
            _complain(_unusable(entrant.label, failed[0].reason if failed else None))
    return _print(wanted, sides(record, record.runs), progress.experiment.primary)


def _unusable(label: str, why: str | None) -> str:
    return f"{label}: no usable start" + (f": {why}" if why else "")


def _print(wanted: Wanted, found: Sequence[VariantRuns], primary: str = "rate") -> int:
    """Compare the sides that have runs, and print or write it; 1 when a side has no usable start."""
    usable = [(label, records) for label, records in found if records]
    if len(usable) < 2:
        return 1
    line = ProgressLine()
    line.show(lambda width: "reading what the runs recorded"[:width])
    read = [Side(label, tuple(read_sample(record) for record in records)) for label, records in usable]
    comparison = compare(read, wanted.primary or cast(QuantityName, primary))
    charts = wanted.form == "html"  # the only form with any; folding takes its time
    evidence = [read_evidence(label, records) for label, records in usable] if charts else []
    text = render(comparison, evidence, wanted.form)
    line.clear()
    deliver(text, wanted.output)
    primary_cells = zip(comparison.sides, comparison.rows[0].cells, strict=True)
    lacking = [_unusable(side.label, cell.reason) for side, cell in primary_cells if cell.median is None]
    for each in lacking:
        _complain(each)
    return 1 if lacking or len(usable) < len(found) else 0


def _complain(text: str) -> None:
    print(f"stackdyno: {text}", file=sys.stderr)
