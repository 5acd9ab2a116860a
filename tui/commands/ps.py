"""``stackdyno ps``: what runs on this machine, and what was left behind."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from tui.commands.output import say, show, show_line

if TYPE_CHECKING:
    from pathlib import Path

    from tui.record.running import LeftBehind, Running, Seen

EXAMPLES = """\
examples:
  stackdyno ps
  stackdyno ps --format json

It lists your runs and experiments that are running, whatever folder they are kept in, and what was left behind by runs
whose processes were killed; `stackdyno clean` ends and removes that.
"""
SCHEMA = "stackdyno/processes"
SCHEMA_VERSION = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """How to print it."""
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="format of the list (text)"
    )


def run(options: argparse.Namespace) -> int:
    """Print what is running and what was left."""
    from tui.record.lock import holder
    from tui.record.record import default_runs
    from tui.record.running import gone_runtimes, look, unlisted_records

    seen = look()
    folders, records = gone_runtimes(), unlisted_records(options.runs or default_runs())
    by = holder()
    if options.format == "json":
        listed: dict[str, Any] = {
            "schema": SCHEMA,
            "schema_version": SCHEMA_VERSION,
            "running": [_as_json(each) for each in seen.running],
            "machine_held_by": None if by is None else str(by),
            "left_behind": [_left_as_json(each) for each in seen.left],
            "runtime_folders": list(map(str, folders)),
            "records_without_events": list(map(str, records)),
        }
        show(json.dumps(listed, indent=2))
        return 0
    if seen.running:
        show(_table(seen))
    elif by is not None:
        say(f"nothing of yours is running; {by} holds the machine")
    else:
        say("nothing is running; start a run with `stackdyno run PROFILE`")
    lines = _lines(seen, folders, records)
    for line in lines:
        show_line(line)
    if lines:
        say("`stackdyno clean` ends and removes what was left behind")
    return 0


def _table(seen: Seen) -> str:
    from tui.formats.text import table

    lines = [["RUNNING", "STATE", "FOR", "PID", "FOLDER"]]
    for each in seen.running:
        lines.append([each.name, _state(each), _age(each), str(each.identity.pid), str(each.folder.parent)])
    return table(lines, left=(0, 1, 4), indent="")


def _age(each: Running) -> str:
    """ "41 s", "12 min", "3 h 5 min"."""
    minutes = int(each.seconds // 60)
    if minutes < 2:
        return f"{each.seconds:.0f} s"
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"


def _state(each: Running) -> str:
    what = "experiment" if each.kind == "experiment" else "run"
    if each.experiment is not None:
        what = f"run of {each.experiment.name}"
    return f"{what}, stopped by a signal" if each.state in "Tt" else what


def _lines(seen: Seen, folders: list[Path], records: list[Path]) -> list[str]:
    lines = []
    for left in seen.left:
        lines.append(f"left behind by {left}:")
        lines += [f"  pid {each.identity.pid}  {each.command[:100]}" for each in left.processes]
    lines += [f"left behind: {folder}, the runtime folder of a run that is gone" for folder in folders]
    lines += [f"left behind: {record}, a record without a first event" for record in records]
    return lines


def _as_json(each: Running) -> dict[str, Any]:
    return {
        "kind": each.kind,
        "name": each.name,
        "folder": str(each.folder),
        "pid": each.identity.pid,
        "start": each.identity.start,
        "state": each.state,
        "seconds": round(each.seconds, 1),
        "experiment": None if each.experiment is None else str(each.experiment),
    }


def _left_as_json(left: LeftBehind) -> dict[str, Any]:
    from tui.record.running import clock

    return {
        "run": left.run,
        "folder": None if left.folder is None else str(left.folder),
        "ended": None if left.ended is None else clock(left.ended),
        "processes": [
            {"pid": each.identity.pid, "start": each.identity.start, "command": each.command}
            for each in left.processes
        ],
    }
