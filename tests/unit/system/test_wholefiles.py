"""Files that are whole or not there, on a disk that is full."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from tests.support.small_disk import fill, small_disk
from tui.system.errors import UserError
from tui.system.wholefiles import write_export, write_whole


def test_a_file_is_replaced_and_keeps_its_mode_and_its_link(tmp_path: Path) -> None:
    file, link = tmp_path / "a.txt", tmp_path / "link"
    file.write_text("before")
    file.chmod(0o640)
    link.symlink_to(file)
    write_whole(link, "after")
    assert link.is_symlink() and file.read_text() == "after"
    assert file.stat().st_mode & 0o777 == 0o640
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.txt", "link"]


def test_a_new_file_has_the_usual_mode(tmp_path: Path) -> None:
    write_whole(tmp_path / "a.txt", "x")
    (tmp_path / "b.txt").write_text("x")
    assert (tmp_path / "a.txt").stat().st_mode == (tmp_path / "b.txt").stat().st_mode


def test_a_device_is_written_to_directly(tmp_path: Path) -> None:
    write_whole(Path("/dev/null"), "x")
    assert not Path("/dev/null").is_file()


def test_a_full_disk_is_named_and_leaves_nothing(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        full = fill(disk)
        with pytest.raises(UserError, match=f"No space left on device: {disk}"):
            write_export(disk / "out.txt", "x" * 100_000)
        assert list(disk.iterdir()) == [full]


def test_a_limit_of_the_file_size_is_named_and_what_was_there_stays(tmp_path: Path) -> None:
    """Needs no right to mount: the kernel refuses the bytes beyond the limit."""
    out = tmp_path / "out.txt"
    out.write_text("before")
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        try:
            write_export(out, "x" * 100_000)
        except UserError as error:
            os._exit(0 if f"File too large: {tmp_path}" in str(error) else 3)
        os._exit(2)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert out.read_text() == "before"
    assert list(tmp_path.iterdir()) == [out]
