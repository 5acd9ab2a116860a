"""A profile from elsewhere on the command line: one line without --trust, a run with it, then no more questions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import Command

PROFILE = """\
title = "mine"
stack = "gunicorn"
app   = "hello"

[load]
connections = 1
requests    = 20
rounds      = 1
warmup      = "0s"
"""


class Careful(Command):
    trust = ()


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    path = tmp_path / "mine.toml"
    path.write_text(PROFILE)
    return path


def test_without_a_terminal_it_takes_trust_once(mine: Path, tmp_path: Path) -> None:
    stackdyno = Careful(tmp_path)
    for words in (
        ("run", str(mine)),
        ("compare", str(mine), str(mine)),
        ("--profiles", str(tmp_path), "run", "mine"),
    ):
        done = stackdyno(*words)
        assert (done.status, done.out) == (2, "")
        line = f"{mine}: not trusted yet, and it says which programs are started; read it, then add --trust"
        assert done.err == f"stackdyno: {line}\n"
    assert not stackdyno.runs.exists()
    for words in ((str(mine), "--trust"), (str(mine),)):
        done = stackdyno.run(*words)
        assert done.status != 2, done.err
        assert "requests/s" in done.out  # how good its figures are depends on who else is on the machine
