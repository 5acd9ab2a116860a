"""PHP: behind nginx, inside Apache, and as FastCGI behind Apache and lighttpd."""

from __future__ import annotations

import os

import pytest

from tests.integration.run.command import Command
from tests.integration.stacks.checking import good

USERS = [(), ("user=nobody",)] if os.geteuid() == 0 else [()]
"""As who started the test, and when that is root, as another user too."""


@pytest.mark.parametrize("user", USERS)
def test_php_fpm_behind_nginx(stackdyno: Command, user: tuple[str, ...]) -> None:
    good(stackdyno, "nginx-php-fpm", "workers=3", *user, roles={"master": 2, "front": 1, "worker": 3})


@pytest.mark.parametrize("user", USERS)
def test_mod_php(stackdyno: Command, user: tuple[str, ...]) -> None:
    good(stackdyno, "apache-mod-php", "workers=3", *user, roles={"master": 1, "worker": 3})


@pytest.mark.parametrize("wanted", [*USERS, ("options.language=ruby",)])
def test_mod_fcgid(stackdyno: Command, wanted: tuple[str, ...]) -> None:
    good(stackdyno, "apache-fcgid", "workers=3", *wanted, roles={"master": 1, "front": 1, "worker": 3})


@pytest.mark.parametrize("wanted", [*USERS, ("options.language=ruby",)])
def test_fastcgi_behind_lighttpd(stackdyno: Command, wanted: tuple[str, ...]) -> None:
    good(stackdyno, "lighttpd-fastcgi", "workers=3", *wanted, roles={"front": 1, "worker": 3})
