"""An external server that is reloaded in mid-run: a finding, and nothing of it counts as left by the run."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command import Command
from tests.support.installed import nginx_program
from tui.plan.checks import free_ports
from tui.record.state import RunState
from tui.system.procfs import descendants

NGINX = """
daemon off; worker_processes 2; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{
    access_log off; client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c;
    uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
    server {{ listen 127.0.0.1:{port}; location / {{ return 200 hello; }} }}
}}
"""
APP = """
import mmap, os, socket, tempfile
here = socket.socket(socket.AF_UNIX)  # each worker of a reload brings what a run must not call its own
here.bind(tempfile.mktemp(prefix="reloaded-", dir="/tmp"))
here.listen()
shared = open(f"/dev/shm/reloaded-{os.getpid()}", "wb")

def application(environ, start_response):
    start_response("200 OK", [("Content-Length", "5")])
    return [b"hello"]
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="sd-") as name:
        Path(name).chmod(0o755)
        yield Path(name)
    for place in ("/tmp", "/dev/shm"):
        for path in Path(place).glob("reloaded-*"):
            path.unlink()


@contextlib.contextmanager
def served(folder: Path, server: str, port: int) -> Iterator[subprocess.Popen[bytes]]:
    if server == "nginx":
        (folder / "conf").write_text(NGINX.format(folder=folder, port=port))
        command = [nginx_program(), "-c", str(folder / "conf"), "-e", str(folder / "error.log")]
    else:
        (folder / "app.py").write_text(APP)
        command = [sys.executable, "-m", "gunicorn", "--no-control-socket", "-w", "2"]
        command += ["-b", f"127.0.0.1:{port}", "-p", str(folder / "pid"), "app"]
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 10
        while not (folder / "pid").exists():
            assert time.monotonic() < deadline
            time.sleep(0.02)
        yield process
    finally:
        process.terminate()
        process.wait(10)


def in_the_first_round(state: RunState) -> bool:
    return state.in_round and any(point.round == 1 for point in state.rate)


@pytest.mark.parametrize("server", ["nginx", "gunicorn"])
def test_a_reload_is_a_finding_and_leaves_nothing(stackdyno: Command, folder: Path, server: str) -> None:
    (port,) = free_ports(1)
    profile = folder / "outside.toml"
    profile.write_text(
        f"""
        title = "What is reloaded"
        stack = "external"
        [options]
        url = "http://127.0.0.1:{port}/"
        pid_file = "{folder}/pid"
        [load]
        connections = 4
        rate = {1000 if server == "nginx" else 200}
        duration = "1500ms"
        warmup = "200ms"
        rounds = 2
        [expect]
        body = "hello"
        """
    )
    with served(folder, server, port) as process:
        running = stackdyno.start(str(profile), "--format", "json")
        stackdyno.wait_for(in_the_first_round)
        os.kill(process.pid, signal.SIGHUP)
        out, err = running.communicate(timeout=60)
        workers = {stat.pid for stat in descendants(process.pid) if stat.alive}
    assert out, err
    summary = json.loads(out)
    assert (summary["verdict"], summary["left_running"]) == ("good", []), summary["reason"]
    codes = {finding["code"]: finding for finding in summary["findings"]}
    assert "reloaded" in codes
    assert not {"worker-came", "worker-went"} & codes.keys()
    new = [each for each in summary["processes"] if each["ended_at"] is None and each["role"] == "worker"]
    assert {each["pid"] for each in new} == workers
    assert all(each["pss"] > 0 for each in new)
    assert summary["rounds"][1]["stack_cpu"] > 0
