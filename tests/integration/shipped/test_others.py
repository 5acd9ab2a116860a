"""Node's cluster, HAProxy and Caddy; and that a web server which runs on the machine isn't disturbed."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.checking import good, needs, workers
from tests.support.command import SHORT, Command, gone
from tui.plan.checks import find_program, free_ports
from tui.system.procfs import Identity, descendants, read_stat

NOBODY = ("user=nobody",) if os.geteuid() == 0 else ()
"""As another user than who started the test, where that can be."""
TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
"""What nginx has temporary files for."""


@pytest.mark.parametrize("wanted", [(), ("app=static", *NOBODY)])
def test_node_cluster(stackdyno: Command, wanted: tuple[str, ...]) -> None:
    good(stackdyno, "node-cluster", "workers=3", *wanted, roles={"master": 1, "worker": 3})


@pytest.mark.parametrize("wanted", [(), ("load.keepalive=true", *NOBODY)])
def test_haproxy_in_front_of_thins(stackdyno: Command, wanted: tuple[str, ...]) -> None:
    good(stackdyno, "haproxy-thin", "workers=3", *wanted, roles={"master": 1, "front": 1, "worker": 3})


@pytest.mark.parametrize("wanted", [(), ("app=static", *NOBODY)])
def test_caddy_in_front_of_thins(stackdyno: Command, wanted: tuple[str, ...]) -> None:
    good(stackdyno, "caddy-thin", "workers=3", *wanted, roles={"front": 1, "worker": 3})


def test_nginx_serves_a_file_itself(stackdyno: Command) -> None:
    summary = good(stackdyno, "nginx-static", roles={"master": 2, "front": 1, "worker": 1})
    (worker,) = workers(summary)
    assert worker["cpu"] < 0.05


@pytest.mark.parametrize("wanted", [(), ("app=page", *NOBODY)])
def test_caddy_in_front_of_php_fpm(stackdyno: Command, wanted: tuple[str, ...]) -> None:
    good(stackdyno, "caddy-php-fpm", "workers=3", *wanted, roles={"master": 1, "front": 1, "worker": 3})


def test_the_nginx_that_runs_on_the_machine_is_not_disturbed(stackdyno: Command, stranger: Stranger) -> None:
    needs("nginx-php-fpm")
    answer, processes, left = stranger.answer(), stranger.processes(), stranger.files()
    running = stackdyno.start("nginx-php-fpm", *SHORT, "--format", "json")
    stackdyno.wait_for(lambda state: state.in_round)
    assert stranger.answer() == answer
    out, err = running.communicate(timeout=60)
    summary = json.loads(out)
    assert summary["verdict"] == "good", err
    assert summary["left_running"] == []
    assert not {process.pid for process in processes} & {each["pid"] for each in summary["processes"]}
    assert (stranger.answer(), stranger.processes(), stranger.files()) == (answer, processes, left)


@dataclass
class Stranger:
    """An nginx in the background, as the distribution starts it, that is none of the stack's."""

    folder: Path
    port: int

    def answer(self) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        connection.request("GET", "/")
        response = connection.getresponse()
        return response.status, response.read()

    @property
    def master(self) -> Identity:
        stat = read_stat(int((self.folder / "nginx.pid").read_text()))
        assert stat is not None and stat.alive
        return stat.identity

    def processes(self) -> list[Identity]:
        """The master and its workers."""
        return [self.master, *sorted(stat.identity for stat in descendants(self.master.pid))]

    def files(self) -> list[Path]:
        return sorted(self.folder.rglob("*"))


@pytest.fixture
def stranger(tmp_path: Path) -> Iterator[Stranger]:
    """The distribution's nginx with its own configuration, on a free port and with its files in another folder."""
    program, etc = find_program("nginx"), Path("/etc/nginx")
    if program is None or not (etc / "nginx.conf").exists():
        pytest.skip("not installed: apt install nginx")
    folder, (port,) = tmp_path / "stranger", free_ports(1)
    shutil.copytree(etc, folder / "etc")
    temporary = "".join(f"{kind}_temp_path {folder}/{kind};" for kind in TEMPORARY)
    for file in (folder / "etc").rglob("*"):
        if not file.is_file() or file.suffix not in ("", ".conf"):
            continue
        text = file.read_text().replace("/etc/nginx", f"{folder}/etc").replace("/var/log/nginx", str(folder))
        text = text.replace("/run/nginx.pid", f"{folder}/nginx.pid").replace("http {", "http {" + temporary)
        text = re.sub(r"listen \[::\]:80 .*", "", text)
        file.write_text(re.sub(r"listen 80\b", f"listen 127.0.0.1:{port}", text))
    nginx = Stranger(folder, port)
    subprocess.run(
        [program, "-c", folder / "etc/nginx.conf", "-e", folder / "error.log"], check=True, timeout=10
    )
    deadline = time.monotonic() + 5
    while not (folder / "nginx.pid").exists() or len(nginx.processes()) < 2:
        assert time.monotonic() < deadline, (folder / "error.log").read_text()
        time.sleep(0.02)
    processes = nginx.processes()
    yield nginx
    os.kill(processes[0].pid, signal.SIGQUIT)
    assert gone(processes, 5)
