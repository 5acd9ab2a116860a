"""The rows of the history, before they are drawn: which the filter keeps, and what the marked ones compare as."""

from __future__ import annotations

from collections.abc import Sequence

from tui.compare.saved import VariantRuns
from tui.console.words import counted
from tui.experiment.rows import ExperimentRow
from tui.summary.history import RunRow
from tui.system.errors import UserError

HistoryRow = RunRow | ExperimentRow
"""What the list has rows of."""


def matches(row: HistoryRow, wanted: str) -> bool:
    """Whether stack, profile and title have every word of ``wanted``, or its beginning, in them."""
    text = row.subject.casefold()
    return all(word in text for word in wanted.casefold().split())


def named(rows: Sequence[HistoryRow]) -> str:
    """One by its name, several by their number: "3 runs", "2 runs and 1 experiment"."""
    if len(rows) == 1:
        return rows[0].record.name
    runs = sum(isinstance(row, RunRow) for row in rows)
    parts = [counted(runs, "run")] * bool(runs)
    parts += [counted(len(rows) - runs, "experiment")] * bool(len(rows) - runs)
    return " and ".join(parts)


COMPARABLE = ("good", "invalid", "stopped")
"""Verdicts of runs that have figures; which of them count is the comparison's to say."""


def sides_of_rows(rows: Sequence[HistoryRow]) -> tuple[VariantRuns, ...]:
    """A side for each profile and what was set of it, the one with the oldest run first.

    Runs that are all of one profile with the same settings are a side each: how much do they differ by themselves?

    Raises:
        UserError: There are fewer than two, or one of them can't be compared.
    """
    runs = [row for row in rows if isinstance(row, RunRow)]
    if len(runs) < len(rows):
        raise UserError("a comparison is opened with enter; only runs can be marked for a new one")
    if len(runs) < 2:
        raise UserError("mark at least two runs with space; c compares them then")
    for row in runs:
        if row.verdict not in COMPARABLE:
            raise UserError(f"{row.record.name}: {row.verdict}, so there is nothing to compare")
    runs.sort(key=lambda row: row.record.name)
    groups: dict[tuple[str, tuple[tuple[str, str], ...]], list[RunRow]] = {}
    for row in runs:
        groups.setdefault((row.profile, row.settings), []).append(row)
    if len(groups) == 1:
        return tuple((row.record.name, (row.record,)) for row in runs)
    sides = list(groups.values())
    return tuple((_label(side[0], sides), tuple(row.record for row in side)) for side in sides)


def _label(row: RunRow, sides: Sequence[Sequence[RunRow]]) -> str:
    """The profile's name, with what is set otherwise than in other sides of it: "shop, workers=4"."""
    others = [set(side[0].settings) for side in sides if side[0].profile == row.profile]
    differing = others[0].union(*others) - others[0].intersection(*others)
    keys = [f"{key}={value}" for key, value in row.settings if (key, value) in differing]
    return ", ".join([row.profile, *keys])
