"""A real terminal for tests: tmux runs the program, keys are sent, the screen is read."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from tui.record.record import Record, list_records
from tui.record.state import RunState
from tui.system.procfs import descendants


def _without_a_size() -> dict[str, str]:
    """The environment without a terminal's size: readline, which pytest loads, puts COLUMNS=80 into all children's."""
    return {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}


class Terminal:
    """One tmux server with one window of a fixed size."""

    def __init__(
        self, command: Sequence[str], columns: int, rows: int, environment: Mapping[str, str] | None = None
    ) -> None:
        program = shutil.which("tmux")
        if program is None:
            pytest.skip("not installed: tmux (apt install tmux)")
        self._tmux = [program, "-L", f"stackdyno-{uuid.uuid4().hex[:8]}", "-f", os.devnull]
        told = [f"{name}={value}" for name, value in (environment or {}).items()]
        line = shlex.join(["env", *told, *command]) + "; echo left with $?; exec cat"
        self._call("new-session", "-d", "-x", str(columns), "-y", str(rows), line)

    def _call(self, *words: str) -> str:
        call = [*self._tmux, *words]
        return subprocess.run(call, capture_output=True, text=True, check=True, env=_without_a_size()).stdout

    def press(self, *keys: str) -> None:
        """Send keys by tmux's names, one after another."""
        for key in keys:
            self._call("send-keys", key)
            time.sleep(0.2 if key == "Escape" else 0.02)  # an escape and a key at once are alt and that key

    def type(self, text: str) -> None:
        self._call("send-keys", "-l", text)

    @property
    def screen(self) -> str:
        return self._call("capture-pane", "-p")

    def wait_for(self, pattern: str, seconds: float = 15.0) -> str:
        """The screen as soon as the regular expression is on it."""
        deadline = time.monotonic() + seconds
        while not re.search(pattern, screen := self.screen):
            assert time.monotonic() < deadline, f"{pattern!r} did not come up:\n{screen}"
            time.sleep(0.15)  # each look is a process
        return screen

    def pid(self) -> int:
        """The program in the window."""
        shell = int(self._call("display-message", "-p", "#{pane_pid}"))
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            for stat in descendants(shell):
                if "python" in stat.comm or "stackdyno" in stat.comm:
                    return stat.pid
            time.sleep(0.05)
        raise AssertionError("no program in the window")

    def close(self) -> None:
        """The terminal goes away, as when a connection is lost."""
        subprocess.run([*self._tmux, "kill-server"], capture_output=True)


Opener = Callable[..., Terminal]
"""Opens the console in a terminal (the fixture ``terminal``)."""


def words(runs: Path, *arguments: str) -> list[str]:
    """The command line of the console."""
    return [sys.executable, "-m", "tui.cli", "--runs", str(runs), "--trust", *arguments]


def newest(runs: Path, seconds: float = 15.0) -> Record:
    """The newest record, as soon as there is one."""
    deadline = time.monotonic() + seconds
    while not (records := list_records(runs)):
        assert time.monotonic() < deadline, "no run was started"
        time.sleep(0.05)
    return records[0]


def until_ended(record: Record, seconds: float = 60.0) -> RunState:
    """The whole state of a run, as soon as it is over."""
    from tui.record.record import read_state

    deadline = time.monotonic() + seconds
    while (state := read_state(record)).ended is None:
        assert time.monotonic() < deadline, f"the run did not end; phase {state.phase_name}"
        time.sleep(0.1)
    return state
