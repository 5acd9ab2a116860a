"""The command line as a process of its own, its records in a folder of the test's."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support import forked
from tests.support.forked import Process
from tui.record.events import Event
from tui.record.record import Follower, Record, list_records
from tui.record.state import RunState
from tui.system.procfs import Identity, every_process, is_alive, read_environ

SHORT = ("--set", "load.warmup=200ms", "--set", "load.rounds=2", "--set", "load.duration=400ms")
"""Overrides for a run of some two seconds."""


@dataclass
class Finished:
    status: int
    out: str
    err: str

    @property
    def summary(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(self.out)
        return told


class Command:
    """Runs ``stackdyno`` and looks at what it leaves."""

    trust: Sequence[str] = ("--trust",)
    """Tests write profiles into folders of their own."""

    def __init__(self, folder: Path) -> None:
        self.runs = folder / "runs"

    def words(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "tui.cli", "--runs", str(self.runs), *self.trust, *arguments]

    def __call__(self, *arguments: str, cpus: set[int] | None = None) -> Finished:
        """Run to the end."""
        started = self.begin(*arguments, cpus=cpus)
        try:
            out, err = started.communicate(timeout=90)
        finally:
            started.kill()
        return Finished(started.wait(), out, err)

    def run(self, *arguments: str, cpus: set[int] | None = None) -> Finished:
        """A run, concurrent with whatever else runs on a developer's machine."""
        return self("run", "--concurrent", *arguments, cpus=cpus)

    def begin(self, *arguments: str, cpus: set[int] | None = None) -> Process:
        """Start any command and return."""
        pipe = subprocess.PIPE
        return forked.start(self.words(*arguments), stdout=pipe, stderr=pipe, cpus=cpus)

    def start(self, *arguments: str) -> Process:
        """Start a run and return."""
        return self.begin("run", "--concurrent", *arguments)

    @property
    def record(self) -> Record:
        return list_records(self.runs)[0]

    def wait_for(self, condition: Callable[[RunState], object], seconds: float = 20.0) -> RunState:
        """Follow the newest record until the condition holds."""
        state = RunState()
        follower: Follower | None = None
        deadline = time.monotonic() + seconds
        while not condition(state):
            assert time.monotonic() < deadline, f"it did not happen in time; phase {state.phase_name}"
            if follower is None and list_records(self.runs):
                follower = Follower(self.record)
            events: list[Event] = follower.poll() if follower else []
            for event in events:
                state.apply(event)
            time.sleep(0.02)
        return state

    def runner(self) -> Identity:
        told = json.loads(self.record.runner_path.read_text())
        return Identity(told["pid"], told["start"])


def processes_of(run: str) -> list[Identity]:
    """The processes that carry a run's mark in their environment: the stack's, as far as they can be read."""
    return [
        stat.identity
        for stat in every_process()
        if stat.alive and (read_environ(stat.pid) or {}).get("STACKDYNO_RUN") == run
    ]


def gone(identities: list[Identity], seconds: float) -> bool:
    """Whether all of them have ended within so many seconds."""
    deadline = time.monotonic() + seconds
    while any(is_alive(identity) for identity in identities):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
