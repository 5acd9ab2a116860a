"""``stackdyno profiles`` and ``stackdyno profiles check``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tui.commands.options import folder_options
from tui.commands.output import show

if TYPE_CHECKING:
    from tui.profile.catalogue import Catalogue, Entry

EXAMPLES = """\
examples:
  stackdyno profiles                               list them, and what this machine can run
  stackdyno profiles check                         check every profile, stack and suite
  stackdyno profiles check ./shop.toml
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """``check``, the subcommand."""
    below = parser.add_subparsers(title="commands", metavar="[check]")
    check = below.add_parser(
        "check",
        help="check files and list all their problems",
        description="Check profiles, stacks and suites, and list all their problems.",
        parents=[folder_options(argparse.SUPPRESS)],
    )
    check.add_argument("files", nargs="*", type=Path, metavar="FILE", help="files to check (all of them)")
    check.set_defaults(command=run_check)


def run(options: argparse.Namespace) -> int:
    """Print the list."""
    show(profile_table(options.profiles))
    return 0


def run_check(options: argparse.Namespace) -> int:
    """Print every problem of every file."""
    problems, checked = check_files(options.profiles, options.files)
    for problem in problems:
        show(problem)
    if not problems:
        show(f"{checked} file{'' if checked == 1 else 's'} checked: no problems")
    return 2 if problems else 0


def profile_table(profiles: Path | None) -> str:
    """All profiles: name, title, stack, workers, CPUs, and whether this machine can run them."""
    from tui.formats.text import table
    from tui.profile.catalogue import Catalogue

    catalogue = Catalogue(extra=profiles)
    rows = [["NAME", "TITLE", "STACK", "WORKERS", "CPUS", "HERE"]]
    for entry in catalogue.entries():
        workers = "" if entry.workers is None else str(entry.workers)
        rows.append([entry.name, entry.title, entry.stack, workers, entry.cpus, _here(catalogue, entry)])
    return table(rows, left=(0, 1, 2, 4, 5), indent="")


def _here(catalogue: Catalogue, entry: Entry) -> str:
    if entry.problems:
        more = f" (and {len(entry.problems) - 1} more)" if len(entry.problems) > 1 else ""
        return f"broken: {entry.problems[0]}{more}"
    from tui.plan.planning import requirements_missing

    missing = requirements_missing(catalogue.load(entry.name), catalogue)
    return "; ".join(missing) or "ready"


def check_files(profiles: Path | None, files: Sequence[Path]) -> tuple[list[str], int]:
    """Every problem of every file, one per line, and the number of files read: all known ones unless some are named."""
    from tui.plan.proofreading import check_files as proofread
    from tui.profile.catalogue import Catalogue
    from tui.suite.loading import check_suite, is_suite, suite_files

    catalogue = Catalogue(extra=profiles)
    chosen = list(files) or [*catalogue.files(), *suite_files(catalogue)]
    suites = [path for path in chosen if is_suite(path)]
    problems = proofread(catalogue, [path for path in chosen if path not in suites])
    for path in suites:
        problems += check_suite(path, catalogue)
    return [str(problem) for problem in problems], len(chosen)
