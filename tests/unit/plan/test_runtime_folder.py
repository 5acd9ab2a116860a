"""The runtime folder is ours until it is complete, and nothing in it is written through a link."""

from __future__ import annotations

import os
import pwd
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tui.plan.plan import Plan, PlannedFile
from tui.plan.planning import make_plan
from tui.plan.runtime_folder import write_files
from tui.profile.catalogue import Catalogue, shipped_folder
from tui.system.errors import UserError

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
Planner = Callable[..., Plan]


@pytest.fixture
def planned(runtime: Path, tmp_path: Path) -> Planner:
    """A plan with these files, for the user nobody if we are root."""
    catalogue = Catalogue(search=[shipped_folder()])
    plan = make_plan(
        catalogue.load("gunicorn-sync"), catalogue, run_id="run-1", runtime=runtime, logs=tmp_path
    )
    nobody = pwd.getpwnam("nobody")
    user = {"uid": nobody.pw_uid, "gid": nobody.pw_gid} if os.geteuid() == 0 else {}

    def with_files(*files: PlannedFile) -> Plan:
        return replace(plan, files=files, **user)

    return with_files


def text(path: Path, content: str = "ours") -> PlannedFile:
    return PlannedFile(path, 0o644, content, None)


def test_it_is_ours_alone_until_all_is_there(planned: Planner, runtime: Path) -> None:
    assert (runtime.stat().st_mode & 0o777, runtime.stat().st_uid) == (0o700, os.geteuid())
    write_files(planned(text(runtime / "conf" / "a"), text(runtime / "b")))
    assert runtime.stat().st_mode & 0o777 == (0o711 if os.geteuid() == 0 else 0o700)
    owner = pwd.getpwnam("nobody").pw_uid if os.geteuid() == 0 else os.geteuid()
    places = (runtime, runtime / "conf", runtime / "conf" / "a", runtime / "b")
    assert {path.stat().st_uid for path in places} == {owner}


def test_a_planted_link_is_neither_written_nor_given_away(
    planned: Planner, runtime: Path, tmp_path: Path
) -> None:
    target = tmp_path / "target"
    target.write_text("precious")
    target.chmod(0o600)
    (runtime / "nginx.conf").symlink_to(target)
    (runtime / "conf").symlink_to(tmp_path)
    (runtime / "copied").symlink_to(target)
    source = tmp_path / "source"
    source.write_text("source")
    for file in (
        text(runtime / "nginx.conf"),
        text(runtime / "conf" / "more"),
        text(runtime / "conf" / "target"),
        PlannedFile(runtime / "copied", 0o755, None, source),
        PlannedFile(runtime / "conf", 0o777, None, None),
    ):
        with pytest.raises((UserError, OSError)):
            write_files(planned(file))
    status = target.stat()
    assert (target.read_text(), status.st_uid, status.st_mode & 0o777) == ("precious", os.geteuid(), 0o600)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["source", "target"]
    assert tmp_path.stat().st_uid == os.geteuid()


@AS_ROOT
def test_a_folder_that_others_may_write_is_refused(planned: Planner, runtime: Path) -> None:
    plan = planned(text(runtime / "a"))
    os.chown(runtime, plan.uid or 0, 0)
    with pytest.raises(UserError, match="others may write there"):
        write_files(plan)
    assert not (runtime / "a").exists()


@AS_ROOT
def test_a_source_behind_a_link_of_the_stacks_user_is_not_copied(
    planned: Planner, runtime: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("precious")
    app = tmp_path / "app"
    app.mkdir()
    (app / "start").symlink_to(secret)
    os.chown(app, pwd.getpwnam("nobody").pw_uid, 0)
    with pytest.raises(
        UserError, match=f"{app}/start: can't be copied .* a link that others may have planted"
    ):
        write_files(planned(PlannedFile(runtime / "start", 0o755, None, app / "start")))
    assert secret.read_text() == "precious"


def test_two_files_with_one_path_are_a_mistake(planned: Planner, runtime: Path) -> None:
    with pytest.raises(UserError, match=f"two files have the path {runtime}/a; leave one out"):
        write_files(planned(text(runtime / "a"), text(runtime / "a")))
