"""Whole runs of the shipped profiles, on real servers."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.checking import check, every_worker
from tests.support.command import SHORT, Command
from tui.system.cpus import usable_cpus
from tui.system.procfs import is_alive

TWO_CPUS = len(usable_cpus()) > 1


def test_the_default_profile(stackdyno: Command) -> None:
    done = stackdyno.run("gunicorn-sync", *SHORT, "--format", "json")
    summary = done.summary
    check(summary)
    assert done.status == 0
    assert len(every_worker(summary)) == 2
    assert summary["result"]["bad"] == 0
    assert summary["result"]["connections_opened"] == summary["result"]["sent"]
    assert [row["number"] for row in summary["rounds"]] == [1, 2]
    assert all(0.39 < row["seconds"] < 0.45 for row in summary["rounds"])
    assert summary["versions"]["gunicorn"]
    assert summary["cold_start"] > 0
    assert stackdyno.record.summary_path.read_text() == done.out
    if TWO_CPUS:
        assert set(summary["stack"]["server_cpus"]).isdisjoint(summary["stack"]["load_cpus"])
        assert all(process["bound"] == summary["stack"]["server_cpus"] for process in summary["processes"])


def test_a_machine_with_one_cpu_is_warned_and_served(stackdyno: Command) -> None:
    done = stackdyno.run("gunicorn-sync", *SHORT, "--format", "json", cpus={usable_cpus()[0]})
    check(done.summary)
    assert done.status == 0
    overlap = [finding for finding in done.summary["findings"] if finding["code"] == "overlap"]
    assert [finding["severity"] for finding in overlap] == ["warning"]


def test_a_number_of_requests_is_exact_with_two_load_processes(stackdyno: Command) -> None:
    cpu = usable_cpus()
    both = f"{cpu[0]},{cpu[1]}" if TWO_CPUS else str(cpu[0])
    done = stackdyno.run(
        "gunicorn-sync", *SHORT, "--set", "load.requests=901", "--set", f"load.cpus={both}",
        "--set", f"cpus={cpu[0]}", "--format", "json",
    )  # fmt: skip
    summary = done.summary
    check(summary)
    assert [row["good"] for row in summary["rounds"]] == [901, 901]
    assert summary["result"]["outcomes"]["unfinished"] == 0
    assert summary["load"]["processes"] == (2 if TWO_CPUS else 1)
    assert done.status == (1 if TWO_CPUS else 0)  # the CPUs overlap, and it was chosen


@pytest.mark.skipif(
    shutil.which("nginx", path="/usr/sbin:/usr/bin") is None,
    reason="not installed: nginx (apt install nginx)",
)
def test_nginx_in_front_of_gunicorn(stackdyno: Command) -> None:
    done = stackdyno.run(
        "nginx-gunicorn",
        *SHORT,
        "--set",
        "load.keepalive=true",
        "--set",
        "load.connections=20",
        "--set",
        "load.requests=300",
        "--format",
        "json",
    )
    summary = done.summary
    check(summary)
    assert done.status == 0
    roles = sorted((process["service"], process["role"]) for process in summary["processes"])
    assert roles == [
        ("gunicorn", "master"),
        ("gunicorn", "worker"),
        ("gunicorn", "worker"),
        ("nginx", "front"),
        ("nginx", "master"),
    ]
    assert summary["result"]["requests_on_reused_connections"] > 0
    assert summary["result"]["server_software"].startswith("nginx")
    assert set(summary["versions"]) >= {"nginx", "gunicorn"}


def test_workers_are_pinned_one_by_one_and_a_respawned_one_again(stackdyno: Command) -> None:
    if not TWO_CPUS:
        pytest.skip("needs two CPUs")
    first, second = usable_cpus()[:2]
    running = stackdyno.start(
        "gunicorn-sync", "--set", "pin=each", "--set", f"cpus={first},{second}", "--set", f"load.cpus={second}",
        "--set", "load.warmup=200ms", "--set", "load.rounds=1", "--set", "load.duration=2500ms",
        "--set", "load.connections=4", "--set", "load.rate=100", "--format", "json",
    )  # fmt: skip
    state = stackdyno.wait_for(lambda state: state.in_round)
    pinned = {
        process.seen.bound: process for process in state.processes.values() if process.seen.role == "worker"
    }
    assert set(pinned) == {(first,), (second,)}
    import os
    import signal

    os.kill(pinned[(second,)].seen.pid, signal.SIGKILL)
    out, _ = running.communicate(timeout=60)
    import json

    summary = json.loads(out)
    check(summary)
    assert len(every_worker(summary)) == 3
    alive = [process for process in every_worker(summary) if process["ended_at"] is None]
    assert sorted(tuple(process["bound"]) for process in alive) == [(first,), (second,)]
    codes = {finding["code"]: finding for finding in summary["findings"]}
    assert {"worker-came", "worker-went"} <= set(codes)


def test_an_external_stack_is_measured_and_left_alone(stackdyno: Command, tmp_path: Path) -> None:
    import subprocess
    import sys
    import time

    from tui.system.procfs import read_stat

    pid_file, socket = tmp_path / "g.pid", tmp_path / "g.sock"
    (tmp_path / "app.py").write_text(
        "def application(environ, start_response):\n"
        "    start_response('200 OK', [('Content-Length', '5')])\n"
        "    return [b'hello']\n"
    )
    import socket as sockets

    with sockets.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "gunicorn", "--no-control-socket", "-w", "2", "-b", f"127.0.0.1:{port}",
         "-p", str(pid_file), "app"],
        cwd=tmp_path, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        profile = tmp_path / "outside.toml"
        profile.write_text(
            f"""
            title = "What runs already"
            stack = "external"
            [options]
            url = "http://127.0.0.1:{port}/"
            pid_file = "{pid_file}"
            [load]
            connections = 4
            duration = "400ms"
            warmup = "200ms"
            rounds = 2
            [expect]
            body = "hello"
            """
        )
        deadline = time.monotonic() + 10
        while not pid_file.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        summary = stackdyno.run(str(profile), "--format", "json").summary
        check(summary)
        assert [process["role"] for process in summary["processes"]] == ["master", "worker", "worker"]
        assert summary["processes"][0]["pid"] == server.pid
        stat = read_stat(server.pid)
        assert stat is not None
        assert is_alive(stat.identity)
    finally:
        server.terminate()
        server.wait(10)
    assert not socket.exists()
