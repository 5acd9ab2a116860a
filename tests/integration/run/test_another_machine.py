"""A load on another machine needs consent, on top of the profile's allow_remote.

The machine is one that the RFCs reserve for documentation (192.0.2.1): nothing answers there.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from pathlib import Path

import pytest

from tests.support.command import Command
from tests.support.questions import on_a_terminal

PROFILE = """\
title        = "elsewhere"
stack        = "external"
allow_remote = true

[options]
url = "http://192.0.2.1:80"

[load]
connections = 1
duration    = "1s"
"""
TARGET = "http://192.0.2.1:80/ is on another machine (192.0.2.1:80)"


@pytest.fixture
def elsewhere(tmp_path: Path) -> str:
    path = tmp_path / "elsewhere.toml"
    path.write_text(PROFILE)
    return str(path)


def answered(command: Command, profile: str, answer: bytes) -> tuple[int, str]:
    """A run whose question is answered; the exit status, and what was shown besides the result."""
    return on_a_terminal(command.words("run", "--concurrent", profile), answer, stdout=subprocess.DEVNULL)


def test_without_a_terminal_it_is_refused(stackdyno: Command, elsewhere: str) -> None:
    done = stackdyno.run(elsewhere)
    assert (done.status, done.out) == (2, "")
    assert done.err == f"stackdyno: {TARGET}; add --yes if you may put a load on it\n"
    assert not list(stackdyno.runs.glob("*"))


@pytest.mark.parametrize("answer", ["\n", "n\n"])
def test_anything_but_yes_starts_nothing(stackdyno: Command, elsewhere: str, answer: str) -> None:
    status, shown = answered(stackdyno, elsewhere, answer.encode())
    assert status == 2
    assert shown == (
        f"{TARGET}. Send load to it? [y/N] {answer}"
        "stackdyno: nothing was started: load on another machine needs your consent\n"
    )
    assert not list(stackdyno.runs.glob("*"))


def test_the_question_can_be_interrupted(stackdyno: Command, elsewhere: str) -> None:
    status, shown = answered(stackdyno, elsewhere, b"\x03")
    assert status == 130
    assert "Traceback" not in shown
    assert not list(stackdyno.runs.glob("*"))


def test_with_a_yes_it_is_run(stackdyno: Command, elsewhere: str) -> None:
    running = stackdyno.start(elsewhere, "--yes", "--format", "json")
    state = stackdyno.wait_for(lambda state: state.planned)
    assert state.planned is not None
    assert state.planned.facts.address == "192.0.2.1:80"
    running.terminate()
    out, _ = running.communicate(timeout=30)
    assert json.loads(out)["verdict"] in ("stopped", "failed")  # nothing answers there


def test_a_yes_on_the_terminal_counts_too(stackdyno: Command, elsewhere: str) -> None:
    stopped = threading.Thread(target=_stop_when_planned, args=(stackdyno,))
    stopped.start()
    status, shown = answered(stackdyno, elsewhere, b"y\n")
    stopped.join()
    assert status == 1
    assert "nothing was started" not in shown
    assert len(list(stackdyno.runs.glob("*"))) == 1


def _stop_when_planned(stackdyno: Command) -> None:
    stackdyno.wait_for(lambda state: state.planned)
    os.kill(stackdyno.runner().pid, signal.SIGTERM)
