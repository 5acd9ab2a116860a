"""Findings on where things run and on a run without good answers, each provoked for real."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.command import Command
from tui.system.cpus import usable_cpus

TWO_CPUS = len(usable_cpus()) > 1
LOADED = (
    "--set", "load.warmup=300ms", "--set", "load.rounds=1", "--set", "load.duration=1500ms",
    "--set", "load.rate=100", "--format", "json",
)  # fmt: skip


@contextlib.contextmanager
def busy(cpu: int) -> Iterator[None]:
    """Something else that takes all that it gets of a CPU."""
    program = f"import os\nos.sched_setaffinity(0, {{{cpu}}})\nwhile True: pass"
    burner = subprocess.Popen([sys.executable, "-c", program])
    try:
        yield
    finally:
        burner.kill()
        burner.wait()


def apart() -> tuple[int, int, tuple[str, ...]]:
    """The server's CPU, the load's, and the overrides that say so."""
    server, load = usable_cpus()[:2]
    return server, load, ("--set", f"cpus={server}", "--set", f"load.cpus={load}")


def findings(summary: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {finding["code"]: finding for finding in summary["findings"]}


@pytest.mark.skipif(not TWO_CPUS, reason="needs two CPUs")
@pytest.mark.parametrize("side", ["server", "load"])
def test_what_else_uses_a_cpu_of_the_run_is_reported(stackdyno: Command, side: str) -> None:
    server, load, overrides = apart()
    running = stackdyno.start("gunicorn-sync", *LOADED, *overrides)
    stackdyno.wait_for(lambda state: state.phase_name == "warm-up")
    with busy(server if side == "server" else load):
        stackdyno.wait_for(lambda state: state.rounds)
    out, _ = running.communicate(timeout=60)
    finding = findings(json.loads(out))[f"{side}-cpu-taken"]
    assert (finding["severity"], finding["quantities"]) == ("warning", ["rate", "latency"])


@pytest.mark.skipif(not TWO_CPUS, reason="needs two CPUs")
def test_a_worker_that_leaves_the_servers_cpus_makes_rate_and_latency_invalid(stackdyno: Command) -> None:
    _, load, overrides = apart()
    running = stackdyno.start("gunicorn-sync", *LOADED, *overrides)
    state = stackdyno.wait_for(lambda state: state.in_round)
    worker = next(each.seen.pid for each in state.processes.values() if each.seen.role == "worker")
    os.sched_setaffinity(worker, {load})
    out, _ = running.communicate(timeout=60)
    summary = json.loads(out)
    finding = findings(summary)["misbound"]
    assert finding["severity"] == "invalid"
    assert finding["evidence"] == f"pid {worker} on CPU {load}"
    assert {"rate", "latency"} <= set(summary["invalid"])
    assert running.returncode == 1


def test_one_round_without_a_good_answer_is_told_as_both(stackdyno: Command) -> None:
    running = stackdyno.start(
        "gunicorn-sync", *LOADED, "--set", "load.timeout=300ms", "--set", "load.warmup=1s"
    )
    state = stackdyno.wait_for(lambda state: state.phase_name == "warm-up")
    workers = [each.seen.pid for each in state.processes.values() if each.seen.role == "worker"]
    assert workers
    for worker in workers:
        os.kill(worker, signal.SIGSTOP)
    try:
        stackdyno.wait_for(lambda state: state.rounds)
    finally:
        for worker in workers:
            os.kill(worker, signal.SIGCONT)
    out, _ = running.communicate(timeout=60)
    summary = json.loads(out)
    found = findings(summary)
    assert summary["result"]["good"] == 0
    assert found["no-good-answer"]["severity"] == "invalid"
    assert found["errors"]["text"].endswith("(100 %)")
    assert found["one-round"]["severity"] == "warning"
