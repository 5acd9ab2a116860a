"""Whether looking changes what is seen: the rate of nginx-gunicorn with the console open over the rate without.

Each start of the stack is one sample, in the order A B B A. Pairs are added until the 95 % interval of the ratio is
within 3 %, or their number says "can't tell"; both are results, and are printed.
"""

from __future__ import annotations

import json
import math
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.watchers import watching
from tui.record.record import list_records

LEAST, MOST = 6, 20
WITHIN = 0.03
T_975 = (
    12.71,
    4.30,
    3.18,
    2.78,
    2.57,
    2.45,
    2.36,
    2.31,
    2.26,
    2.23,
    2.20,
    2.18,
    2.16,
    2.14,
    2.13,
    2.12,
    2.11,
    2.10,
    2.09,
)
"""Student's t at 97.5 %, from 1 degree of freedom on."""

pytestmark = [pytest.mark.benchmark, pytest.mark.timeout(900)]


def rate(runs: Path, *, console: bool) -> float:
    """Good answers per second of one fresh start."""
    command = [sys.executable, "-m", "tui.cli", "--runs", str(runs), "--trust"]
    run = subprocess.Popen(
        [*command, "run", "--concurrent", "nginx-gunicorn", "--set", "load.rounds=2", "--set", "load.duration=2s",
         "--set", "load.warmup=1s", "--format", "json"],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    watcher = attached(command, runs, run) if console else None
    out, _ = run.communicate(timeout=60)
    if watcher is not None:
        watcher.terminate()
        watcher.wait(10)
    return float(json.loads(out)["result"]["requests_per_second"])


def attached(command: list[str], runs: Path, run: subprocess.Popen[str]) -> subprocess.Popen[bytes]:
    """A console on the newest run."""
    before = len(list_records(runs))
    while len(list_records(runs)) == before and run.poll() is None:
        pass
    return watching(command, "attach")


def interval(ratios: list[float]) -> tuple[float, float, float]:
    """The geometric mean ratio and its 95 % interval."""
    logs = [math.log(ratio) for ratio in ratios]
    mean = statistics.mean(logs)
    half = T_975[min(len(logs) - 2, len(T_975) - 1)] * statistics.stdev(logs) / math.sqrt(len(logs))
    return math.exp(mean), math.exp(mean - half), math.exp(mean + half)


def test_the_console_does_not_change_what_it_shows(tmp_path: Path) -> None:
    ratios: list[float] = []
    while len(ratios) < MOST:
        order = (True, False) if len(ratios) % 2 else (False, True)
        found = {console: rate(tmp_path / "runs", console=console) for console in order}
        ratios.append(found[True] / found[False])
        if len(ratios) >= LEAST:
            mean, low, high = interval(ratios)
            if high - low <= 2 * WITHIN:
                break
    verdict = "" if high - low <= 2 * WITHIN else " can't tell: the noise is larger than 3 %;"
    print(
        f"\nreq/s with the console open over without:{verdict} {mean:.3f} (95 %: {low:.3f} to {high:.3f}), "
        f"{len(ratios)} pairs, single pairs {min(ratios):.3f} to {max(ratios):.3f}"
    )
    assert high > 1 - WITHIN, "the console slows the server down by more than 3 %"
