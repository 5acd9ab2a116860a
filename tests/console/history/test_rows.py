"""Marked runs become the variants of a comparison."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import story
from tests.support.kept_runs import ended, keep, named
from tui.console.history.rows import variants_of_rows
from tui.record.events import Event, RunStarted
from tui.summary.history import RunRow, read_history
from tui.system.errors import UserError


def configured(name: str, **settings: object) -> list[Event]:
    """A run of a profile with these settings."""
    events = named(story.run(), name, name.title())
    first, *rest = events
    assert isinstance(first, RunStarted)
    profile = {"title": name.title(), "stack": "gunicorn", **settings}
    return [first.model_copy(update={"profile": profile}), *rest]


def rows(folder: Path, *runs: list[Event]) -> tuple[RunRow, ...]:
    for i, events in enumerate(runs):
        keep(folder / f"run-{i}", events)
    return read_history(folder)


def said(rows: tuple[RunRow, ...]) -> list[tuple[str, list[str]]]:
    return [(label, [record.name for record in records]) for label, records in variants_of_rows(rows)]


def test_a_variant_for_each_profile_the_oldest_first(tmp_path: Path) -> None:
    kept = rows(tmp_path, configured("b"), configured("a"), configured("a"), configured("b"))
    assert said(kept) == [("b", ["run-0", "run-3"]), ("a", ["run-1", "run-2"])]


def test_one_profile_set_otherwise_is_another_variant_that_says_how(tmp_path: Path) -> None:
    kept = rows(
        tmp_path,
        configured("a", workers=2, load={"connections": 16, "path": "/"}),
        configured("a", workers=4, load={"connections": 16, "path": "/"}),
        configured("a", workers=4, load={"connections": 32, "path": "/"}),
        configured("b", workers=4),
    )
    assert [label for label, _ in said(kept)] == [
        "a, load.connections=16, workers=2",
        "a, load.connections=16, workers=4",
        "a, load.connections=32, workers=4",
        "b",
    ]


def test_runs_of_the_same_are_compared_with_each_other(tmp_path: Path) -> None:
    assert said(rows(tmp_path, configured("a"), configured("a"))) == [
        ("run-0", ["run-0"]),
        ("run-1", ["run-1"]),
    ]


def test_fewer_than_two_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="mark at least two runs with space, then press c"):
        variants_of_rows(rows(tmp_path, configured("a")))


def test_runs_without_figures_are_refused_by_name(tmp_path: Path) -> None:
    kept = rows(tmp_path, configured("a"), ended("failed", "no"))
    with pytest.raises(UserError, match="run-1: failed, so there is nothing to compare"):
        variants_of_rows(kept)
