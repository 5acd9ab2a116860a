"""The Python servers besides gunicorn: each profile once, and what preloading saves."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.support.checking import comparable, good, needs
from tests.support.command import Command

MASTER_AND_TWO = {"master": 1, "worker": 2}
BEHIND_NGINX = {"master": 2, "front": 1, "worker": 2}
BEHIND_APACHE = {"master": 1, "front": 1, "worker": 2}


@pytest.mark.parametrize(
    ("profile", "overrides", "roles"),
    [
        ("uvicorn", [], MASTER_AND_TWO),
        ("uvicorn", ["workers=1", "load.keepalive=true"], {"worker": 1}),
        ("granian", [], MASTER_AND_TWO),
        ("granian-asgi", ["load.keepalive=true"], MASTER_AND_TWO),
        ("hypercorn", [], MASTER_AND_TWO),
        ("waitress", ["load.keepalive=true"], {"worker": 1}),
        ("uwsgi", ["options.threads=4"], MASTER_AND_TWO),
        ("nginx-uwsgi", ["load.keepalive=true"], BEHIND_NGINX),
        ("nginx-uwsgi", ["app=static"], BEHIND_NGINX),
        ("apache-mod-wsgi", ["app=static"], BEHIND_APACHE),
        ("apache-mod-wsgi", ["options.threads=4", "load.keepalive=true"], BEHIND_APACHE),
    ],
)
def test_serves(stackdyno: Command, profile: str, overrides: list[str], roles: dict[str, int]) -> None:
    good(stackdyno, profile, *overrides, roles=roles)


def memory(stackdyno: Command, profile: str, *overrides: str) -> int:
    return comparable(good(stackdyno, profile, *overrides, roles=MASTER_AND_TWO))


def test_gunicorn_shares_what_is_loaded_before_the_fork(stackdyno: Command) -> None:
    copied, shared, frozen = (
        good(stackdyno, profile, "workers=2", roles=MASTER_AND_TWO)
        for profile in ("gunicorn-no-preload", "gunicorn-preload", "gunicorn-freeze")
    )
    assert comparable(shared) < 0.7 * comparable(copied)
    assert comparable(frozen) < 1.1 * comparable(shared)
    assert shared["memory"]["saved_by_sharing"] > copied["memory"]["saved_by_sharing"]


def test_uwsgi_shares_what_is_loaded_before_the_fork(stackdyno: Command) -> None:
    copied = memory(stackdyno, "uwsgi-lazy-apps", "workers=2")
    shared = memory(stackdyno, "uwsgi-preload", "workers=2")
    assert shared < 0.7 * copied


COLLECTS = '''
"""An app whose first request makes the garbage collector visit all that was loaded."""
import gc

LOADED = [[] for _ in range(600_000)]
collected = False


def app(environ, start_response):
    global collected
    if not collected:
        gc.collect()
        collected = True
    start_response("200 OK", [("Content-Length", "0")])
    return [b""]
'''
PROFILE = """
title   = "an app that collects garbage"
stack   = "gunicorn"
workers = 2
app     = { path = ".", entry = "collects:app" }
options = { preload = true }
load    = { connections = 20, requests = 500 }
"""


def test_frozen_objects_stay_shared_when_a_worker_collects_garbage(
    stackdyno: Command, tmp_path: Path
) -> None:
    (tmp_path / "collects.py").write_text(COLLECTS)
    (tmp_path / "collects.toml").write_text(PROFILE)
    frozen = memory(stackdyno, f"{tmp_path}/collects.toml", "options.freeze=true")
    visited = memory(stackdyno, f"{tmp_path}/collects.toml")
    assert frozen < 0.7 * visited


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can start a stack as another user")
def test_runs_as_another_user(stackdyno: Command) -> None:
    summary = good(stackdyno, "nginx-uwsgi", "user=nobody", roles=BEHIND_NGINX)
    assert summary["stack"]["user"] == "nobody"


@contextmanager
def folder_for_everybody() -> Iterator[Path]:
    """Unlike pytest's, one that a server that refuses root may read as nobody."""
    with TemporaryDirectory(dir="/tmp") as name:
        Path(name).chmod(0o755)
        yield Path(name)


SHOP = """
import goods

def application(environ, start_response):
    start_response("200 OK", [("Content-Length", str(len(goods.NAME)))])
    return [goods.NAME]
"""
SHOP_PROFILE = """
title   = "an app in its own virtual environment"
stack   = "{stack}"
workers = 2
app     = {{ path = "shop", entry = "shop:application", python = "../venv" }}
expect  = {{ body = "apples" }}
load    = {{ connections = 20, requests = 500 }}
"""


@pytest.mark.parametrize(("stack", "roles"), [("uwsgi", MASTER_AND_TWO), ("apache-mod-wsgi", BEHIND_APACHE)])
def test_the_built_in_interpreter_uses_the_apps_virtual_environment(
    stackdyno: Command, stack: str, roles: dict[str, int]
) -> None:
    needs(stack)
    with folder_for_everybody() as folder:
        system = "/usr/bin/python3"
        subprocess.run([system, "-m", "venv", "--without-pip", folder / "venv"], check=True, timeout=60)
        (packages,) = (folder / "venv" / "lib").glob("python*/site-packages")
        (packages / "goods.py").write_text('NAME = b"apples"')
        (folder / "shop").mkdir()
        (folder / "shop" / "shop.py").write_text(SHOP)
        (folder / "own.toml").write_text(SHOP_PROFILE.format(stack=stack))
        good(stackdyno, f"{folder}/own.toml", roles=roles)
