"""``stackdyno delete``: a run and everything that was recorded of it."""

from __future__ import annotations

import argparse
import sys

from tui.commands.asking import agreed
from tui.system.errors import UserError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which run."""
    parser.add_argument("run", metavar="RUN", help="a run's name, the beginning of it, or a folder")
    parser.add_argument("--yes", action="store_true", help="don't ask; needs the whole name")


def run(options: argparse.Namespace) -> int:
    """Delete a run after asking on the terminal, or at once with ``--yes``.

    Raises:
        UserError: There is no such run, it is running, nobody could be asked, or ``--yes`` comes with part of a name.
    """
    from tui.record.deletion import delete_record
    from tui.record.record import default_runs, find_record

    runs = options.runs or default_runs()
    record = find_record(options.run, runs)
    if options.yes:
        if options.run.rstrip("/") not in (record.name, str(record.folder)):
            raise UserError(
                f"{options.run}: --yes needs the whole name; the newest that fits is {record.name}"
            )
    elif not agreed(
        f"Delete {record.name} and all that is in it?",
        otherwise=UserError(
            "a run is only deleted after you agree; add --yes where no terminal can be asked"
        ),
    ):
        print(f"{record.name} is kept", file=sys.stderr)
        return 1
    delete_record(record, runs)
    print(f"deleted {record.name}")
    return 0
