"""gunicorn, alone and behind nginx."""

from __future__ import annotations

import pytest

from tests.support.checking import good
from tests.support.command import Command


@pytest.mark.parametrize(
    ("profile", "overrides"),
    [
        ("gunicorn-sync", []),
        ("gunicorn-gthread", ["load.keepalive=true"]),
        ("gunicorn-uvicorn", ["load.keepalive=true"]),
    ],
)
def test_alone(stackdyno: Command, profile: str, overrides: list[str]) -> None:
    good(stackdyno, profile, "workers=3", *overrides, roles={"master": 1, "worker": 3})


@pytest.mark.parametrize("overrides", [[], ["options.worker_class=uvicorn"], ["app=static"]])
def test_behind_nginx(stackdyno: Command, overrides: list[str]) -> None:
    good(stackdyno, "nginx-gunicorn", "workers=3", *overrides, roles={"master": 2, "front": 1, "worker": 3})
