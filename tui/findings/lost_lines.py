"""Findings on a damaged record: lines of it that can't be read."""

from __future__ import annotations

from collections.abc import Iterator

from tui.record.state import RunState
from tui.summary import units
from tui.summary.finding import QUANTITIES, Finding
from tui.summary.schema import FindingPart

REMEDY = "copy the record from a backup, or run it again; check the disk"


def lost(state: RunState) -> Iterator[Finding]:
    """The figures come from the lines that are left, and nobody knows what the others held."""
    if state.lost is None or state.lost_first is None:
        return
    text = state.lost
    if missing := state.missing_rounds:
        text += f"; missing: {rounds_words(missing)}"
    yield Finding(
        code="lines-lost",
        severity="invalid",
        quantities=QUANTITIES,
        text=text,
        evidence=f"{state.lost_first.where} is the first of them, after {units.duration(state.lost_first.t)}",
        remedy=REMEDY,
    )


def beside_a_summary(lost: str) -> FindingPart:
    """The record is damaged, but its summary was made before that, and is whole."""
    return FindingPart(
        code="lines-lost",
        severity="warning",
        quantities=(),
        text=lost,
        evidence="the figures are those of summary.json, which is whole; charts and series lack these lines",
        remedy=REMEDY,
        allowed=False,
    )


def rounds_words(numbers: tuple[int, ...]) -> str:
    """ "round 2", "rounds 2 and 3"."""
    *first, last = map(str, numbers)
    return f"rounds {', '.join(first)} and {last}" if first else f"round {last}"
