"""Servers that bring their own interpreter, are one process, or refuse root: what their definitions say of it."""

import os
import pwd
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tui.plan.plan import Plan, RoleRule
from tui.plan.planning import make_plan, requirements_missing
from tui.plan.runtime_folder import write_files
from tui.profile.catalogue import Catalogue, shipped_folder
from tui.profile.problems import ProfileErrors

STACK = """\
title        = "a server with an interpreter in it"
interface    = "wsgi"
python       = "/usr/bin/env"
root_user    = "nobody"
most_workers = 2
ports        = ["http"]
address      = "{{ host }}:{{ ports.http }}"
workers      = "{{ workers }}"

[[requires]]
file    = "{{ stack_dir }}/server_module.so"
install = "apt install server-module"

[[services]]
name    = "server"
command = ["sleep", "60"]
env     = { PYTHON = "{{ app.python }}" }
roles   = [
    { role = "worker", depth = 0, when = "{{ workers == 1 }}" },
    { role = "master", depth = 0 },
    { role = "worker" },
]
"""
PROFILE = """\
title = "mine"
stack = "built-in"
app   = {app}
[load]
connections = 1
requests = 1
"""
SHIPPED_APP = '"hello"'
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="what root does instead")
Planned = Callable[..., Plan]


@pytest.fixture
def catalogue(tmp_path: Path) -> Catalogue:
    folder = tmp_path / "stacks" / "built-in"
    folder.mkdir(parents=True)
    (folder / "stack.toml").write_text(STACK)
    (folder / "server_module.so").touch()
    return Catalogue(search=[tmp_path, shipped_folder()])


@pytest.fixture
def planned(catalogue: Catalogue, tmp_path: Path) -> Planned:
    def plan(*overrides: str, app: str = SHIPPED_APP) -> Plan:
        (tmp_path / "mine.toml").write_text(PROFILE.format(app=app))
        profile = catalogue.load("mine", overrides)
        return make_plan(profile, catalogue, run_id="r", runtime=Path("/tmp/x"), logs=tmp_path)

    return plan


def complaints(planned: Planned, *overrides: str, app: str = SHIPPED_APP) -> list[str]:
    with pytest.raises(ProfileErrors) as errors:
        planned(*overrides, app=app)
    return str(errors.value).splitlines()


def test_a_missing_file_says_what_to_install(planned: Planned, catalogue: Catalogue, tmp_path: Path) -> None:
    planned()
    assert requirements_missing(catalogue.load("mine"), catalogue) == []
    module = tmp_path / "stacks" / "built-in" / "server_module.so"
    module.unlink()
    line = f"needs {module}: apt install server-module"
    assert complaints(planned) == [f"mine: {line}"]
    assert requirements_missing(catalogue.load("mine"), catalogue) == [line]


def test_more_workers_than_a_server_can_have(planned: Planned) -> None:
    assert planned("workers=2").workers == 2
    assert complaints(planned, "workers=3") == [
        'mine: workers: found 3, but the stack "built-in" has at most 2; set it to 2'
    ]


def test_a_rule_for_a_role_may_depend_on_the_profile(planned: Planned) -> None:
    master, worker = RoleRule("master", 0, None), RoleRule("worker", None, None)
    assert planned("workers=2").services[0].roles == (master, worker)
    assert planned("workers=1").services[0].roles == (RoleRule("worker", 0, None), master, worker)


def test_the_servers_interpreter_is_for_apps_that_name_none(planned: Planned, tmp_path: Path) -> None:
    def python(app: str) -> str:
        tmp_path.chmod(0o755)
        return planned(f"user={pwd.getpwuid(os.geteuid()).pw_name}", app=app).services[0].env["PYTHON"]

    assert python(SHIPPED_APP) == "/usr/bin/env"
    assert python('{ path = ".", entry = "x:y" }') == "/usr/bin/env"
    assert python('{ path = ".", entry = "x:y", python = "/bin/sh" }') == "/bin/sh"


@AS_ROOT
def test_who_refuses_root_runs_as_the_definitions_user_unless_a_profile_names_one(
    planned: Planned, tmp_path: Path
) -> None:
    tmp_path.chmod(0o755)
    nobody = pwd.getpwnam("nobody")
    plan = planned()
    assert (plan.user, plan.uid, plan.gid) == ("nobody", nobody.pw_uid, nobody.pw_gid)
    assert planned("user=root").user is None
    folder = tmp_path / "runtime"
    folder.mkdir(mode=0o700)
    write_files(replace(plan, runtime=folder))
    assert folder.stat().st_uid == nobody.pw_uid
