"""Kept experiments as rows, whatever state their folder is in."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

import pytest

from tests.support import story
from tests.support.kept_runs import keep
from tui.experiment.plan import Experiment, Variant
from tui.experiment.process import claim
from tui.experiment.progress import (
    ExperimentBegan,
    ExperimentEnded,
    MachineTaken,
    ProgressEvent,
    ProgressWriter,
    VariantRunBegan,
    VariantRunEnded,
    VariantRunVerdict,
)
from tui.experiment.record import ExperimentRecord, create_experiment
from tui.experiment.rows import delete_experiment, read_experiments
from tui.system.errors import UserError

BEGAN = ExperimentBegan(wall=1.0, expected=(None, None))


def experiment(runs: Path, *events: ProgressEvent, **changes: object) -> ExperimentRecord:
    said = {
        "kind": "comparison",
        "title": "",
        "variants": (Variant(label="sync", profile="sync"), Variant(label="gthread", profile="gthread")),
        "runs_each": 2,
    }
    record = create_experiment(runs, Experiment.model_validate(said | changes))
    writer = ProgressWriter(record)
    for event in (BEGAN, *events):
        writer.write(event)
    writer.close()
    return record


def start(number: int, verdict: VariantRunVerdict = "good") -> VariantRunEnded:
    return VariantRunEnded(number=number, record=f"run-{number}", verdict=verdict, seconds=1.0)


def test_a_complete_comparison(tmp_path: Path) -> None:
    ended = ExperimentEnded(verdict="complete")
    record = experiment(tmp_path, start(1), start(2), start(3, "failed"), start(4), ended)
    (row,) = read_experiments(tmp_path)
    assert (row.record, row.title, row.verdict) == (record, "comparison of sync and gthread", "complete")
    assert row.words == "complete, 4 runs"
    assert row.sentence == "Complete: 4 of 4 runs, 1 of them without a result."
    assert row.variants == (("sync", 2, 0), ("gthread", 1, 1))
    assert row.started == datetime.strptime(record.name[:19], "%Y-%m-%d_%H-%M-%S").astimezone()


def test_one_that_ended_early_says_how_far_it_came(tmp_path: Path) -> None:
    experiment(tmp_path / "a", start(1), ExperimentEnded(verdict="stopped"))
    experiment(tmp_path / "b", start(1), ExperimentEnded(verdict="failed", reason="sync: it never answered"))
    experiment(tmp_path / "c", start(1), VariantRunBegan(number=2, record="run-2"))
    rows = [row for name in "abc" for row in read_experiments(tmp_path / name)]
    assert [row.words for row in rows] == [
        "stopped, 1 of 4 runs",
        "failed, 1 of 4 runs",
        "interrupted, 1 of 4 runs",
    ]
    assert [row.sentence for row in rows] == [
        "Stopped after 1 of 4 runs.",
        "Failed after 1 of 4 runs: sync: it never answered.",
        "Interrupted: its process ended after 1 of 4 runs.",
    ]


def test_a_running_experiment_says_what_it_does(tmp_path: Path) -> None:
    """This very process carries them out."""
    claim(experiment(tmp_path / "a", start(1), VariantRunBegan(number=2, record="run-2")))
    claim(experiment(tmp_path / "b", MachineTaken(by="the run of hello by ada, pid 7")))
    claim(experiment(tmp_path / "c", start(1)))
    rows = [row for name in "abc" for row in read_experiments(tmp_path / name)]
    assert {row.verdict for row in rows} == {"running"}
    assert [row.sentence for row in rows] == [
        "Running 2 of 4: gthread.",
        "Waiting for the run of hello by ada, pid 7.",
        "Running: 1 of 4 runs done.",
    ]


def test_titles(tmp_path: Path) -> None:
    three = tuple(Variant(label=name, profile=name) for name in "abc")
    experiment(tmp_path / "a", variants=three)
    experiment(tmp_path / "b", kind="suite", title="Articles", suite=Path("/x/articles-2009.toml"))
    assert read_experiments(tmp_path / "a")[0].title == "comparison of a, b and c"
    assert read_experiments(tmp_path / "b")[0].title == "suite articles-2009"


@pytest.mark.parametrize("damage", ["{}\n", "[]", "\x00", "pipe", "folder"])
@pytest.mark.parametrize("damaged", ["campaign.json", "progress.jsonl", "process.json"])
def test_one_damaged_experiment_does_not_break_the_list(tmp_path: Path, damaged: str, damage: str) -> None:
    experiment(tmp_path)
    record = experiment(tmp_path, start(1))
    path = record.folder / damaged
    path.unlink(missing_ok=True)
    {"pipe": os.mkfifo, "folder": os.mkdir}.get(damage, lambda path: path.write_text(damage))(path)
    rows = {row.record: row for row in read_experiments(tmp_path)}
    assert len(rows) == 2
    if damaged == "campaign.json" or (damaged == "progress.jsonl" and damage in ("pipe", "folder")):
        assert rows[record].verdict == "unreadable"
        assert rows[record].sentence.startswith("Unreadable: ") and damaged in rows[record].sentence
    elif damage == "{}\n" and damaged == "progress.jsonl":
        assert "Damaged: 1 of 1 lines of progress.jsonl can't be read" in rows[record].sentence
    else:
        assert rows[record].verdict == "interrupted"


def test_deleting_a_experiment_leaves_its_runs(tmp_path: Path) -> None:
    record = experiment(tmp_path, start(1))
    kept = keep(tmp_path / "run-1", story.run())
    with pytest.raises(UserError, match="can only delete what is kept in"):
        delete_experiment(record, tmp_path / "elsewhere")
    delete_experiment(record, tmp_path)
    assert not record.folder.exists()
    assert kept.events_path.exists()


def test_a_running_experiment_is_not_deleted(tmp_path: Path) -> None:
    record = experiment(tmp_path)
    claim(record)
    with pytest.raises(UserError, match="it is running; stop it first"):
        delete_experiment(record, tmp_path)
    assert record.folder.exists()
