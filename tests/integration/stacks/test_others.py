"""Node's cluster, HAProxy and Caddy; and that a web server which runs on the machine isn't disturbed."""

from __future__ import annotations

import os

import pytest

from tests.integration.run.command import Command
from tests.integration.stacks.checking import good

USERS = [(), ("user=nobody",)] if os.geteuid() == 0 else [()]
"""As who started the test, and when that is root, as another user too."""


@pytest.mark.parametrize("wanted", [*USERS, ("app=static",)])
def test_node_cluster(stackdyno: Command, wanted: tuple[str, ...]) -> None:
    good(stackdyno, "node-cluster", "workers=3", *wanted, roles={"master": 1, "worker": 3})


@pytest.mark.parametrize("wanted", [*USERS, ("load.keepalive=true",)])
def test_haproxy_in_front_of_thins(stackdyno: Command, wanted: tuple[str, ...]) -> None:
    good(stackdyno, "haproxy-thin", "workers=3", *wanted, roles={"master": 1, "front": 1, "worker": 3})


@pytest.mark.parametrize("wanted", [*USERS, ("app=static",)])
def test_caddy_in_front_of_thins(stackdyno: Command, wanted: tuple[str, ...]) -> None:
    good(stackdyno, "caddy-thin", "workers=3", *wanted, roles={"front": 1, "worker": 3})


@pytest.mark.parametrize("wanted", [*USERS, ("app=page",)])
def test_caddy_in_front_of_php_fpm(stackdyno: Command, wanted: tuple[str, ...]) -> None:
    good(stackdyno, "caddy-php-fpm", "workers=3", *wanted, roles={"master": 1, "front": 1, "worker": 3})
