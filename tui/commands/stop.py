"""``stackdyno stop``: stops a run or an experiment without a terminal, and waits until it has ended."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tui.commands.output import complain, say
from tui.system.errors import UserError

if TYPE_CHECKING:
    from tui.record.running import Running

EXAMPLES = """\
examples:
  stackdyno stop                         stop the only run or experiment that is running
  stackdyno stop 2026-12-01_03-20-00     stop the one whose name starts like this
  stackdyno stop /data/runs/2026-12-01_03-20-00_shop

A stopped run is summarised as far as it came. `stackdyno ps` lists what is running.

exit status: 0 it has ended, 1 it doesn't answer or hasn't ended in time, 2 no such run, or more than one
"""
PATIENCE = 120.0
"""Seconds for which a stop may take: a stack states how long each of its services may take."""
_PERIOD = 0.1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to stop."""
    parser.add_argument(
        "run", metavar="RUN", nargs="?",
        help="its name or the start of it, its profile's name, or its folder (the only one that is running)",
    )  # fmt: skip


def run(options: argparse.Namespace) -> int:
    """Ask it to stop, wait, and say how it ended.

    Raises:
        UserError: It isn't running, or the name fits none or several.
    """
    from tui.record.held_up import HeldUp
    from tui.record.running import look

    one = choose(look().running, options.run)
    try:
        _ask(one)
        unheard = ""
    except UserError as error:
        unheard = str(error)
    held_up = HeldUp(one.identity.pid)
    deadline = time.monotonic() + PATIENCE
    while _lives(one):
        if why := held_up.look():
            complain(
                f"{one.name}: {why}; it was asked to stop and does so once that continues"
                " (to end it at once: `kill -9` these pids, then `stackdyno clean`)"
            )
            return 1
        if time.monotonic() > deadline:
            late = unheard or f"{one.name}: it was asked to stop"
            complain(f"{late}; it is still running after {PATIENCE:.0f} s")
            return 1
        time.sleep(_PERIOD)
    say(f"{one.name}: {_how_it_ended(one)}")
    return 0


def choose(running: list[Running], name: str | None) -> Running:
    """The one that is meant: by folder, name, beginning of the name, or profile; without a name the only one.

    Raises:
        UserError: There is none, or there are several.
    """
    from tui.record.folders import fitting

    if name is None:
        folders = {each.folder for each in running}
        found = [each for each in running if each.experiment not in folders]
        if not found:
            raise UserError("nothing is running")
        if len(found) > 1:
            names = ", ".join(sorted(each.name for each in found))
            raise UserError(f"{len(found)} are running; name the one to stop: {names}")
        return found[0]
    place = Path(name).absolute()
    found = [each for each in running if place.resolve() == each.folder.resolve()] or fitting(running, name)
    if len(found) > 1:
        names = ", ".join(sorted(str(each.folder) for each in found))
        raise UserError(f"{name}: fits {len(found)} that are running; give one's folder: {names}")
    if found:
        return found[0]
    names = ", ".join(sorted(each.name for each in running))
    raise UserError(f"{name}: no such run is running; running: {names or 'none'}")


def _ask(one: Running) -> None:
    from tui.experiment import process
    from tui.experiment.record import ExperimentRecord
    from tui.record import control
    from tui.record.record import Record

    if one.kind == "run":
        control.request_stop(Record(one.folder))
    else:
        process.request_stop(ExperimentRecord(one.folder))


def _lives(one: Running) -> bool:
    from tui.system.procfs import is_alive

    return is_alive(one.identity)


def _how_it_ended(one: Running) -> str:
    """ "stopped: it was asked to stop", "failed: gunicorn ended with status 1"."""
    from tui.experiment.progress import read_progress
    from tui.experiment.record import ExperimentRecord
    from tui.record.events import RunEnded
    from tui.record.record import Record, last_event

    if one.kind == "run":
        ended = last_event(Record(one.folder))
        if not isinstance(ended, RunEnded):
            return "cut off: its runner died"
        return f"{ended.verdict}: {ended.reason}" if ended.reason else ended.verdict
    progress = read_progress(ExperimentRecord(one.folder))
    done = f"{len(progress.done)} of {progress.total} runs are done"
    if progress.ended is None:
        return f"interrupted, {done}: the experiment's process died"
    reason = f": {progress.ended.reason}" if progress.ended.reason else ""
    return f"{progress.ended.verdict}, {done}{reason}"
