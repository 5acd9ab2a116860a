"""The console makes itself small, and what it launches stays large."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tui.console.footprint import FASTEST, SLOWEST, USUAL, Pace

SCRIPT = """
import json, os, subprocess, sys, queue
from tui.console.footprint import Launcher, OwnCpu

told = queue.Queue()
launcher = Launcher()
usable = sorted(os.sched_getaffinity(0))
launcher.be_small(server_cpus=usable[:1], load_cpus=[])
print_it = "import json, os; print(json.dumps([sorted(os.sched_getaffinity(0)), os.nice(0)]))"
launcher.submit(lambda: told.put(subprocess.check_output([sys.executable, "-c", print_it], text=True)))
mine = [sorted(os.sched_getaffinity(0)), os.getpriority(os.PRIO_PROCESS, 0)]
print(json.dumps({"usable": usable, "mine": mine, "launched": json.loads(told.get(timeout=20))}))
launcher.close()
"""


def test_the_console_leaves_the_servers_cpus_and_its_runs_do_not():
    if os.nice(0) > 5:
        pytest.skip("already nicer than the console makes itself")
    told = json.loads(subprocess.check_output([sys.executable, "-c", SCRIPT], text=True, timeout=60))
    cpus, niceness = told["mine"]
    assert niceness == 5
    assert cpus == (told["usable"][1:] or told["usable"])
    assert told["launched"] == [told["usable"], os.nice(0)]


def test_slow_drawings_make_fewer_and_quick_ones_more():
    pace = Pace()
    periods = []
    for took in [0.2] * USUAL * 3 + [0.01] * USUAL * 3:
        pace.drawn(1.0, took)
        periods.append(pace.period)
    assert periods[USUAL - 2] == FASTEST
    assert periods[USUAL - 1] == FASTEST * 2
    assert max(periods) == SLOWEST
    assert pace.period == FASTEST


def test_a_single_slow_drawing_changes_nothing():
    pace = Pace()
    for i in range(50):
        pace.drawn(1.0, 0.3 if i % USUAL == 0 else 0.04)
        assert pace.period == FASTEST


def test_a_drawing_is_due_when_the_period_is_over():
    pace = Pace()
    assert pace.due(0.0)
    pace.drawn(0.0, 0.01)
    assert not pace.due(0.1)
    assert pace.due(FASTEST)


def test_the_first_screen_does_not_wait_for_what_only_jobs_need():
    script = "import sys, tui.console.app; print([name for name in ('jinja2', 'httptools') if name in sys.modules])"
    loaded = subprocess.check_output([sys.executable, "-c", script], text=True, timeout=60)
    assert loaded.strip() == "[]"
