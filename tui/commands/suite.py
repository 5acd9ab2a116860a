"""``stackdyno suite``: runs or continues a suite, and prints its tables."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING

from tui.commands.asking import trusting
from tui.commands.options import add_allow, add_concurrent, add_output, add_override, add_with_secrets, refuse
from tui.commands.output import check_output, deliver, say, show
from tui.system.errors import UserError

if TYPE_CHECKING:
    from tui.experiment.plan import Experiment
    from tui.experiment.record import ExperimentRecord
    from tui.profile.catalogue import Catalogue
    from tui.suite.models import Suite

FORMATS = ("text", "json", "markdown")
EXAMPLES = """\
examples:
  stackdyno suite                                  list the suites, and how long each takes
  stackdyno suite articles-2009                    see how much memory copy-on-write saves
  stackdyno suite articles-2009 --starts 6         with intervals and verdicts
  stackdyno suite ./mine.toml --set load.duration=1s
  stackdyno suite articles-2009 --show --format markdown

The tables go to stdout, progress to stderr. SIGINT and SIGTERM stop the suite and print the results so far. SIGHUP (a
lost terminal) leaves it running. The same command continues a suite that was stopped or interrupted, and repeats no
complete run unless you add --fresh. A variant that this machine can't run is left out, and the tables say why.

exit status: 0 all variants ran and all figures are valid; 1 stopped, failed, or a figure is invalid; 2 wrong usage
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which suite to run, with which changes, and how to print its tables."""
    parser.add_argument("suite", nargs="?", metavar="SUITE", help="a suite's name, or the path of its file")
    parser.add_argument("--starts", type=int, metavar="N", help="fresh runs per variant (set by the suite)")
    add_override(parser, "all profiles")
    parser.add_argument("--format", choices=FORMATS, default="text", help="format of the tables (text)")
    add_output(parser)
    add_with_secrets(parser)
    add_allow(parser)
    add_concurrent(parser)
    parser.add_argument("--strict", action="store_true", help="refuse if this machine can't run a variant")
    parser.add_argument("--fresh", action="store_true", help="start over instead of continuing")
    parser.add_argument(
        "--show", action="store_true", help="print the tables of its newest finished experiment"
    )


def run(options: argparse.Namespace) -> int:
    """Run a suite and print it. Returns the exit status: 1 if a variant failed or a figure is invalid.

    Raises:
        UserError: The arguments or the suite are wrong (exit status 2).
    """
    from tui.commands.experiments import carry_out
    from tui.experiment.launch import require_experiment_trust
    from tui.profile.catalogue import Catalogue
    from tui.record.record import default_runs
    from tui.suite.experiment import experiment_of, newest_finished
    from tui.suite.loading import find_suite, load_suite

    options.runs = (options.runs or default_runs()).absolute()
    catalogue = Catalogue(extra=options.profiles)
    if options.suite is None:
        _refuse(options, "without a suite, this only lists the suites")
        show(suite_list(catalogue))
        return 0
    check_output(options.output)
    path = find_suite(options.suite, catalogue)
    suite = load_suite(path, catalogue)
    if options.show:
        _refuse(options, "--show runs nothing")
        record = newest_finished(path, options.runs)
        say(f"from {record.name}")
        return _print(options, suite, record)
    made = partial(
        experiment_of,
        suite,
        path,
        catalogue,
        profiles=options.profiles,
        overrides=options.overrides,
        runs_each=options.starts,
        allow=options.allow,
        concurrent=options.concurrent,
    )
    trusting(lambda: require_experiment_trust(made(ask=False), trust=options.trust))
    experiment = made()
    if options.strict and experiment.left_out:
        raise UserError("\n".join(f"{each.label}: {each.reason}" for each in experiment.left_out))
    return carry_out(
        lambda: _begun(options, experiment),
        lambda record: _print(options, suite, record),
        lost="no variant can run",
        again=lambda record: "the same command continues it",
    )


def suite_list(catalogue: Catalogue) -> str:
    """All suites: name, title, how many runs they take, and about how long."""
    from tui.formats.text import table
    from tui.suite.experiment import expected_of
    from tui.suite.loading import load_suite, named_suites
    from tui.summary import units

    rows = [["NAME", "TITLE", "RUNS", "TIME"]]
    for name, path in named_suites(catalogue).items():
        try:
            suite = load_suite(path, catalogue)
        except UserError as error:
            first, *more = str(error).splitlines()
            rows.append([name, "", "", f"broken: {first}" + (f" (and {len(more)} more)" if more else "")])
            continue
        seconds = expected_of(suite, path, catalogue)
        about = "unknown" if seconds is None else f"about {units.duration(float(round(seconds)))}"
        rows.append([name, suite.title, str(suite.starts * len(suite.variant)), about])
    return table(rows, left=(0, 1, 3), indent="")


def _refuse(options: argparse.Namespace, why: str) -> None:
    given = {
        "--starts": options.starts is not None,
        "--set": bool(options.overrides),
        "--allow": bool(options.allow),
        "--concurrent": options.concurrent,
        "--strict": options.strict,
        "--fresh": options.fresh,
        "--show": options.show and options.suite is None,
        "-o": options.output is not None and options.suite is None,
    }
    refuse(given, why)


def _begun(options: argparse.Namespace, experiment: Experiment) -> ExperimentRecord:
    """The experiment to follow: an unfinished one with the same contents, or a new one."""
    from tui.experiment.launch import launch_experiment, resume_experiment
    from tui.experiment.process import is_running
    from tui.record.folders import read_name
    from tui.suite.experiment import unfinished

    record = None if options.fresh else unfinished(experiment, options.runs)
    if record is None:
        for each in experiment.left_out:
            say(f"{each.label}: not run: {each.reason}")
        return launch_experiment(experiment, options.runs)
    if is_running(record):
        say(f"following {record.name}, which is running")
        return record
    started, _ = read_name(record.name)
    since = f" of {started:%Y-%m-%d %H:%M}" if started else ""
    say(f"continuing the unfinished suite{since} (--fresh starts over)")
    return resume_experiment(record)


def _print(options: argparse.Namespace, suite: Suite, record: ExperimentRecord) -> int:
    from tui.experiment.progress import read_progress, variant_runs
    from tui.suite.experiment import is_as_written
    from tui.suite.formats import render
    from tui.suite.measured import measured, secrets_of
    from tui.suite.tables import suite_result

    progress = read_progress(record)
    experiment = progress.experiment
    if experiment.suite is not None and not is_as_written(experiment, suite, experiment.suite):
        say("the suite's file has changed since: it now has other variants or settings")
    found = measured(progress, variant_runs(record))
    complete = progress.ended is not None and progress.ended.verdict == "complete"
    name = experiment.suite.stem if experiment.suite else experiment.title
    result = suite_result(name, suite, found, complete=complete)
    secrets = None if options.with_secrets else secrets_of(experiment, found)
    deliver(render(result, options.format, secrets), options.output)
    return result.exit_status
