from __future__ import annotations

import errno
import shutil
import threading
from pathlib import Path

import pytest

from tests.support.failing_disk import refuse_writes
from tui.record import handing_over
from tui.record.folders import new_folder
from tui.record.handing_over import hand_over, receive
from tui.record.second_place import LastingReader, LastingWriter, find_place, places_of

NAME = "events.jsonl"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "tmp"))
    monkeypatch.setattr(handing_over, "SECONDS", 0.3)
    (tmp_path / "tmp").mkdir()
    folder = tmp_path / "runs" / "a"
    folder.mkdir(parents=True)
    return folder


def writer_of(folder: Path) -> LastingWriter:
    return LastingWriter(folder, NAME, "run", lambda code, text: f"{code}: {text}".encode())


def test_it_moves_once_and_a_writer_that_begins_again_goes_on_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer, reader = writer_of(folder), LastingReader(folder, NAME)
    writer.write(b"1")
    with monkeypatch.context() as full:
        refuse_writes(full, folder, errno.ENOSPC)
        writer.write(b"2")
    writer.close()
    again = writer_of(folder)  # there is room in the first place, but the lines are in the second one
    again.write(b"3")
    assert again.whole
    place = find_place(folder, NAME)
    assert place is not None
    refuse_writes(monkeypatch, place, errno.ENOSPC)
    again.write(b"4")
    assert not again.whole  # no third place, and the second one isn't replaced by itself
    one, moved, *others = reader.poll()
    assert (one, others) == (b"1", [b"2", b"3"])
    assert moved.startswith(b"moved: ") and str(place).encode() in moved
    assert (folder / NAME).read_bytes() == b"1\n"


def test_a_second_place_that_appeared_meanwhile_is_left_as_it_is(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = writer_of(folder)
    other = writer_of(folder)
    with monkeypatch.context() as full:
        refuse_writes(full, folder, errno.ENOSPC)
        other.write(b"theirs")
        late.write(b"ours")
        assert not late.whole
    place = find_place(folder, NAME)
    assert place is not None and b"ours" not in (place / NAME).read_bytes()
    late.write(b"more")  # there is room again
    assert late.whole and (folder / NAME).read_bytes() == b"ours\nmore\n"


def test_the_other_second_place_is_taken_where_the_first_fails_too(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = writer_of(folder)
    (tmp_path / "state").write_text("")
    refuse_writes(monkeypatch, folder, errno.EIO)
    writer.write(b"1")
    assert writer.whole
    place = find_place(folder, NAME)
    assert place is not None and place.is_relative_to(tmp_path / "tmp")


@pytest.mark.parametrize("moved", [False, True])
def test_lines_that_can_be_kept_nowhere_are_handed_over_once_each(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moved: bool
) -> None:
    writer, follower, late = writer_of(folder), LastingReader(folder, NAME), LastingReader(folder, NAME)
    writer.write(b"1")
    assert follower.poll() == [b"1"]
    assert follower.poll() == []
    if moved:
        with monkeypatch.context() as full:
            refuse_writes(full, folder, errno.ENOSPC)
            writer.write(b"2")
    else:
        (tmp_path / "state").write_text("")
        (tmp_path / "tmp").rmdir()
        (tmp_path / "tmp").write_text("")
    refuse_writes(monkeypatch, tmp_path, errno.ENOSPC)
    writer.write(b"3")
    writer.write(b"4")
    ending = threading.Thread(target=writer.close)
    ending.start()
    got, others = follower.poll(), late.poll()
    while ending.is_alive():
        got += follower.poll()
        others += late.poll()
    ending.join()
    assert others[0] == b"1" and others[1:] == got
    if moved:
        assert got.pop(0).startswith(b"moved: ") and got.pop(0) == b"2"
    assert got[0].startswith(b"not-kept: ") and b"No space left on device" in got[0]
    assert got[1:] == [b"3", b"4"]
    assert not writer.whole


def test_a_new_folder_gets_no_name_whose_second_place_still_exists(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.strftime", lambda layout: "2026-12-03_10-00-00")
    first = new_folder(folder.parent, "hello")
    writer = writer_of(first)
    with monkeypatch.context() as full:
        refuse_writes(full, first, errno.ENOSPC)
        writer.write(b"1")
    shutil.rmtree(first)
    assert places_of(first)
    second = new_folder(folder.parent, "hello")
    assert second.name == f"{first.name}_2" and places_of(second) == []


def test_nobody_else_gets_what_is_handed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    serving = threading.Thread(target=hand_over, args=(tmp_path / NAME, b"1\n2\ncut", 0.5))
    serving.start()
    heard = []
    while serving.is_alive() and not heard:
        heard = receive(tmp_path / NAME)
    assert heard == [b"1", b"2"]
    monkeypatch.setattr(handing_over, "peer", lambda connection: (1, 54321))
    assert receive(tmp_path / NAME) == []
    serving.join()
