"""A long run with the console attached: the memory of every process of ours has to stay flat.

It takes half an hour, or as many seconds as STACKDYNO_SOAK says. What a process needs at its beginning isn't counted:
the slope is that of the second half of the load. At its end the runner folds the whole record: that counts as its most.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

import pytest

from tests.support.watchers import watching
from tui.record.record import list_records
from tui.sampling.memory import read_rss
from tui.system.procfs import descendants, read_cmdline

SECONDS = float(os.environ.get("STACKDYNO_SOAK", "1800"))
ROUND = 20.0
EVERY = 2.0
FLAT = 100.0
"""kB a minute: a process that grows faster has grown by 6 MB after an hour."""
END = 40e6
"""Bytes: what folding the record and making the summary may take besides."""
OURS = {
    "tui.run.execute": "runner",
    "tui.stack.supervisor": "supervisor",
    "tui.load.process": "load process",
    "attach": "console",
    "run": "command",
}

pytestmark = [pytest.mark.benchmark, pytest.mark.timeout(SECONDS * 2 + 120)]


def name_of(pid: int) -> str | None:
    words = (read_cmdline(pid) or "").split()
    return next((name for word, name in OURS.items() if word in words), None)


def slope(points: list[tuple[float, int]]) -> float:
    """kB a minute, by least squares over the second half."""
    late = points[len(points) // 2 :]
    return statistics.linear_regression(*zip(*late, strict=True)).slope * 60 / 1000


def test_memory_stays_flat_and_the_record_grows_by_what_it_says(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tui.cli", "--runs", str(tmp_path / "runs")]
    rounds = max(2, round(SECONDS / ROUND))
    run = subprocess.Popen(
        [*command, "run", "--concurrent", "gunicorn-sync", "--set", f"load.rounds={rounds}",
         "--set", f"load.duration={ROUND}s", "--set", "load.warmup=1s", "--format", "json"],
        stdout=subprocess.DEVNULL,  # a pipe that nobody reads would hold the command up with its summary
    )  # fmt: skip
    while not (records := list_records(tmp_path / "runs")):
        time.sleep(0.05)
    console = watching(command, "attach", records[0].name)
    memory: defaultdict[str, list[tuple[float, int]]] = defaultdict(list)
    sizes: list[tuple[float, int]] = []
    began = time.monotonic()
    ending: float | None = None
    while run.poll() is None:
        now = time.monotonic() - began
        runner = (
            json.loads(records[0].runner_path.read_text())["pid"] if records[0].runner_path.exists() else None
        )
        below = [stat.pid for stat in descendants(runner)] if runner else []
        for pid in (run.pid, console.pid, *filter(None, [runner]), *below):
            if (name := name_of(pid)) and (rss := read_rss(pid)):
                memory[f"{name} {pid}"].append((now, rss))
        sizes.append((now, records[0].events_path.stat().st_size))
        if ending is None and b'"phase":"drain"' in records[0].events_path.read_bytes()[-5000:]:
            ending = now
        time.sleep(EVERY)
    console.terminate()
    console.wait(10)
    assert run.returncode == 0
    under_load = {
        name: [point for point in points if ending is None or point[0] < ending]
        for name, points in memory.items()
    }
    print()
    for name, points in under_load.items():
        most = max(rss for _, rss in memory[name])
        print(
            f"{name:24} {points[-1][1] / 1e6:7.1f} MB  {slope(points):+8.1f} kB a minute over {points[-1][0]:.0f} s, "
            f"at most {most / 1e6:.1f} MB"
        )
    over_time = ", ".join(f"{size / 1e6:.1f}" for _, size in sizes[:: max(1, len(sizes) // 20)])
    print(
        f"record {sizes[-1][1] / 1e6:.1f} MB, {slope(sizes) / 60:.1f} kB per second; over time: {over_time} MB"
    )
    assert {name.rpartition(" ")[0] for name in memory} == set(OURS.values())
    assert {name: slope(points) for name, points in under_load.items() if slope(points) > FLAT} == {}
    ends = {name: max(rss for _, rss in points) - under_load[name][-1][1] for name, points in memory.items()}
    assert {name: more for name, more in ends.items() if more > END} == {}
