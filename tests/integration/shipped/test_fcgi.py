"""nginx in front of Ruby processes over FastCGI, started by spawn-fcgi or cgi-fcgi."""

from __future__ import annotations

import os

import pytest

from tests.support.checking import good
from tests.support.command import Command

ROOT_ONLY = pytest.mark.skipif(os.geteuid() != 0, reason="only root can start a stack as another user")


@pytest.mark.parametrize("profile", ["fcgi-tcp", "fcgi-unix", "fcgi-unix-each", "fcgi-hello-2006"])
def test_spawn_fcgi(stackdyno: Command, profile: str) -> None:
    workers = 10 if profile == "fcgi-hello-2006" else 4
    good(stackdyno, profile, roles={"master": 1, "front": 1, "worker": workers})


@pytest.mark.parametrize("sockets", ["tcp", "unix-each"])
def test_cgi_fcgi(stackdyno: Command, sockets: str) -> None:
    """Its queue has five places, so that many connections and one more may be open for each worker."""
    good(
        stackdyno,
        "fcgi-unix-each",
        "options.spawner=cgi-fcgi",
        f"options.sockets={sockets}",
        "load.connections=4",
        roles={"master": 1, "front": 1, "worker": 4},
    )


@ROOT_ONLY
def test_as_another_user(stackdyno: Command) -> None:
    summary = good(stackdyno, "fcgi-unix-each", "user=nobody", roles={"master": 1, "front": 1, "worker": 4})
    assert summary["stack"]["user"] == "nobody"
