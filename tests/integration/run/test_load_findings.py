"""Findings on the load and on its rounds, each provoked for real, and runs of a good load that raise none of them."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import Command
from tui.plan.checks import free_ports
from tui.system.procfs import descendants

ODD_SERVER = Path(__file__).parents[2] / "support" / "odd_server.py"
ONE_ROUND = ("--set", "load.warmup=300ms", "--set", "load.rounds=1", "--set", "load.duration=2s")


def findings(summary: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {finding["code"]: finding for finding in summary["findings"]}


class Odd:
    """Runs on a server with one odd habit, as an external stack."""

    def __init__(self, stackdyno: Command, folder: Path) -> None:
        self._stackdyno = stackdyno
        self._folder = folder
        self.servers: list[subprocess.Popen[bytes]] = []

    def __call__(self, habit: str, *overrides: str) -> dict[str, dict[str, Any]]:
        """The findings of a run of 8 connections."""
        return findings(self.summary(habit, *overrides))

    def summary(self, habit: str, *overrides: str) -> dict[str, Any]:
        (port,) = free_ports(1)
        self.servers.append(subprocess.Popen([sys.executable, ODD_SERVER, str(port), habit]))
        os.sched_setaffinity(
            self.servers[-1].pid, {min(os.sched_getaffinity(0))}
        )  # the CPU whose idle time is read
        (self._folder / "odd.pid").write_text(str(self.servers[-1].pid))
        profile = self._folder / "odd.toml"
        profile.write_text(
            f"""
            title   = "An odd server"
            stack   = "external"
            options = {{ url = "http://127.0.0.1:{port}/", pid_file = "{self._folder}/odd.pid" }}
            load    = {{ connections = 8, duration = "1s", warmup = "200ms", rounds = 2 }}
            expect  = {{ body = "hello" }}
            """
        )
        words = [word for override in overrides for word in ("--set", override)]
        done = self._stackdyno.run(str(profile), *words, "--format", "json")
        assert done.out, done.err
        return done.summary

    def end(self) -> None:
        for server in self.servers:
            server.kill()
            server.wait()


@pytest.fixture
def odd(stackdyno: Command, tmp_path: Path) -> Iterator[Odd]:
    runs = Odd(stackdyno, tmp_path)
    yield runs
    runs.end()


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
def test_a_load_process_that_is_suspended_for_a_while_makes_its_latency_invalid(
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


OF_THE_LOAD = {
    "generator-lag", "errors", "unexpected-status", "unexpected-body", "client-limit", "stalled", "littles-law",
    "connections-short", "keepalive-broken", "drift", "scatter",
}  # fmt: skip


@pytest.mark.alone
@pytest.mark.parametrize("keepalive", ["true", "false"])
def test_a_server_without_odd_habits_raises_nothing_and_waits_for_something_else_than_cpu(
    odd: Odd, keepalive: str
) -> None:
    summary = odd.summary("good", f"load.keepalive={keepalive}", "load.rounds=3")
    assert not findings(summary).keys() & OF_THE_LOAD
    assert summary["bottleneck"]["who"] == "neither", summary["bottleneck"]
    assert findings(summary)["bottleneck"]["severity"] == "note"
    assert "waits for something other than CPU" in summary["bottleneck"]["evidence"]


def test_connections_that_the_server_does_not_close_as_asked_are_idle(odd: Odd) -> None:
    finding = odd("leaves-open", "load.duration=2s", "load.rounds=1")["littles-law"]
    assert (finding["severity"], finding["quantities"]) == ("invalid", ["rate", "latency"])
    assert finding["evidence"].endswith(" in flight, and the server was closing 0.0, of 8 connections")


def test_connections_that_are_closed_and_not_kept(odd: Odd) -> None:
    found = odd("closes", "load.keepalive=true")
    assert found.keys() & OF_THE_LOAD == {"keepalive-broken"}
    assert "1.0 each" in found["keepalive-broken"]["evidence"]


def test_connections_that_find_no_place_in_the_queue(stackdyno: Command) -> None:
    """Those are tried again by the kernel after a second; given up before, none of them gets in by and by."""
    full = ("--set", "options.backlog=4", "--set", "load.requests=1000", "--set", "load.timeout=800ms")
    done = stackdyno.run("gunicorn-sync", *ONE_ROUND, *full, "--format", "json")
    finding = findings(done.summary)["connections-short"]
    assert finding["severity"] == "warning"
    assert finding["text"].endswith("than the 50 configured")


@pytest.mark.parametrize(
    ("habit", "code", "evidence"),
    [
        ("fails", "unexpected-status", "status {}: 503 {}"),
        ("garbles", "unexpected-body", "body {}: not the expected one (5 bytes) {}"),
        ("falters", "errors", "reset {}: closed before any byte of the answer {}"),
    ],
)
def test_bad_answers_are_reported_by_their_kind(odd: Odd, habit: str, code: str, evidence: str) -> None:
    found = odd(habit, "load.keepalive=true")
    assert found.keys() & OF_THE_LOAD == {code}
    number = found[code]["text"].partition(" ")[0]
    assert found[code]["severity"] == "invalid"
    assert found[code]["evidence"] == evidence.format(number, number)


def test_a_limit_of_our_own_is_not_the_stacks_fault(stackdyno: Command) -> None:
    running = stackdyno.start("gunicorn-sync", *ONE_ROUND, "--format", "json")
    stackdyno.wait_for(lambda state: state.phase_name == "warm-up")
    resource.prlimit(load_process(stackdyno.runner().pid), resource.RLIMIT_NOFILE, (30, 30))
    out, _ = running.communicate(timeout=60)
    found = findings(json.loads(out))
    assert found.keys() & OF_THE_LOAD >= {"client-limit", "connections-short", "littles-law"}
    assert found["client-limit"]["evidence"].endswith(
        "Too many open files " + found["client-limit"]["text"].split()[0]
    )


def test_a_server_that_slows_down_has_no_steady_state(odd: Odd) -> None:
    found = odd("slows", "load.rounds=3", "load.duration=3s")
    assert (found["drift"]["severity"], found["drift"]["quantities"]) == ("warning", ["rate", "latency"])
    assert "over the rounds the rate fell by" in found["drift"]["text"]


def test_a_round_in_which_the_server_stood_still_scatters(odd: Odd, stackdyno: Command) -> None:
    """For half of its second round; the others agree."""
    with ThreadPoolExecutor(1) as background:
        run = background.submit(odd, "good", "load.rounds=3")
        began = stackdyno.wait_for(lambda state: state.round == 2).now
        odd.servers[-1].send_signal(signal.SIGSTOP)
        try:
            stackdyno.wait_for(lambda state: state.now > began + 0.5)
        finally:
            odd.servers[-1].send_signal(signal.SIGCONT)
        found = run.result()
    assert found["scatter"]["severity"] == "warning"
    assert "rate" in found["scatter"]["quantities"]
    assert "drift" not in found


@pytest.mark.alone
def test_a_server_that_works_is_limited_by_its_cpus(odd: Odd) -> None:
    summary = odd.summary("works")
    assert summary["bottleneck"]["who"] == "server", summary["bottleneck"]
    assert "bottleneck" not in findings(summary)
