"""Findings on the load and on its rounds, each provoked for real, and runs of a good load that raise none of them."""

from __future__ import annotations

import contextlib
import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.integration.run.command import Command
from tui.system.procfs import descendants

ONE_ROUND = ("--set", "load.warmup=300ms", "--set", "load.rounds=1", "--set", "load.duration=2s")


def findings(summary: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {finding["code"]: finding for finding in summary["findings"]}


def load_process(runner: int) -> int:
    """Of a run whose load has one process."""
    found = [
        stat.pid
        for stat in descendants(runner)
        if b"tui.load.process" in Path(f"/proc/{stat.pid}/cmdline").read_bytes()
    ]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    ("loop", "touched"), [((), ["rate", "latency"]), (("--set", "load.rate=200"), ["latency"])]
)
def test_a_load_process_that_is_stopped_for_a_while_voids_its_latency(
    stackdyno: Command, loop: tuple[str, ...], touched: list[str]
) -> None:
    running = stackdyno.start("gunicorn-sync", *ONE_ROUND, *loop, "--format", "json")
    begun = stackdyno.wait_for(lambda state: any(point.round == 1 for point in state.rate)).now
    stopped = load_process(stackdyno.runner().pid)
    os.kill(stopped, signal.SIGSTOP)
    try:  # for half a second of the run's own clock
        stackdyno.wait_for(lambda state: state.now > begun + 0.6)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(stopped, signal.SIGCONT)
    out, _ = running.communicate(timeout=60)
    summary = json.loads(out)
    finding = findings(summary)["generator-lag"]
    assert (finding["severity"], finding["quantities"]) == ("invalid", touched)
    assert set(touched) <= set(summary["invalid"])
    assert (running.returncode, summary["verdict"]) == (1, "good")
