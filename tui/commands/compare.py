"""``stackdyno compare``: compares profiles by fresh, alternating runs, or saved runs."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from tui.commands.asking import trusting
from tui.commands.options import add_allow, add_concurrent, add_output, add_override, add_with_secrets, refuse
from tui.commands.output import check_output, complain, deliver
from tui.system.errors import UserError

if TYPE_CHECKING:
    from tui.compare.schema import QuantityName
    from tui.experiment.plan import Experiment
    from tui.experiment.record import ExperimentRecord
    from tui.profile.catalogue import Catalogue
    from tui.record.record import VariantRuns

FORMATS = ("text", "json", "markdown", "csv", "html")
PRIMARY = ("rate", "p50", "p99", "cpu", "memory", "cold-start")
STARTS = 6
"""Runs per variant by default (``--starts``): the fewest that give a 95 % interval and a verdict."""

EXAMPLES = """\
examples:
  stackdyno compare gunicorn-sync gunicorn-gthread
  stackdyno compare gunicorn-sync,workers=2 gunicorn-sync,workers=4 --set load.duration=5s
  stackdyno compare gunicorn-preload gunicorn-no-preload --primary memory
  stackdyno compare gunicorn-sync gunicorn-sync            how much runs of the same profile differ
  stackdyno compare RUN1+RUN2 RUN3+RUN4                    saved runs, by name or start of it
  stackdyno compare gunicorn-sync uwsgi --saved            all saved runs of these profiles
  stackdyno compare --resume                               continue the newest comparison
  stackdyno compare 2026-12-01_03-20-00_compare_A_B -o ab.html --format html

Each run starts its stack afresh, one stack at a time, in the order A B B A; `stackdyno history` lists them all. A
verdict needs six runs of each variant. The comparison goes to stdout, progress to stderr. SIGINT and SIGTERM stop it
and print the results so far. SIGHUP (a lost terminal) leaves it running.

exit status: 0 compared (including "can't tell"); 1 stopped, or a variant has no usable run; 2 wrong usage
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to compare, with how many runs, and how to print it."""
    parser.add_argument(
        "variants", nargs="*", metavar="VARIANT",
        help="a profile, with overrides after commas; saved runs, joined with +; or one saved comparison",
    )  # fmt: skip
    parser.add_argument("--starts", type=int, metavar="N", help=f"fresh runs per variant ({STARTS})")
    add_override(parser, "all profiles")
    parser.add_argument("--primary", choices=PRIMARY, help="quantity to judge by (rate)")
    parser.add_argument("--format", choices=FORMATS, default="text", help="format of the comparison (text)")
    add_output(parser)
    add_with_secrets(parser)
    add_allow(parser)
    add_concurrent(parser)
    parser.add_argument("--saved", action="store_true",
                        help="compare the saved runs of these profiles; run nothing")  # fmt: skip
    parser.add_argument("--resume", nargs="?", const="", metavar="NAME",
                        help="continue a comparison that was stopped or interrupted (the newest)")  # fmt: skip


def run(options: argparse.Namespace) -> int:
    """Compare and print. Returns the exit status: 0 also for "can't tell", 1 if a variant has no usable run.

    Raises:
        UserError: The arguments, the profiles or the saved runs are wrong (exit status 2).
    """
    from tui.compare.saved import variants_of_profiles, variants_of_runs
    from tui.experiment.record import find_experiment
    from tui.record.record import default_runs

    options.runs = (options.runs or default_runs()).absolute()
    check_output(options.output)
    named: Sequence[str] = options.variants
    if options.resume is not None:
        _refuse(
            options, "--resume continues a comparison as it was started", **{" ".join(named): bool(named)}
        )
        return _carry_out(options, find_experiment(options.resume or None, options.runs, "comparison"))
    if options.saved:
        _refuse(options, "saved runs are compared as they are")
        _check_number(named)
        return _print(options, variants_of_profiles(named, options.runs))
    if record := _saved_comparison(options):
        _refuse(options, "a saved comparison is printed as it is")
        return _print_experiment(options, record)
    _check_number(named)
    if _are_saved(options):
        _refuse(options, "saved runs are compared as they are")
        return _print(options, variants_of_runs(named, options.runs))
    return _carry_out(options, None)


def _check_number(named: Sequence[str]) -> None:
    if len(named) < 2:
        found = f"found only {named[0]}" if named else "found nothing"
        raise UserError(f"compare: {found}; name two or more profiles or saved runs, or one saved comparison")


def _refuse(options: argparse.Namespace, why: str, **more: bool) -> None:
    """Refuse options that only a new comparison can use."""
    given = {
        "--starts": options.starts is not None,
        "--set": bool(options.overrides),
        "--allow": bool(options.allow),
        "--concurrent": options.concurrent,
        "--saved": options.saved and options.resume is not None,
    }
    refuse(given | more, why)


def _saved_comparison(options: argparse.Namespace) -> ExperimentRecord | None:
    """The saved comparison named alone; a profile takes precedence, as its name may also end a comparison's."""
    from tui.experiment.record import find_experiment
    from tui.profile.catalogue import Catalogue

    named: Sequence[str] = options.variants
    if len(named) != 1 or _is_profile(named[0], Catalogue(extra=options.profiles)):
        return None
    try:
        return find_experiment(named[0], options.runs, "comparison")
    except UserError:
        return None


