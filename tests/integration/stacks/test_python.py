"""The Python servers beside gunicorn: each profile once, and what preloading saves."""

from __future__ import annotations

import os

import pytest

from tests.integration.run.command import Command
from tests.integration.stacks.checking import comparable, good

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can start a stack as another user")
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
        ("uwsgi", [], MASTER_AND_TWO),
        ("uwsgi", ["options.threads=4"], MASTER_AND_TWO),
        ("nginx-uwsgi", ["load.keepalive=true"], BEHIND_NGINX),
        ("nginx-uwsgi", ["app=static"], BEHIND_NGINX),
        ("apache-mod-wsgi", [], BEHIND_APACHE),
        ("apache-mod-wsgi", ["app=static"], BEHIND_APACHE),
        ("apache-mod-wsgi", ["options.threads=4", "load.keepalive=true"], BEHIND_APACHE),
    ],
)
def test_serves(stackdyno: Command, profile: str, overrides: list[str], roles: dict[str, int]) -> None:
    good(stackdyno, profile, *overrides, roles=roles)
