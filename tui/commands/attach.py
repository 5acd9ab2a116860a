"""``stackdyno attach``: the console on a run, a comparison or a suite."""

from __future__ import annotations

import argparse

from tui.commands.console import need_terminal
from tui.commands.options import add_record

EXAMPLES = """\
examples:
  stackdyno attach                                 what is running, or else the newest run
  stackdyno attach gunicorn-sync                   the newest run of a profile
  stackdyno attach 2026-12-01_03-20-00_compare_A_B
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to open."""
    add_record(parser)


def run(options: argparse.Namespace) -> int:
    """Open the console.

    Raises:
        UserError: There is no such run, or no terminal.
    """
    from tui.console.shown import find_shown, printing_command
    from tui.record.record import default_runs

    record = find_shown(options.run, options.runs or default_runs())
    need_terminal(printing_command(record))
    from tui.console.app import run_console

    return run_console(profiles=options.profiles, runs=options.runs, attach=record, trust=options.trust)
