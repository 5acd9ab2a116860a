"""The end of a run: stops the stack, ends orphans and compares the system with its state before the start."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from tui.plan.plan import Plan
from tui.stack.supervised import StackError, Stopped, SupervisedStack
from tui.system.procfs import Identity, descendants
from tui.system.snapshot import Evidence, Snapshot, compare

NOTHING = Stopped((), (), ())
ORPHANS = 3.0
"""Seconds for killing what a dead supervisor left to us."""


async def stop_stack(stack: SupervisedStack, *, spare: Collection[int]) -> Stopped:
    """Stop the stack through its supervisor, or directly if that was killed; ``spare`` are the load's pids."""
    try:
        stopped = await stack.stop()
    except StackError:
        stopped = NOTHING
    await stack.close()
    orphans = await asyncio.to_thread(_end_orphans, frozenset(spare))
    removed = stopped.removed + tuple(stack.leftovers.remove())
    return Stopped(stopped.killed + orphans, removed, stopped.left, stopped.cut)


def _end_orphans(spare: Collection[int]) -> tuple[str, ...]:
    """Kill what a dead supervisor left: as subreaper, we adopted it."""
    killed: list[str] = []
    deadline = time.monotonic() + ORPHANS
    while time.monotonic() < deadline:
        orphans = [stat for stat in descendants(os.getpid()) if stat.pid not in spare]
        if not orphans:
            break
        for stat in orphans:
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                if stat.alive:
                    killed.append(f"{stat.comm} (pid {stat.pid})")
                    os.kill(stat.pid, signal.SIGKILL)
                if stat.ppid == os.getpid():
                    os.waitpid(stat.pid, os.WNOHANG)
        time.sleep(0.02)
    return tuple(dict.fromkeys(killed))


@dataclass(frozen=True, slots=True)
class Found:
    """What the comparison found, in words, and how much else appeared that doesn't belong to the run."""

    left: tuple[str, ...]
    unrelated: int


def leftovers(
    plan: Plan, before: Snapshot, seen: Collection[Identity], file_users: Mapping[str, int]
) -> Found:
    """Compare the whole system with its state before the start.

    ``seen`` are the processes of the stack, ``file_users`` is what ``FileWatch`` found. What belongs to an external
    stack isn't the run's: its workers of a reload, with their sockets, files and shared memory, are as unrelated as any
    other process's.
    """
    evidence = Evidence(
        run_id=plan.run_id,
        identities=() if plan.external is not None else seen,
        runtime=plan.runtime,
        ports=frozenset(plan.ports.values()),
        socket_paths=frozenset(plan.sockets.values()),
        leftovers=plan.leftovers,
        file_users=file_users,
    )
    found = compare(before, Snapshot.take(leftovers=plan.leftovers), evidence)
    left = tuple(str(each) for each in found.ours)
    if plan.runtime.exists():
        left += (str(plan.runtime),)
    return Found(left, len(found.unrelated))
