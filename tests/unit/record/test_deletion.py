"""Deleting a run removes that run and nothing else."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from tests.support import story
from tests.support.failing_disk import refuse_writes
from tests.support.kept_runs import keep
from tui.record.deletion import delete_record
from tui.record.record import EventWriter, Record, create_record
from tui.record.second_place import find_place
from tui.system.errors import UserError


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return tmp_path / "runs"


def test_the_folder_goes_with_all_that_is_in_it_and_others_stay(runs: Path) -> None:
    record, other = keep(runs / "a", story.run()), keep(runs / "b", story.run())
    (record.folder / "logs").mkdir()
    (record.folder / "logs" / "app.log").write_text("x")
    delete_record(record, runs)
    assert not record.folder.exists()
    assert other.events_path.exists()


def test_the_second_place_goes_too_and_that_of_another_run_stays(
    tmp_path: Path, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    kept = [create_record(runs, name) for name in ("a", "b")]
    for record in kept:
        writer = EventWriter(record)
        writer.write(story.run()[0])
        with monkeypatch.context() as full:
            refuse_writes(full, record.folder, errno.ENOSPC)
            writer.write(story.run()[1])
        writer.close()
    gone, stays = (find_place(record.folder) for record in kept)
    assert gone is not None and stays is not None
    delete_record(kept[0], runs)
    assert not kept[0].folder.exists() and not gone.exists()
    assert stays.is_dir() and kept[1].folder.is_dir()


def test_links_in_a_record_are_removed_and_not_followed(runs: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("x")
    record = keep(runs / "a", story.run())
    (record.folder / "link").symlink_to(precious)
    delete_record(record, runs)
    assert (precious / "file").read_text() == "x"


def test_a_running_run_is_refused(runs: Path) -> None:
    record = keep(runs / "a", story.run(ended=False), summary=False, alive=True)
    with pytest.raises(UserError, match="a: it is running; stop it first"):
        delete_record(record, runs)
    assert record.events_path.exists()


def test_a_link_to_a_record_is_refused(runs: Path, tmp_path: Path) -> None:
    elsewhere = keep(tmp_path / "elsewhere", story.run())
    runs.mkdir()
    (runs / "a").symlink_to(elsewhere.folder)
    with pytest.raises(UserError, match="can only delete what is kept in"):
        delete_record(Record(runs / "a"), runs)
    assert elsewhere.events_path.exists()


@pytest.mark.parametrize("name", ["..", "../elsewhere", "deep/run", "."])
def test_a_folder_that_is_not_right_below_the_runs_is_refused(runs: Path, tmp_path: Path, name: str) -> None:
    keep(tmp_path / "elsewhere", story.run())
    keep(runs / "deep" / "run", story.run())
    for folder in (tmp_path, runs):
        (folder / "events.jsonl").write_text("")
    with pytest.raises(UserError, match="can only delete what is kept in"):
        delete_record(Record(runs / name), runs)
    assert (tmp_path / "elsewhere" / "events.jsonl").exists()
    assert (runs / "deep" / "run" / "events.jsonl").exists()


def test_a_folder_without_events_is_no_run(runs: Path, tmp_path: Path) -> None:
    (runs / "a").mkdir(parents=True)
    (runs / "a" / "thesis.txt").write_text("x")
    with pytest.raises(UserError, match=r"no events\.jsonl"):
        delete_record(Record(runs / "a"), runs)
    (tmp_path / "real.jsonl").write_text("")
    (runs / "a" / "events.jsonl").symlink_to(tmp_path / "real.jsonl")
    with pytest.raises(UserError, match=r"no events\.jsonl"):
        delete_record(Record(runs / "a"), runs)
    assert (runs / "a" / "thesis.txt").exists()


def test_runs_kept_behind_a_link_can_be_deleted(runs: Path, tmp_path: Path) -> None:
    """A person may keep all runs on another disk."""
    record = keep(tmp_path / "disk" / "a", story.run())
    runs.symlink_to(tmp_path / "disk")
    delete_record(Record(runs / "a"), runs)
    assert not record.folder.exists()
