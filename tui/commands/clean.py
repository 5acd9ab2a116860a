"""``stackdyno clean``: ends and removes what was left behind."""

from __future__ import annotations

import argparse

from tui.commands.output import complain, say, show_line

EXAMPLES = """\
examples:
  stackdyno clean         end and remove everything that was left behind
  stackdyno clean --list  only say what that is

It ends the processes of runs whose runner and supervisor were killed (SIGTERM, then SIGKILL), and removes their runtime
folders, records without a first event, and files that match the leftovers of their stacks and appeared with them. It
leaves alone whatever belongs to a living run or to another user.

exit status: 0 nothing is left, 1 something could not be ended or removed
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to do."""
    parser.add_argument("--list", action="store_true", help="end and remove nothing, only list it")


def run(options: argparse.Namespace) -> int:
    """End and remove it, a line for each."""
    from tui.record.cleaning import clean, left_files
    from tui.record.record import default_runs
    from tui.record.running import gone_runtimes, look, unlisted_records

    runs = options.runs or default_runs()
    if options.list:
        found = [f"pid {each.identity.pid} of {left}: {each.command[:100]}"
                 for left in look().left for each in left.processes]  # fmt: skip
        runtimes = gone_runtimes()
        found += [path for runtime in runtimes for path in left_files(runtime).certain]
        found += map(str, (*runtimes, *unlisted_records(runs)))
        for line in found:
            show_line(line)
        if not found:
            say("nothing was left behind")
        return 0
    done = clean(runs)
    for left in done.ended:
        for each in left.processes:
            if each.identity not in done.alive:
                how = "killed" if each.identity in done.killed else "ended"
                show_line(f"{how} pid {each.identity.pid} of {left}: {each.command[:100]}")
    for folder in done.removed:
        show_line(f"removed {folder}")
    for identity in sorted(done.alive):
        complain(f"pid {identity.pid} did not end by SIGKILL: the kernel holds it; try again later")
    for line in done.kept:
        complain(line)
    if not done.ended and not done.removed and not done.kept:
        say("nothing was left behind")
    return 1 if done.alive or done.kept else 0
