"""Files that a stack leaves in shared places are reported whatever their names; those of a stranger aren't."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command import Command

APP = """
import os, time
kept = [open(path, "w") for path in ("/tmp/ odd\\u00e9-{mark}", "/dev/shm/.%odd {mark}")]
for path in ("/tmp/stranger-{mark}", "/dev/shm/stranger-{mark}"):
    while not os.path.exists(path):
        time.sleep(0.01)
    kept.append(open(path))  # somebody else's, and only read

def application(environ, start_response):
    start_response("200 OK", [("Content-Length", "5")])
    return [b"hello"]
"""
PROFILE = """
title = "It leaves files"
stack = "gunicorn"
[app]
path = "{folder}"
entry = "leaves:application"
[load]
connections = 2
warmup = "200ms"
rounds = 2
duration = "400ms"
[expect]
body = "hello"
"""


@pytest.fixture
def mark(tmp_path: Path) -> Iterator[str]:
    mark = tmp_path.name
    yield mark
    for place in ("/tmp", "/dev/shm"):
        for path in Path(place).glob(f"*{mark}"):
            if path.is_file():
                path.unlink()


def test_oddly_named_files_are_reported_and_a_strangers_are_not(
    stackdyno: Command, tmp_path: Path, mark: str
) -> None:
    (tmp_path / "leaves.py").write_text(APP.format(mark=mark))
    (tmp_path / "left.toml").write_text(PROFILE.format(folder=tmp_path))
    running = stackdyno.start(str(tmp_path / "left.toml"), "--format", "json")
    stackdyno.wait_for(lambda state: state.planned)
    for place in ("/tmp", "/dev/shm"):
        Path(f"{place}/stranger-{mark}").touch()
    out, err = running.communicate(timeout=60)
    summary = json.loads(out)
    assert summary["verdict"] == "failed", err
    assert sorted(each.partition(" (used by pid")[0] for each in summary["left_running"]) == [
        f"/dev/shm/.%odd {mark}",
        f"/tmp/ odd\u00e9-{mark}",
    ]
