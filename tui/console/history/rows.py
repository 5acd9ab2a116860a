"""The rows of the history, before drawing: what the filter keeps, and how the marked ones are compared."""

from __future__ import annotations

from collections.abc import Sequence

from tui.console.words import counted
from tui.experiment.rows import ExperimentRow
from tui.record.record import VariantRuns
from tui.summary.history import RunRow
from tui.summary.secrets import masked_setting
from tui.system.errors import UserError

HistoryRow = RunRow | ExperimentRow
"""A row of the list."""


def matches(row: HistoryRow, wanted: str) -> bool:
    """Whether the stack, profile and title contain every word of ``wanted``."""
    text = row.subject.casefold()
    return all(word in text for word in wanted.casefold().split())


def named(rows: Sequence[HistoryRow]) -> str:
    """Names one row, counts several: "3 runs", "2 runs and 1 experiment"."""
    if len(rows) == 1:
        return rows[0].record.name
    runs = sum(isinstance(row, RunRow) for row in rows)
    parts = [counted(runs, "run")] * bool(runs)
    parts += [counted(len(rows) - runs, "experiment")] * bool(len(rows) - runs)
    return " and ".join(parts)


def deletion_question(rows: Sequence[HistoryRow]) -> str:
    """Names one, counts several."""
    if all(isinstance(row, ExperimentRow) for row in rows):
        return f"Delete {named(rows)}? {'Its' if len(rows) == 1 else 'Their'} runs stay."
    return f"Delete {named(rows)}, with all events, logs and files? This can't be undone."


COMPARABLE = ("good", "invalid", "stopped")
"""Verdicts of runs with figures; the comparison decides which of them count."""


def variants_of_rows(rows: Sequence[HistoryRow]) -> tuple[VariantRuns, ...]:
    """One variant per profile and settings; the one with the oldest run comes first.

    If all runs have the same profile and settings, each one is a variant: this shows how much identical runs differ.

    Raises:
        UserError: There are fewer than two runs, or one can't be compared.
    """
    runs = [row for row in rows if isinstance(row, RunRow)]
    if len(runs) < len(rows):
        raise UserError("only runs can be compared; enter opens a comparison")
    if len(runs) < 2:
        raise UserError("mark at least two runs with space, then press c")
    for row in runs:
        if row.verdict not in COMPARABLE:
            raise UserError(f"{row.record.name}: {row.verdict}, so there is nothing to compare")
    runs.sort(key=lambda row: row.record.name)
    groups: dict[tuple[str, tuple[tuple[str, str], ...]], list[RunRow]] = {}
    for row in runs:
        groups.setdefault((row.profile, row.settings), []).append(row)
    if len(groups) == 1:
        return tuple(VariantRuns(row.record.name, (row.record,)) for row in runs)
    variants = list(groups.values())
    return tuple(
        VariantRuns(_label(variant[0], variants), tuple(row.record for row in variant))
        for variant in variants
    )


def _label(row: RunRow, variants: Sequence[Sequence[RunRow]]) -> str:
    """The profile's name, with the settings that differ between its variants: "shop, workers=4"."""
    others = [set(variant[0].settings) for variant in variants if variant[0].profile == row.profile]
    differing = others[0].union(*others) - others[0].intersection(*others)
    keys = [masked_setting(f"{key}={value}") for key, value in row.settings if (key, value) in differing]
    return ", ".join([row.profile, *keys])
