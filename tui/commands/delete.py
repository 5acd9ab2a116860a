"""``stackdyno delete``: deletes a run with everything it recorded."""

from __future__ import annotations

import argparse

from tui.commands.asking import agreed
from tui.commands.options import add_record
from tui.commands.output import say, show
from tui.system.errors import UserError

EXAMPLES = """\
examples:
  stackdyno delete 2026-12-01_03-20-00             ask, then delete the run whose name starts like this
  stackdyno delete 2026-12-01_03-20-00_shop --yes  delete it without asking, in a script
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to delete."""
    add_record(parser, or_newest=False)
    parser.add_argument("--yes", action="store_true", help="don't ask; needs the full name")


def run(options: argparse.Namespace) -> int:
    """Delete a run after asking on the terminal, or at once with ``--yes``.

    Raises:
        UserError: There is no such run, it is running, there is no terminal, or ``--yes`` has only part of a name.
    """
    from tui.record.deletion import delete_record
    from tui.record.record import default_runs, find_record

    runs = options.runs or default_runs()
    record = find_record(options.run, runs)
    if options.yes:
        if options.run.rstrip("/") not in (record.name, str(record.folder)):
            raise UserError(f"{options.run}: --yes needs the full name; the newest match is {record.name}")
    elif not agreed(
        f"Delete {record.name} and everything in it?",
        otherwise=UserError("deleting a run needs your consent; without a terminal, add --yes"),
    ):
        say(f"kept {record.name}")
        return 1
    delete_record(record, runs)
    show(f"deleted {record.name}")
    return 0
