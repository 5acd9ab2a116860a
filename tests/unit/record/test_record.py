"""Records: written line by line, followed while they grow, read when they were cut off."""

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path

import pytest

from tests.support.failing_disk import refuse_writes
from tui.record.events import Machine, Notice, RunStarted
from tui.record.record import (
    EventWriter,
    Follower,
    create_record,
    find_record,
    last_event,
    list_records,
    read_state,
)
from tui.system.errors import UserError

STARTED = RunStarted(
    t=0.0,
    stackdyno="0.1.0",
    run="abc",
    wall=1.0,
    profile_name="hello",
    profile_title="Hello",
    profile={},
    machine=Machine(
        hostname="box", kernel="6.1", architecture="x86_64", usable_cpus=(0,), cores=1, memory_total=1
    ),
)


def notice(number: int) -> Notice:
    return Notice(t=float(number), code="n", text=f"number {number}")


def test_events_come_back_as_they_were_written(tmp_path: Path) -> None:
    record = create_record(tmp_path, "hello")
    writer = EventWriter(record)
    follower = Follower(record)
    writer.write(STARTED)
    assert follower.poll() == [STARTED]
    assert follower.poll() == []
    writer.write(notice(1))
    writer.write(notice(2))
    assert follower.poll() == [notice(1), notice(2)]


def test_half_a_line_is_not_an_event_until_the_rest_has_come(tmp_path: Path) -> None:
    record = create_record(tmp_path, "hello")
    line = notice(1).model_dump_json().encode() + b"\n"
    follower = Follower(record)
    with record.events_path.open("ab", buffering=0) as file:
        file.write(line[:20])
        assert follower.poll() == []
        file.write(line[20:])
        assert follower.poll() == [notice(1)]


def test_a_record_that_was_cut_off_opens(tmp_path: Path) -> None:
    record = create_record(tmp_path, "hello")
    writer = EventWriter(record)
    writer.write(STARTED)
    writer.write(notice(1))
    with record.events_path.open("ab") as file:
        file.write(b'{"type":"noti')
    state = read_state(record)
    assert state.started == STARTED
    assert [each.text for each in state.notices] == ["number 1"]
    assert state.ended is None


def test_a_damaged_line_is_skipped_and_counted(tmp_path: Path) -> None:
    record = create_record(tmp_path, "hello")
    lines = [
        STARTED.model_dump_json(),
        notice(3).model_dump_json(),
        "what is this",
        notice(4).model_dump_json(),
    ]
    record.events_path.write_text("\n".join(lines) + "\n")
    state = read_state(record)
    assert [each.text for each in state.notices] == ["number 3", "number 4"]
    assert state.lost == "1 of 4 lines of events.jsonl can't be read"
    assert state.lost_first is not None
    assert (state.lost_first.t, state.lost_first.where) == (3.0, "line 3 of events.jsonl")


@pytest.mark.parametrize("t", ["NaN", "Infinity", "-1", "1e300", "315576000000000"])
def test_an_impossible_time_is_a_damaged_line(tmp_path: Path, t: str) -> None:
    record = create_record(tmp_path, "hello")
    line = notice(3).model_dump_json().replace("3.0", t, 1)
    assert t in line
    record.events_path.write_text(f"{STARTED.model_dump_json()}\n{line}\n")
    state = read_state(record)
    assert (state.lost_lines, state.notices, state.now) == (1, [], 0.0)


def test_a_record_that_does_not_say_what_was_run_is_one_clear_line(tmp_path: Path) -> None:
    record = create_record(tmp_path, "hello")
    record.events_path.write_text(f"what is this\n{notice(1).model_dump_json()}\n")
    with pytest.raises(
        UserError, match=r"1 of 2 lines of events\.jsonl can't be read, and the one that says"
    ):
        read_state(record)


def test_a_newer_schema_is_named(tmp_path: Path) -> None:
    record = create_record(tmp_path, "hello")
    told = json.loads(STARTED.model_dump_json()) | {"schema_version": 99, "new": 1}
    record.events_path.write_text(json.dumps(told) + "\n")
    with pytest.raises(UserError, match="written with event schema 99, this stackdyno reads 1"):
        read_state(record)


def test_a_record_is_private(tmp_path: Path) -> None:
    record = create_record(tmp_path / "runs", "hello")
    EventWriter(record).close()
    assert record.folder.stat().st_mode & 0o777 == 0o700
    assert record.events_path.stat().st_mode & 0o777 == 0o600


def test_records_are_found_by_name_beginning_and_profile(tmp_path: Path) -> None:
    for name in ("2026-01-01_10-00-00_a", "2026-01-02_10-00-00_b", "2026-01-03_10-00-00_a"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "events.jsonl").touch()
    assert [record.name[:10] for record in list_records(tmp_path)] == [
        "2026-01-03",
        "2026-01-02",
        "2026-01-01",
    ]
    assert find_record(None, tmp_path).name == "2026-01-03_10-00-00_a"
    assert find_record("2026-01-02", tmp_path).name == "2026-01-02_10-00-00_b"
    assert find_record("b", tmp_path).name == "2026-01-02_10-00-00_b"
    assert find_record(str(tmp_path / "2026-01-01_10-00-00_a"), tmp_path).name == "2026-01-01_10-00-00_a"
    with pytest.raises(UserError, match="no such run"):
        find_record("zebra", tmp_path)


def test_no_runs_yet_says_how_to_start_one(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="stackdyno run PROFILE"):
        find_record(None, tmp_path / "none")


def test_two_records_in_one_second_have_two_folders(tmp_path: Path) -> None:
    names = {create_record(tmp_path, "hello").name for _ in range(5)}
    assert len(names) == 5


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EROFS])
def test_a_record_that_can_not_be_written_goes_on_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    record = create_record(tmp_path / "runs", "hello")
    writer = EventWriter(record)
    writer.write(STARTED)
    refuse_writes(monkeypatch, tmp_path / "runs", number)
    writer.write(notice(1))
    moved, kept = read_state(record).notices
    assert moved.code == "moved" and os.strerror(number) in moved.text
    assert kept.code == "n"


@pytest.mark.parametrize("again", [False, True])
def test_a_record_whose_folder_was_deleted_goes_on_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, again: bool
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    record = create_record(tmp_path / "runs", "hello")
    writer, follower = EventWriter(record), Follower(record)
    writer.write(STARTED)
    assert follower.poll() == [STARTED]
    shutil.rmtree(record.folder)
    if again:
        record.folder.mkdir()
    writer.write(notice(1))
    writer.write(notice(2))
    moved, *after = follower.poll()
    assert isinstance(moved, Notice) and moved.code == "moved"
    assert str(tmp_path / "state" / "stackdyno" / "rescued") in moved.text
    assert after == [notice(1), notice(2)]
    assert last_event(record) == notice(2)
    assert [each.code for each in read_state(record).notices] == ["moved", "n", "n"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
def test_no_record_is_kept_in_a_folder_of_another_user(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    os.chown(runs, 54321, 54321)
    with pytest.raises(UserError, match=r"belongs to user 54321.*choose --runs DIR") as refused:
        create_record(runs, "hello")
    assert len(str(refused.value).splitlines()) == 1
    assert list(runs.iterdir()) == []
    os.chown(runs, os.geteuid(), -1)
    assert create_record(runs, "hello").folder.is_dir()
