"""Runs that are long enough to be disturbed, and the moment to do it."""

from __future__ import annotations

from tui.record.state import RunState
from tui.system.procfs import descendants, read_arguments

LONG_AND_BUSY = ("--set", "load.warmup=300ms", "--set", "load.rounds=3", "--set", "load.duration=20s")
"""For those who stop or kill something under all the load that it can take."""
LONG = (*LONG_AND_BUSY, "--set", "load.rate=100")
"""At a rate that leaves the CPUs to others."""


def measuring(state: RunState) -> bool:
    """Well into the first round."""
    return state.in_round and len([point for point in state.rate if point.round == 1]) >= 2


def supervisor_of(runner: int) -> int:
    """The pid of the supervisor below a runner."""
    return next(
        stat.pid
        for stat in descendants(runner)
        if read_arguments(stat.pid)[1:3] == ["-m", "tui.stack.supervisor"]
    )
