"""As root for another user: what that user plants in its folder gets none of root's rights."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.supervised import service, stack_of
from tui.plan.plan import Plan, VersionCommand
from tui.run.facts import read_versions
from tui.sampling.status import StatusReader, StatusSource
from tui.sampling.status_pages import StatusError
from tui.stack.supervised import StackError

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can start a stack as another user")
NOBODY = pwd.getpwnam("nobody")
WHO = ("/bin/sh", "-c", 'echo "{\\"busy\\": $(id -u), \\"idle\\": $(id -G | wc -w)}"')


@pytest.fixture
def theirs() -> Iterator[Path]:
    """A runtime folder that was handed to nobody."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    folder.chmod(0o711)
    os.chown(folder, NOBODY.pw_uid, NOBODY.pw_gid)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def source(**where: object) -> StatusReader:
    values = {"busy": "doc.busy", "idle": "doc.idle"}
    user = {"uid": NOBODY.pw_uid, "gid": NOBODY.pw_gid}
    return StatusReader(StatusSource("there", "json", values=values, **user, **where))  # type: ignore[arg-type]


async def test_a_status_command_and_a_version_are_asked_with_the_users_rights() -> None:
    reading = await source(command=WHO).read()
    assert (reading.busy, reading.idle) == (NOBODY.pw_uid, 1)
    plan = object.__new__(Plan)
    told = {"versions": {"id": VersionCommand(("/usr/bin/id", "-u"), r"\d+")}}
    user = {"uid": NOBODY.pw_uid, "gid": NOBODY.pw_gid, "runtime": Path("/tmp")}
    for name, value in (told | user).items():
        object.__setattr__(plan, name, value)
    assert await read_versions(plan) == {"id": str(NOBODY.pw_uid)}


async def test_a_status_file_that_leads_elsewhere_is_not_read(theirs: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text('{"busy": 1, "idle": 2}')
    (theirs / "status").symlink_to(secret)
    with pytest.raises(StatusError, match="there: a link that others may have planted"):
        await source(file=str(theirs / "status")).read()
    with pytest.raises(StatusError, match="there: belongs to another user"):
        await source(file=str(secret)).read()


async def test_a_service_enters_its_folder_with_the_users_rights(theirs: Path, tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o700)
    (theirs / "work").symlink_to(tmp_path / "closed")
    os.lchown(theirs / "work", NOBODY.pw_uid, NOBODY.pw_gid)
    stack = stack_of(theirs, replace(service(theirs / "work", "pass"), log=tmp_path / "app.log"))
    for name, value in (("uid", NOBODY.pw_uid), ("gid", NOBODY.pw_gid), ("logs", tmp_path)):
        object.__setattr__(stack._plan, name, value)
    stack.open()
    with pytest.raises(StackError, match=f"{theirs}/work: can't be entered"):
        await stack.start()
    await stack.stop()
    await stack.close()


@pytest.fixture
def precious(tmp_path: Path) -> Path:
    """A file that a link in the runtime folder leads to."""
    path = tmp_path / "elsewhere" / "precious"
    path.parent.mkdir()
    path.write_text("x")
    return path


def lies(path: Path) -> bool:
    return os.path.lexists(path)


def exchange(folder: Path, target: Path) -> None:
    """Put a link where a folder was."""
    folder.rename(target.parent / "moved")
    folder.symlink_to(target)


async def test_removing_the_runtime_folder_touches_nothing_behind_a_link(
    theirs: Path, precious: Path, tmp_path: Path
) -> None:
    (theirs / "folder").symlink_to(precious.parent)
    (theirs / "stackdyno.control").symlink_to(precious)
    log = tmp_path / "app.log"
    stack = stack_of(theirs, replace(service(theirs, "import time; time.sleep(60)"), log=log))
    stack.open()
    await stack.start()
    await stack.stop()
    await stack.close()
    assert not lies(theirs)
    assert lies(precious)


async def test_a_runtime_folder_that_was_exchanged_for_a_link_is_not_followed(
    theirs: Path, precious: Path, tmp_path: Path
) -> None:
    log = tmp_path / "app.log"
    stack = stack_of(theirs, replace(service(theirs, "import time; time.sleep(60)"), log=log))
    stack.open()
    await stack.start()
    exchange(theirs, precious.parent)
    await stack.stop()
    await stack.close()
    assert lies(precious)
    os.remove(theirs)  # noqa: PTH107


def test_a_log_is_not_opened_through_a_link(tmp_path: Path) -> None:
    code = "import os, sys; from tui.stack.supervisor import _LOG; os.open(sys.argv[1], _LOG, 0o600)"
    (tmp_path / "target").write_text("x")
    (tmp_path / "app.log").symlink_to(tmp_path / "target")
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "app.log")], stderr=subprocess.PIPE)
    assert b"Too many levels of symbolic links" in done.stderr
