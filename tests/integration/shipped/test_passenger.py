"""Passenger in Apache, standalone, and standalone behind nginx."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.checking import good, needs
from tests.support.command import Command
from tui.plan.planning import make_plan, requirements_missing
from tui.profile.catalogue import Catalogue, shipped_folder

ROOT_ONLY = pytest.mark.skipif(os.geteuid() != 0, reason="only root can start a stack as another user")


@pytest.mark.parametrize(("profile", "workers"), [("passenger-apache", 4), ("passenger-apache-3", 3)])
def test_in_apache(stackdyno: Command, profile: str, workers: int) -> None:
    """It isn't root that Apache runs as: that refuses to."""
    summary = good(stackdyno, profile, roles={"master": 1, "front": 1, "worker": workers})
    assert summary["stack"]["user"] == ("nobody" if os.geteuid() == 0 else None)


def test_workers_start_with_apache_where_no_request_needs_them(stackdyno: Command) -> None:
    """Apache sends the file itself: without the option none of the workers ever starts."""
    roles = {"master": 1, "front": 1, "worker": 4}
    good(stackdyno, "passenger-apache", "app=static", "options.prestart=true", roles=roles)


def test_rails_in_apache(stackdyno: Command) -> None:
    good(stackdyno, "passenger-rails", "app=rails-hello", roles={"master": 1, "front": 1, "worker": 4})


def test_standalone(stackdyno: Command) -> None:
    good(stackdyno, "passenger", roles={"worker": 4})


def test_standalone_behind_nginx(stackdyno: Command) -> None:
    good(stackdyno, "passenger-nginx", roles={"master": 1, "front": 1, "worker": 3})


@ROOT_ONLY
def test_standalone_as_another_user(stackdyno: Command) -> None:
    summary = good(stackdyno, "passenger-nginx", "user=nobody", roles={"master": 1, "front": 1, "worker": 3})
    assert summary["stack"]["user"] == "nobody"


def test_the_module_for_nginx_is_rendered(tmp_path: Path) -> None:
    """Debian has no such module, so that nothing is started."""
    module = tmp_path / "ngx_http_passenger_module.so"
    module.touch()
    overrides = [
        f"options.module={module}",
        "options.spawn_method=direct",
        "workers=3",
        "load.keepalive=true",
    ]
    needs("passenger-nginx-module", *overrides)
    catalogue = Catalogue()
    plan = make_plan(
        catalogue.load("passenger-nginx-module", overrides),
        catalogue,
        run_id="r",
        runtime=Path("/tmp/r"),
        logs=tmp_path,
    )
    (conf,) = plan.files
    assert conf.content is not None
    told = dict(line.split(maxsplit=1) for line in conf.content.splitlines() if " " in line.strip())
    expected = {
        "load_module": f'"{module}";',
        "passenger_instance_registry_dir": '"/tmp/r";',
        "passenger_max_pool_size": "3;",
        "passenger_min_instances": "3;",
        "passenger_spawn_method": "direct;",
        "passenger_app_root": f'"{shipped_folder()}/apps/hello";',
    }
    assert {name: told[name] for name in expected} == expected
    assert f"listen 127.0.0.1:{plan.ports['http']} backlog=" in conf.content
    assert plan.workers == 3


def test_a_missing_module_says_where_to_get_it() -> None:
    catalogue = Catalogue()
    profile = catalogue.load("passenger-nginx-module", ["options.module=/nowhere/module.so"])
    (missing,) = [line for line in requirements_missing(profile, catalogue) if "/nowhere" in line]
    assert missing.endswith(
        "/nowhere/module.so: see phusionpassenger.com/docs, and set options.module to the file"
    )
