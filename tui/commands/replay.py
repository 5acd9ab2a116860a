"""``stackdyno replay``: the console's screen of a run that is over, played again."""

from __future__ import annotations

import argparse

from tui.commands.console import need_terminal
from tui.commands.options import add_record

EXAMPLES = """\
examples:
  stackdyno replay                                 the newest run
  stackdyno replay gunicorn-sync                   the newest run of a profile

keys: space plays and pauses, left and right move 5 s, [ and ] a phase, n and N to a finding,
      + and - change the speed (1 to 64 times), t asks for a time, ? explains everything, q quits
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to replay."""
    add_record(parser)


def run(options: argparse.Namespace) -> int:
    """Open the replay.

    Raises:
        UserError: There is no such run, it is still running or damaged, or there is no terminal.
    """
    from tui.console.shown import find_replayed
    from tui.record.record import default_runs

    record = find_replayed(options.run, options.runs or default_runs())
    need_terminal(f"stackdyno export {record.name}")
    from tui.console.app import run_console
    from tui.console.replay.recording import read_recording

    return run_console(profiles=options.profiles, runs=options.runs, replay=read_recording(record))
