"""``stackdyno attach``: the console on a run or a comparison, running or finished."""

from __future__ import annotations

import argparse

from tui.commands.console import need_terminal


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What it shows."""
    parser.add_argument(
        "run",
        metavar="RUN",
        nargs="?",
        help="a run's or comparison's name, the beginning of it, or a folder (newest)",
    )


def run(options: argparse.Namespace) -> int:
    """Open the console on it."""
    from tui.console.shown import find_shown, printing_command
    from tui.record.record import default_runs

    record = find_shown(options.run, options.runs or default_runs())
    need_terminal(printing_command(record))
    from tui.console.app import run_console

    return run_console(profiles=options.profiles, runs=options.runs, attach=record)