def _are_saved(options: argparse.Namespace) -> bool:
    """Whether all variants are saved runs, as opposed to none. Raises UserError for a mixture.

    A profile's name takes precedence over runs whose names end with it; anything else counts as a misspelt profile.
    """
    from tui.profile.catalogue import Catalogue

    catalogue, named = Catalogue(extra=options.profiles), options.variants
    saved = [not _is_profile(text, catalogue) and _means_saved(text, options.runs) for text in named]
    if any(saved) and not all(saved):
        run, profile = named[saved.index(True)], named[saved.index(False)]
        what = "name only profiles or only saved runs, or add --saved to compare the saved runs of profiles"
        raise UserError(f"{run} is a saved run and {profile} is a profile; {what}")
    return all(saved)


def _is_profile(text: str, catalogue: Catalogue) -> bool:
    from tui.experiment.variants import split_overrides

    name, overrides = split_overrides(text)
    if overrides or name.endswith(".toml"):
        return True
    with contextlib.suppress(UserError):
        return "/" not in name and bool(catalogue.path(name))
    return False


def _means_saved(text: str, runs: Path) -> bool:
    from tui.compare.saved import is_saved

    return "+" in text or text[:2] == "20" or is_saved(text, runs)


def _carry_out(options: argparse.Namespace, earlier: ExperimentRecord | None) -> int:
    """Start or continue an experiment, follow it, and print its comparison."""
    from tui.commands.experiments import carry_out
    from tui.experiment.launch import launch_experiment, require_experiment_trust, resume_experiment
    from tui.experiment.process import is_running
    from tui.experiment.progress import read_progress

    experiment = _experiment(options) if earlier is None else read_progress(earlier).experiment
    if earlier is None or not is_running(earlier):
        trusting(lambda: require_experiment_trust(experiment, trust=options.trust))

    def begin() -> ExperimentRecord:
        if earlier is None:
            return launch_experiment(experiment, options.runs)
        return earlier if is_running(earlier) else resume_experiment(earlier)

    return carry_out(
        begin,
        lambda record: _print_experiment(options, record),
        lost="fewer than two variants can be compared",
        again=lambda record: f"continue with: stackdyno compare --resume {record.name}",
    )


def _experiment(options: argparse.Namespace) -> Experiment:
    from tui.experiment.plan import Experiment
    from tui.experiment.variants import parse_variants

    variants = parse_variants(options.variants, options.overrides)
    return Experiment(
        kind="comparison",
        title=" against ".join(variant.label for variant in variants),
        variants=variants,
        runs_each=STARTS if options.starts is None else options.starts,
        primary=options.primary or "rate",
        profiles=options.profiles.absolute() if options.profiles else None,
        allow=tuple(options.allow),
        concurrent=options.concurrent,
    )


def _print_experiment(options: argparse.Namespace, record: ExperimentRecord) -> int:
    from tui.experiment.progress import read_progress, variant_runs

    progress = read_progress(record)
    if progress.damage:
        complain(f"{record.name}: {progress.damage}; a run of which they told is missing from the comparison")
    for index, variant in enumerate(progress.experiment.variants):
        if not progress.records_of(index):
            failed = [each.ended for each in progress.failed if each.run.variant == index]
            complain(_unusable(variant.label, failed[0].reason if failed else None))
    return _print(options, variant_runs(record), progress.experiment.primary)


def _unusable(label: str, why: str | None) -> str:
    return f"{label}: no usable run" + (f": {why}" if why else "")


def _print(options: argparse.Namespace, found: Sequence[VariantRuns], primary: str = "rate") -> int:
    """Compare the variants that have runs, and print or write the result; 1 if a variant has no usable run."""
    from tui.compare.comparison import compare
    from tui.compare.formats import render
    from tui.compare.reading import read_all_evidence, read_variants, secrets_of
    from tui.formats.progress import ProgressLine

    usable = [each for each in found if each.records]
    if len(usable) < 2:
        return 1
    line = ProgressLine()
    line.show(lambda width: "reading the runs"[:width])
    variants = read_variants(usable)
    comparison = compare(variants, options.primary or cast("QuantityName", primary))
    secrets = None if options.with_secrets else secrets_of(variants)
    charts = options.format == "html"  # no other format has charts, and reading all events takes seconds
    text = render(comparison, read_all_evidence(usable) if charts else (), options.format, secrets)
    line.clear()
    deliver(text, options.output)
    primary_cells = zip(comparison.variants, comparison.rows[0].cells, strict=True)
    lacking = [
        _unusable(variant.label, cell.reason) for variant, cell in primary_cells if cell.median is None
    ]
    for each in lacking:
        complain(each)
    return 1 if lacking or len(usable) < len(found) else 0
