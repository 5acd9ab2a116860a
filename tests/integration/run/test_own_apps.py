"""Apps of one's own: a Django and a Flask project in a folder and a virtual environment of their own."""

from __future__ import annotations

import os
import pwd
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.support.checking import check, every_worker
from tests.support.command import Command, Finished
from tests.support.environments import make_environment
from tui.system.procfs import Identity, descendants

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can start a stack as another user")


def checked(done: Finished) -> dict[str, Any]:
    assert done.status == 0, done.out + done.err
    check(done.summary)
    assert done.summary["result"]["bad"] == 0
    return done.summary


def test_a_django_project(stackdyno: Command, shops: Path) -> None:
    done = stackdyno(
        "--profiles", str(shops / "profiles"), "run", "django", "--concurrent", "--format", "json"
    )
    summary = checked(done)
    assert len(every_worker(summary)) == 2
    assert summary["stack"]["app"] == str(shops / "django")
    assert summary["stack"]["expect"] == "status 200, containing 'Settings: shop.settings'"
    assert {process["title"].split()[0] for process in summary["processes"]} == {
        f"{shops}/django/.venv/bin/python"
    }
    assert set(summary["versions"]) == {"gunicorn", "Python"}


def test_a_flask_project_in_the_environment_of_another_folder(stackdyno: Command, shops: Path) -> None:
    summary = checked(stackdyno.run(str(shops / "profiles" / "flask.toml"), "--format", "json"))
    assert len(every_worker(summary)) == 3
    assert summary["profile_name"] == "flask"
    assert summary["load"]["path"] == "/goods"
    assert summary["result"]["document_length"] == len(
        "<h1>Welcome to the corner shop</h1><ul><li>tea</li><li>bread</li></ul>"
    )


def test_an_environment_without_gunicorn_is_one_line(stackdyno: Command, shops: Path, tmp_path: Path) -> None:
    bare = make_environment(tmp_path / "bare")
    done = stackdyno.run(str(shops / "profiles" / "django.toml"), "--set", f"app.python={bare}")
    assert (done.status, done.out) == (2, "")
    assert done.err == (
        f"stackdyno: django: gunicorn isn't installed in {bare}: {bare}/bin/python -m pip install gunicorn, "
        f"or uv pip install --python {bare}/bin/python gunicorn\n"
    )


@AS_ROOT
def test_as_root_the_stack_runs_as_the_profiles_user(stackdyno: Command, shops: Path) -> None:
    django = str(shops / "profiles" / "django.toml")
    running = stackdyno.start(django, "--set", "user=nobody", "--format", "json")
    state = stackdyno.wait_for(lambda state: state.in_round)
    stack = {Identity(process.seen.pid, process.seen.start): process.seen.role for process in state.living}
    runner = stackdyno.runner()
    below = {each.identity: Path(f"/proc/{each.pid}").stat().st_uid for each in descendants(runner.pid)}
    out, err = running.communicate(timeout=60)
    summary = checked(Finished(running.returncode, out, err))
    nobody = pwd.getpwnam("nobody").pw_uid
    assert sorted(stack.values()) == ["master", "worker", "worker"]
    assert {below[identity] for identity in stack} == {nobody}
    assert {uid for identity, uid in below.items() if identity not in stack} == {0}
    assert summary["stack"]["user"] == "nobody"


@AS_ROOT
def test_an_app_that_the_profiles_user_cant_read_names_what_refuses(stackdyno: Command, shops: Path) -> None:
    django = str(shops / "profiles" / "django.toml")
    closed = shops / "closed"
    (closed / "to" / "shop").mkdir(parents=True)
    closed.chmod(stat.S_IRWXU)
    app = ("--set", f"app.path={closed}/to/shop", "--set", f"app.python={shops}/django/.venv")
    done = stackdyno.run(django, "--set", "user=nobody", *app)
    assert (done.status, done.out) == (2, "")
    assert done.err == (
        f"stackdyno: django: app: nobody can't read {closed}/to/shop: {closed} is drwx------ root; "
        "give nobody access, put it elsewhere, or run the stack as another user\n"
    )
