"""OpenLiteSpeed: its configuration always, and the server itself where one is installed."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.checking import comparable, good
from tests.support.command import Command
from tui.plan.plan import Plan
from tui.plan.planning import make_plan, requirements_missing
from tui.plan.runtime_folder import write_files
from tui.profile.catalogue import Catalogue, shipped_folder
from tui.profile.problems import ProfileErrors

ROOT = os.environ.get("STACKDYNO_OLS_ROOT")
INSTALLED = pytest.mark.skipif(ROOT is None, reason="no OpenLiteSpeed: set STACKDYNO_OLS_ROOT")
Planned = Callable[..., Plan]


@pytest.fixture
def planned(tmp_path: Path) -> Planned:
    """Plans a profile for an OpenLiteSpeed of empty files."""
    root = tmp_path / "lsws"
    for name in ("bin/openlitespeed", "fcgi-bin/RackRunner.rb", "conf/mime.properties"):
        (root / name).parent.mkdir(parents=True)
        (root / name).write_text("installed\n")
    (root / "bin" / "openlitespeed").chmod(0o755)
    (tmp_path / "runtime").mkdir(mode=0o700)

    def plan(profile: str, *overrides: str, extra: Path | None = None) -> Plan:
        catalogue = Catalogue(extra=extra)
        chosen = catalogue.load(profile, [f"options.root={root}", *overrides])
        return make_plan(chosen, catalogue, run_id="r", runtime=tmp_path / "runtime", logs=tmp_path)

    return plan


def written(plan: Plan, name: str) -> str:
    return next(file.content or "" for file in plan.files if file.path.name == name)


def block(text: str, name: str) -> dict[str, str]:
    """The lines of one block, by their first word; of several ``env`` lines each with its variable's name."""
    (inside,) = re.findall(rf"^{name} \{{\n(.*?)^\}}", text, re.MULTILINE | re.DOTALL)
    lines = [
        line.strip() for line in inside.splitlines() if line.strip() and not line.strip().startswith("#")
    ]
    return dict(re.split(r"(?<!env) |=", line, maxsplit=1) for line in lines)


def test_the_runtime_folder_is_its_home(planned: Planned) -> None:
    plan = planned("openlitespeed-lsapi")
    write_files(plan)
    home = plan.runtime / "lsws"
    (service,) = plan.services
    assert service.argv == (f"{home}/bin/openlitespeed", "-n")
    assert (home / "bin" / "openlitespeed").read_text() == "installed\n"
    assert os.access(home / "bin" / "openlitespeed", os.X_OK)
    folders = {str(path.relative_to(home)) for path in home.rglob("*") if path.is_dir()}
    assert folders >= {"conf", "logs", "tmp", "cgid", "admin/conf", "admin/tmp", "fcgi-bin", "share"}
    assert "/tmp/lshttpd" in plan.leftovers
    text = written(plan, "httpd_config.conf")
    assert f"address 127.0.0.1:{plan.ports['http']}" in text
    assert "cpuAffinity 0" in text
    assert "context / {" in written(plan, "vhconf.conf")
    script = f"{shipped_folder()}/apps/hello/lsapi.rb"
    assert re.search(rf"^exec '/\S+/ruby' '{script}'$", written(plan, "worker.sh"), re.MULTILINE)


@pytest.mark.parametrize(
    ("profile", "protocol", "instances", "children"),
    [
        ("openlitespeed-lsapi", "lsapi", "10", None),
        ("openlitespeed-fcgi", "fcgi", "10", None),
        ("openlitespeed-rails", "lsapi", "1", "4"),
        ("openlitespeed-heavy", "lsapi", "1", "4"),
        ("openlitespeed-heavy-each", "lsapi", "4", None),
    ],
)
def test_workers_are_instances_or_children_of_one_and_get_a_request_each(
    planned: Planned, profile: str, protocol: str, instances: str, children: str | None
) -> None:
    plan = planned(profile)
    app = block(written(plan, "httpd_config.conf"), "extProcessor app")
    assert (app["type"], app["instances"], app.get("env LSAPI_CHILDREN")) == (protocol, instances, children)
    assert app["maxConns"] == str(plan.workers)
    assert app["address"] == f"uds:/{plan.sockets['app']}"
    assert app["runOnStartUp"] == "1"
    assert f"type {protocol}" in written(plan, "vhconf.conf")
    rules = [rule.role for rule in plan.services[0].roles if rule.depth == 2]
    assert rules == (["master", "worker"] if children else ["worker"])


def test_a_config_ru_is_run_by_its_own_runner(planned: Planned) -> None:
    plan = planned("openlitespeed-rails", "options.max_connections=2")
    app = block(written(plan, "httpd_config.conf"), "extProcessor app")
    assert app["env RACK_ROOT"] == f"{shipped_folder()}/apps/rails-hello"
    assert app["maxConns"] == "2"
    assert "/fcgi-bin/RackRunner.rb'" in written(plan, "worker.sh")


def test_without_one_the_list_of_profiles_says_where_to_get_it(tmp_path: Path) -> None:
    catalogue = Catalogue()
    profile = catalogue.load("openlitespeed-lsapi", [f"options.root={tmp_path}"])
    missing = requirements_missing(profile, catalogue)
    assert missing[0] == (
        f"needs {tmp_path}/bin/openlitespeed: see docs.openlitespeed.org/installation, "
        "and set options.root to where it is"
    )


def test_a_second_one_on_this_machine_is_refused(planned: Planned, tmp_path: Path) -> None:
    """With a pid file of the test's own: the real one would refuse the plans of concurrent tests."""
    pid_file = tmp_path / "lshttpd.pid"
    pid_file.write_text(str(os.getpid()))
    stack = tmp_path / "profiles" / "stacks" / "openlitespeed"
    shutil.copytree(shipped_folder() / "stacks" / "openlitespeed", stack)
    definition = (stack / "stack.toml").read_text()
    changed = definition.replace('pid_file = "/tmp/lshttpd/lshttpd.pid"', f'pid_file = "{pid_file}"')
    assert changed != definition
    (stack / "stack.toml").write_text(changed)
    with pytest.raises(ProfileErrors, match=f"another OpenLiteSpeed runs.*: pid {os.getpid()} "):
        planned("openlitespeed-lsapi", extra=tmp_path / "profiles")


@INSTALLED
@pytest.mark.parametrize("profile", ["openlitespeed-lsapi", "openlitespeed-fcgi", "openlitespeed-heavy-each"])
def test_instances(stackdyno: Command, profile: str) -> None:
    workers = 4 if "heavy" in profile else 10
    good(stackdyno, profile, f"options.root={ROOT}", roles={"master": 1, "front": 1, "worker": workers})


@INSTALLED
@pytest.mark.parametrize("profile", ["openlitespeed-rails", "openlitespeed-heavy"])
def test_children_of_one_that_has_loaded_the_app(stackdyno: Command, profile: str) -> None:
    good(stackdyno, profile, f"options.root={ROOT}", roles={"master": 2, "front": 1, "worker": 4})


@INSTALLED
def test_children_share_memory(stackdyno: Command) -> None:
    shared = good(
        stackdyno, "openlitespeed-heavy", f"options.root={ROOT}", roles={"master": 2, "front": 1, "worker": 4}
    )
    apart = good(
        stackdyno,
        "openlitespeed-heavy-each",
        f"options.root={ROOT}",
        roles={"master": 1, "front": 1, "worker": 4},
    )
    assert comparable(shared) < 0.6 * comparable(apart)
