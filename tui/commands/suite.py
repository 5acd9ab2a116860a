"""``stackdyno suite``: run what a suite names, resume it where it was interrupted, and print its tables."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tui.commands.output import check_output, deliver
from tui.experiment.launch import is_running, launch_experiment, resume_experiment
from tui.experiment.plan import Experiment
from tui.experiment.progress import Progress, read_progress, sides
from tui.experiment.record import ExperimentRecord
from tui.experiment.watching import watch_experiment
from tui.formats.text import table
from tui.profile.catalogue import Catalogue
from tui.record.record import default_runs
from tui.suite.experiment import expected_of, experiment_of, is_as_written, newest_finished, unfinished
from tui.suite.formats import Form, render
from tui.suite.loading import find_suite, load_suite, named_suites
from tui.suite.models import Suite
from tui.suite.reading import measured
from tui.suite.tables import suite_result
from tui.summary import units
from tui.summary.history import begun
from tui.system.errors import UserError
from tui.system.signals import StopSignals


@dataclass(frozen=True, slots=True)
class Wanted:
    """A call of ``stackdyno suite``; what wasn't said is None or empty."""

    suite: str | None
    profiles: Path | None
    runs: Path
    starts: int | None
    overrides: Sequence[str]
    form: Form
    output: Path | None
    allow: Sequence[str]
    beside: bool
    strict: bool
    fresh: bool
    show: bool

    @classmethod
    def told(cls, options: argparse.Namespace) -> Wanted:
        """What the command line's arguments say."""
        return cls(
            suite=options.suite,
            profiles=options.profiles,
            runs=(options.runs or default_runs()).absolute(),
            starts=options.starts,
            overrides=options.overrides,
            form=options.format,
            output=options.output,
            allow=options.allow,
            beside=options.beside,
            strict=options.strict,
            fresh=options.fresh,
            show=options.show,
        )


def run_suite(wanted: Wanted) -> int:
    """Run a suite and print it. Returns the exit status: 1 when an entrant failed or a figure is void.

    Raises:
        UserError: Something is wrong with the call or the suite (exit status 2).
    """
    catalogue = Catalogue(extra=wanted.profiles)
    if wanted.suite is None:
        _refuse(wanted, "name a suite: without one they are listed")
        print(suite_list(catalogue))
        return 0
    check_output(wanted.output)
    path = find_suite(wanted.suite, catalogue)
    suite = load_suite(path, catalogue)
    if wanted.show:
        _refuse(wanted, "--show prints what was run then")
        record = newest_finished(path, wanted.runs)
        _say(f"of {record.name}")
        return _print(wanted, suite, record)
    experiment = experiment_of(
        suite,
        path,
        catalogue,
        profiles=wanted.profiles,
        overrides=wanted.overrides,
        starts=wanted.starts,
        allow=wanted.allow,
        beside=wanted.beside,
    )
    if wanted.strict and experiment.left_out:
        raise UserError("\n".join(f"{each.label}: {each.reason}" for each in experiment.left_out))
    return _carry_out(wanted, suite, experiment)


def suite_list(catalogue: Catalogue) -> str:
    """All suites: name, title, how many starts of how many entrants, and about how long that takes."""
    rows = [["NAME", "TITLE", "STARTS", "TIME"]]
    for name, path in named_suites(catalogue).items():
        try:
            suite = load_suite(path, catalogue)
        except UserError as error:
            first, *more = str(error).splitlines()
            rows.append([name, "", "", f"broken: {first}" + (f" (and {len(more)} more)" if more else "")])
            continue
        seconds = expected_of(suite, path, catalogue)
        about = "unknown" if seconds is None else f"about {units.duration(float(round(seconds)))}"
        rows.append([name, suite.title, str(suite.starts * len(suite.entrant)), about])
    return table(rows, left=(0, 1, 3), indent="")


def _refuse(wanted: Wanted, why: str) -> None:
    given = {
        "--starts": wanted.starts is not None,
        "--set": bool(wanted.overrides),
        "--allow": bool(wanted.allow),
        "--beside": wanted.beside,
        "--strict": wanted.strict,
        "--fresh": wanted.fresh,
        "--show": wanted.show and wanted.suite is None,
        "-o": wanted.output is not None and wanted.suite is None,
    }
    if idle := [name for name, is_given in given.items() if is_given]:
        raise UserError(f"{' and '.join(idle)} can't act here: {why}")


def _carry_out(wanted: Wanted, suite: Suite, experiment: Experiment) -> int:
    """Start the experiment, or go on with one that was interrupted, follow it to its end, and print it."""
    signals = StopSignals()  # before the launch: a stop that comes meanwhile is then a stop like any other
    try:
        record = _begun(wanted, experiment)
        progress = watch_experiment(record, signals)
    finally:
        signals.rest()
    if progress is None:
        return 128 + signal.SIGHUP
    return max(_print(wanted, suite, record), _say_how_it_ended(progress))


def _begun(wanted: Wanted, experiment: Experiment) -> ExperimentRecord:
    """An experiment that goes on: an interrupted one of the same content, or a new one."""
    record = None if wanted.fresh else unfinished(experiment, wanted.runs)
    if record is None:
        for each in experiment.left_out:
            _say(f"{each.label}: not run: {each.reason}")
        return launch_experiment(experiment, wanted.runs)
    if is_running(record):
        _say(f"follows {record.name}, which goes on")
        return record
    started, _ = begun(record.name)
    since = f" of {started:%Y-%m-%d %H:%M}" if started else ""
    _say(f"goes on with the interrupted run{since} (--fresh starts anew)")
    return resume_experiment(record)


def _say_how_it_ended(progress: Progress) -> int:
    ended = progress.ended
    if ended is not None and ended.verdict == "complete":
        return 0
    done = f"{len(progress.done)} of {progress.starts} starts are done"
    if progress.lost is not None:
        _complain(f"given up, {done}: no entrant can be run: {progress.lost}")
        return 1
    why = "its process died" if ended is None else str(ended.reason)
    how = "interrupted" if ended is None else ended.verdict
    _complain(f"{how}, {done}: {why}; the same call goes on with it")
    return 1


def _print(wanted: Wanted, suite: Suite, record: ExperimentRecord) -> int:
    progress = read_progress(record)
    experiment = progress.experiment
    if experiment.suite is not None and not is_as_written(experiment, suite, experiment.suite):
        _say("the suite's file has changed since: its entrants, or what is set of them, were others then")
    found = measured(progress, sides(record, record.runs))
    complete = progress.ended is not None and progress.ended.verdict == "complete"
    name = experiment.suite.stem if experiment.suite else experiment.title
    result = suite_result(name, suite, found, complete=complete)
    deliver(render(result, wanted.form), wanted.output)
    return result.exit_status


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _complain(text: str) -> None:
    print(f"stackdyno: {text}", file=sys.stderr)
