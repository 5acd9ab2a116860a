"""Thin, Puma and Unicorn: alone, several of them behind nginx, and as a master with workers."""

from __future__ import annotations

import os

import pytest

from tests.support.checking import good
from tests.support.command import Command

ROOT_ONLY = pytest.mark.skipif(os.geteuid() != 0, reason="only root can start a stack as another user")
ALONE = {"master": 1, "worker": 4}
BEHIND_NGINX = {"master": 2, "front": 1, "worker": 4}


def test_thin_alone(stackdyno: Command) -> None:
    good(stackdyno, "thin", "load.keepalive=true", roles={"worker": 1})


@pytest.mark.parametrize("profile", ["nginx-thins", "nginx-pumas"])
def test_single_processes_behind_nginx(stackdyno: Command, profile: str) -> None:
    good(stackdyno, profile, roles={"master": 1, "front": 1, "worker": 3})


def test_nginx_keeps_connections_to_the_servers(stackdyno: Command) -> None:
    good(stackdyno, "nginx-thins", "options.keepalive=4", roles={"master": 1, "front": 1, "worker": 3})


@pytest.mark.parametrize("profile", ["puma", "puma-heavy", "unicorn"])
def test_master_and_workers(stackdyno: Command, profile: str) -> None:
    good(stackdyno, profile, roles=ALONE)


@pytest.mark.parametrize("profile", ["puma-rails", "unicorn-rails"])
def test_rails_behind_nginx(stackdyno: Command, profile: str) -> None:
    good(stackdyno, profile, roles=BEHIND_NGINX)


@ROOT_ONLY
@pytest.mark.parametrize("server", ["puma", "unicorn"])
def test_as_another_user(stackdyno: Command, server: str) -> None:
    summary = good(stackdyno, server, "options.front=nginx", "user=nobody", roles=BEHIND_NGINX)
    assert summary["stack"]["user"] == "nobody"
