"""gunicorn, alone and behind nginx."""

from __future__ import annotations

import pytest

from tests.integration.run.command import Command
from tests.integration.stacks.checking import good


@pytest.mark.parametrize("profile", ["gunicorn-sync", "gunicorn-preload"])
def test_alone(stackdyno: Command, profile: str) -> None:
    good(stackdyno, profile, "workers=3", roles={"master": 1, "worker": 3})


def test_behind_nginx(stackdyno: Command) -> None:
    good(stackdyno, "nginx-gunicorn", "workers=3", roles={"master": 2, "front": 1, "worker": 3})
