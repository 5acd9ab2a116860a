"""Any of our processes, or of the stack's, is killed at any time: after the next command nothing is left, and the
record opens.

STACKDYNO_KILLS says how many kills there are (a hundred take some minutes, and 72 have every victim in every phase),
STACKDYNO_KILLS_SEED makes others.
"""

from __future__ import annotations

import json
import os
import random
import signal
import time
from dataclasses import dataclass

import pytest

from tests.support.command import Command, gone, processes_of
from tests.support.forked import Process
from tests.support.watchers import watching
from tui.record.record import Record, read_state
from tui.record.state import RunState
from tui.system.procfs import descendants, read_arguments

KILLS = int(os.environ.get("STACKDYNO_KILLS", "4"))
SEED = int(os.environ.get("STACKDYNO_KILLS_SEED", "20261203"))
PATIENCE = 90.0
"""Seconds for what takes three on an idle machine."""
SHORT = (
    "--set", "load.warmup=250ms", "--set", "load.rounds=2", "--set", "load.duration=250ms",
    "--set", "load.connections=4", "--set", "load.rate=100",
)  # fmt: skip
VICTIMS = ("both", "runner", "load", "command", "console", "supervisor", "master", "worker")
PHASES = ("start", "ready", "idle", "warm-up", "round", "memory", "drain", "stop", "check")


@dataclass(frozen=True)
class Kill:
    victim: str
    phase: str
    after: float
    """Seconds into the phase."""

    def __str__(self) -> str:
        return f"{self.victim} {self.after * 1000:.0f} ms into {self.phase}"


def kills() -> list[Kill]:
    """Every victim in turn, each through all phases in an order of its own."""
    source = random.Random(SEED)
    phases = {victim: source.sample(PHASES, len(PHASES)) for victim in VICTIMS}
    turns = ((VICTIMS[i % len(VICTIMS)], i // len(VICTIMS) % len(PHASES)) for i in range(KILLS))
    return [Kill(victim, phases[victim][turn], source.uniform(0, 0.2)) for victim, turn in turns]


def victims(kill: Kill, command: Process, runner: int, console: int | None) -> list[int]:
    """Their pids; empty where it isn't there at this moment."""
    below = descendants(runner)
    supervisors = [stat.pid for stat in below if "tui.stack.supervisor" in read_arguments(stat.pid)]
    masters = [stat.pid for stat in below if stat.ppid in supervisors]
    workers = [stat.pid for stat in below if stat.ppid in masters]
    found = {
        "runner": [runner],
        "supervisor": supervisors,
        "both": [runner, *supervisors],
        "load": [stat.pid for stat in below if "tui.load.process" in read_arguments(stat.pid)],
        "master": masters[:1],
        "worker": workers[:1],
        "command": [command.pid],
        "console": [console] if console else [],
    }
    return found[kill.victim]


def in_phase(state: RunState, phase: str) -> bool:
    """It is reached, or was missed."""
    return state.ended is not None or any(each.phase == phase for each in state.phases)


@pytest.mark.parametrize("kill", kills(), ids=str)
def test_a_kill_leaves_nothing(stackdyno: Command, kill: Kill) -> None:
    command = stackdyno.start("gunicorn-sync", *SHORT, "--format", "json")
    console = None
    try:
        if kill.victim == "console":
            stackdyno.wait_for(lambda state: state.started, PATIENCE)
            console = watching(stackdyno.words(), "attach", stackdyno.record.name)
        state = stackdyno.wait_for(lambda state: in_phase(state, kill.phase), PATIENCE)
        runner = stackdyno.runner()
        time.sleep(kill.after)
        for pid in victims(kill, command, runner.pid, console.pid if console else None):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        command.communicate(timeout=PATIENCE)
    finally:
        command.kill()
        if console is not None:
            console.kill()
            console.wait(10)
    assert gone([runner], PATIENCE), "the run outlives what killed it"
    cleaned = stackdyno("clean")
    assert (cleaned.status, "Traceback" in cleaned.err) == (0, False), cleaned
    assert state.started is not None
    left = processes_of(state.started.run)
    assert gone(left, 10.0), f"the supervisor, which outlives its runner, ends the stack; {cleaned}"
    listed = stackdyno("ps")
    assert listed.out == "", (listed, cleaned)
    assert_opens(stackdyno, stackdyno.record)


def assert_opens(stackdyno: Command, record: Record) -> None:
    """With a verdict, and a summary of what there is."""
    exported = stackdyno("export", str(record.folder), "--format", "json")
    assert exported.status == 0, exported.err
    summary = json.loads(exported.out)
    assert summary["run"]
    assert summary["verdict"] in ("good", "stopped", "failed", "cut off")
    listed = stackdyno("history")
    assert record.name[20:] in listed.out, listed.err
    assert read_state(record).started is not None
