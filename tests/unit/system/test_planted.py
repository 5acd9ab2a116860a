"""Links that somebody else planted lead nowhere; links of an administrator still do."""

from __future__ import annotations

import os
import pwd
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tui.stack.leftovers import Leftovers
from tui.stack.logs import tail_of
from tui.system.planted import matching, open_file, read_file
from tui.system.procfs import pids_in

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can own what another user must not reach")


@pytest.fixture
def theirs() -> Iterator[Path]:
    """A folder of the user nobody."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    folder.chmod(0o755)
    if os.geteuid() == 0:
        nobody = pwd.getpwnam("nobody")
        os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    else:
        folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret"
    path.write_text("4711\n")
    return path


def test_a_planted_link_is_no_file(theirs: Path, secret: Path) -> None:
    (theirs / "link").symlink_to(secret)
    (theirs / "folder").symlink_to(secret.parent)
    for path in (theirs / "link", theirs / "folder" / "secret"):
        with pytest.raises(OSError, match="a link that others may have planted"):
            open_file(path)
        assert pids_in(path) == []
        assert tail_of(path, 5) == []


def test_a_link_of_our_own_is_followed(tmp_path: Path, secret: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "link").symlink_to("../secret")
    (tmp_path / "more").symlink_to(tmp_path / "folder")
    assert read_file(tmp_path / "more" / "link", 100) == b"4711\n"
    assert pids_in(tmp_path / "more" / "link") == [4711]


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError, match="a link"):
        open_file(tmp_path / "a")


@pytest.mark.timeout(10)
def test_a_named_pipe_is_not_waited_for(theirs: Path) -> None:
    os.mkfifo(theirs / "app.pid")
    assert pids_in(theirs / "app.pid") == []
    assert tail_of(theirs / "app.pid", 5) == []


def test_parts_of_a_file(secret: Path) -> None:
    assert read_file(secret, 2) == b"47"
    assert read_file(secret, 9, start=2) == b"11\n"
    assert read_file(secret, 9, start=-3) == b"11\n"
    assert read_file(secret, 9, start=-99) == b"4711\n"


@AS_ROOT
def test_a_file_of_somebody_else(secret: Path) -> None:
    nobody = pwd.getpwnam("nobody").pw_uid
    with pytest.raises(PermissionError, match="belongs to another user"):
        read_file(secret, 9, owner=nobody)
    os.chown(secret, nobody, -1)
    assert read_file(secret, 9, owner=nobody) == b"4711\n"


def test_patterns_match_as_a_shell_does(tmp_path: Path) -> None:
    for name in ("app.1", "app.2", ".hidden", "other"):
        (tmp_path / name).touch()
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "app.3").touch()

    def names(pattern: str) -> list[str]:
        return [path.removeprefix(f"{tmp_path}/") for path, _ in matching(f"{tmp_path}/{pattern}")]

    assert names("app.*") == ["app.1", "app.2"]
    assert names("*/app.?") == ["deep/app.3"]
    assert names("other") == ["other"]
    assert names("[!ado]*") == [".hidden"]
    assert names("missing/*") == []


def test_leftovers_behind_a_planted_link_stay(theirs: Path, secret: Path) -> None:
    place = theirs / "lshttpd"
    place.mkdir()
    leftovers = Leftovers([str(place), f"{place}/*", f"{theirs}/*/secret"])
    place.rename(theirs / "before")
    place.symlink_to(secret.parent)
    (theirs / "ols").mkdir()
    assert leftovers.remove() == [str(place)]  # the link itself is new there
    assert secret.read_text() == "4711\n"
    assert not place.is_symlink()


def test_leftovers_that_are_links_go_without_their_targets(tmp_path: Path, secret: Path) -> None:
    leftovers = Leftovers([f"{tmp_path}/left*"])
    (tmp_path / "left-link").symlink_to(secret)
    (tmp_path / "left").mkdir()
    (tmp_path / "left" / "below").symlink_to(secret.parent)
    assert leftovers.remove() == [f"{tmp_path}/left", f"{tmp_path}/left-link"]
    assert secret.read_text() == "4711\n"
    assert not (tmp_path / "left").exists()
