"""``stackdyno history`` and ``stackdyno delete``: the kept runs without the console."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tui.formats.text import MARKS, table
from tui.record.deletion import delete_record
from tui.record.record import default_runs, find_record
from tui.summary import units
from tui.summary.history import RunRow, read_history
from tui.system.errors import UserError

SCHEMA = "stackdyno/history"
SCHEMA_VERSION = 1
BLANK = "–"
"""What a run without a round has no figure of: it failed, or goes on."""


def print_history(runs: Path | None, *, stack: str | None, profile: str | None, form: str) -> int:
    """Print the runs, newest first, as "text" or "json"; the exit status.

    ``runs`` is the user's state folder by default; ``stack`` and ``profile`` leave out the runs of others. Raises
    UserError when the folder can't be read.
    """
    runs = runs or default_runs()
    kept = read_history(runs)
    rows = [
        row for row in kept if row.stack == (stack or row.stack) and row.profile == (profile or row.profile)
    ]
    if form == "json":
        told = {"schema": SCHEMA, "schema_version": SCHEMA_VERSION, "runs": [_as_json(row) for row in rows]}
        print(json.dumps(told, indent=2))
    elif rows:
        print(history_table(rows))
    elif kept:
        wanted = " ".join(filter(None, (stack and f"stack {stack}", profile and f"profile {profile}")))
        print(f"no run of {wanted} among the {len(kept)} in {runs}", file=sys.stderr)
    else:
        print(f"no runs yet in {runs}; start one with `stackdyno run PROFILE`", file=sys.stderr)
    return 0


def history_table(rows: Sequence[RunRow]) -> str:
    """A line for each run: what the other commands call it, its figures, its verdict."""
    lines = [["RUN", "REQ/S", "P99", "MEMORY", "VERDICT", "STACK"]]
    for row in rows:
        figures = [
            _figure(row, "rate", row.rate, units.rate(row.rate)),
            _figure(row, "latency", row.p99, units.duration(row.p99)),
            _figure(row, "memory", row.memory, units.size(row.memory)),
        ]
        lines.append([row.record.name, *figures, row.words, row.stack])
    return table(lines, left=(0, 4, 5), indent="")


def _figure(row: RunRow, quantity: str, value: float | None, text: str) -> str:
    """A figure, with the sign of an invalid one where it must not be used."""
    if value is None:
        return units.UNKNOWN if row.rounds else BLANK
    return f"{MARKS['invalid']} {text}" if quantity in row.invalid else text


def _as_json(row: RunRow) -> dict[str, Any]:
    return {
        "run": row.record.name,
        "folder": str(row.record.folder),
        "started": row.started.isoformat(timespec="seconds") if row.started else None,
        "profile_name": row.profile,
        "title": row.title,
        "stack": row.stack,
        "workers": row.workers,
        "verdict": row.verdict,
        "invalid": row.invalid,
        "sentence": row.sentence,
        "findings": [each.model_dump() for each in row.findings],
        "requests_per_second": row.rate,
        "p50": row.p50,
        "p99": row.p99,
        "memory": row.memory,
        "rounds": row.rounds,
        "elapsed": row.elapsed,
    }


def delete_run(name: str, runs: Path | None, *, yes: bool) -> int:
    """Remove a run after asking on the terminal, or at once with ``yes``; the exit status.

    Raises:
        UserError: There is no such run, it goes on, nobody could be asked, or ``yes`` comes with part of a name.
    """
    runs = runs or default_runs()
    record = find_record(name, runs)
    if yes:
        if name.rstrip("/") not in (record.name, str(record.folder)):
            raise UserError(f"{name}: --yes needs the whole name; the newest that fits is {record.name}")
    elif not _agreed(f"Delete {record.name} and all that is in it?"):
        print(f"{record.name} is kept", file=sys.stderr)
        return 1
    delete_record(record, runs)
    print(f"deleted {record.name}")
    return 0


def _agreed(question: str) -> bool:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UserError("a run is deleted only after a yes; add --yes where no terminal can be asked")
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
