"""``stackdyno history``: the kept runs, newest first."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tui.commands.output import say, show

if TYPE_CHECKING:
    from tui.summary.history import RunRow

EXAMPLES = """\
examples:
  stackdyno history
  stackdyno history --stack gunicorn --profile gunicorn-sync
  stackdyno history --format json
"""
SCHEMA = "stackdyno/history"
SCHEMA_VERSION = 1
BLANK = "–"
"""Replaces the figures of a run without a round: it failed, or is still running."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which runs to list, and how."""
    parser.add_argument("--stack", metavar="NAME", help="only runs of this stack")
    parser.add_argument("--profile", metavar="NAME", help="only runs of this profile")
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="format of the list (text)"
    )


def run(options: argparse.Namespace) -> int:
    """Print the list. Raises UserError if the folder can't be read."""
    from tui.record.record import default_runs
    from tui.summary.history import read_history

    runs, stack, profile = options.runs or default_runs(), options.stack, options.profile
    kept = read_history(runs)
    rows = [
        row for row in kept if row.stack == (stack or row.stack) and row.profile == (profile or row.profile)
    ]
    if options.format == "json":
        listed = {"schema": SCHEMA, "schema_version": SCHEMA_VERSION, "runs": [_as_json(row) for row in rows]}
        show(json.dumps(listed, indent=2))
    elif rows:
        show(history_table(rows))
    elif kept:
        wanted = " ".join(filter(None, (stack and f"stack {stack}", profile and f"profile {profile}")))
        say(f"no run of {wanted} among the {len(kept)} in {runs}")
    else:
        say(f"no runs yet in {runs}; start one with `stackdyno run PROFILE`")
    return 0


def history_table(rows: Sequence[RunRow]) -> str:
    """One line per run: its name, as the other commands accept it, its figures and its verdict."""
    from tui.formats.text import table
    from tui.summary import units

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
    """A figure, marked if it is invalid."""
    from tui.formats.text import MARKS
    from tui.summary import units

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
