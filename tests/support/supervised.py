"""Small services of the supervisor's, and a stack of them without a profile."""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

from tui.plan.plan import Plan, RoleRule, ServicePlan
from tui.stack.supervised import SupervisedStack

CPU = min(os.sched_getaffinity(0))
FORKER = """
import os, time
for _ in range(2):
    if os.fork() == 0:
        time.sleep(60)
        os._exit(0)
time.sleep(60)
"""
STUBBORN = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print('up', flush=True)
time.sleep(60)
"""


def service(folder: Path, script: str, **changes: object) -> ServicePlan:
    """A service that runs a Python script."""
    plan = ServicePlan(
        name="app",
        copy=0,
        argv=(sys.executable, "-c", script),
        cwd=folder,
        env={"PATH": os.environ["PATH"], "STACKDYNO_SERVICE": "app"},
        log=folder / "app.log",
        cpus=(CPU,),
        daemonises=False,
        pid_file=None,
        stop_signal=signal.SIGTERM,
        stop_timeout=5.0,
        roles=(RoleRule("master", 0, None), RoleRule("worker", 1, None)),
    )
    return replace(plan, **changes)  # type: ignore[arg-type]


def stack_of(runtime: Path, *services: ServicePlan, leftovers: tuple[str, ...] = ()) -> SupervisedStack:
    plan = object.__new__(Plan)
    for name, value in {
        "services": services,
        "runtime": runtime,
        "logs": runtime.parent,
        "leftovers": leftovers,
        "uid": None,
        "gid": None,
    }.items():
        object.__setattr__(plan, name, value)
    return SupervisedStack(plan, lambda ended: None)
