"""PHP: behind nginx, inside Apache, and as FastCGI behind Apache and lighttpd; the last two with Ruby too."""

from __future__ import annotations

import os

import pytest

from tests.support.checking import good
from tests.support.command import Command

NOBODY = ("user=nobody",) if os.geteuid() == 0 else ()
"""As another user than who started the test, where that can be."""
PAGE = ("app=page", *NOBODY)
"""What is templated from a database."""
STATIC = ("app=static",)
"""What the front serves itself."""
RUBY = ("options.language=ruby",)


@pytest.mark.parametrize("wanted", [(), PAGE, STATIC])
def test_php_fpm_behind_nginx(stackdyno: Command, wanted: tuple[str, ...]) -> None:
    good(stackdyno, "nginx-php-fpm", "workers=3", *wanted, roles={"master": 2, "front": 1, "worker": 3})


@pytest.mark.parametrize("wanted", [(), PAGE, STATIC])
def test_mod_php(stackdyno: Command, wanted: tuple[str, ...]) -> None:
    good(stackdyno, "apache-mod-php", "workers=3", *wanted, roles={"master": 1, "worker": 3})


@pytest.mark.parametrize("wanted", [(), PAGE, RUBY])
def test_mod_fcgid(stackdyno: Command, wanted: tuple[str, ...]) -> None:
    good(stackdyno, "apache-fcgid", "workers=3", *wanted, roles={"master": 1, "front": 1, "worker": 3})


@pytest.mark.parametrize("wanted", [(), PAGE, STATIC, RUBY])
def test_fastcgi_behind_lighttpd(stackdyno: Command, wanted: tuple[str, ...]) -> None:
    good(stackdyno, "lighttpd-fastcgi", "workers=3", *wanted, roles={"front": 1, "worker": 3})
