"""The master and the workers of an app on Node."""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.integration.apps.serving import Served, served
from tui.system.procfs import every_process, read_cmdline

TITLES = ["hello worker 1", "hello worker 2"]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Served]:
    with served("hello", "node", tmp_path, WORKERS="2") as server:
        assert eventually(lambda: sorted(workers(server)) == TITLES)
        yield server


def workers(server: Served) -> dict[str, int]:
    """The pids of the living workers by their titles."""
    children = [stat for stat in every_process() if stat.ppid == server.process.pid and stat.alive]
    return {(read_cmdline(stat.pid) or "").strip(): stat.pid for stat in children}


def eventually(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 10
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def test_the_titles_tell_master_and_workers(cluster: Served) -> None:
    assert (read_cmdline(cluster.process.pid) or "").strip() == "hello master"
    assert cluster.ask("/").body == b"Hello, world!\n"


def test_a_worker_that_ends_is_replaced(cluster: Served) -> None:
    os.kill(workers(cluster)["hello worker 1"], signal.SIGKILL)
    assert eventually(lambda: sorted(workers(cluster)) == ["hello worker 2", "hello worker 3"])


def test_it_ends_by_sigterm_although_a_client_keeps_its_connection(cluster: Served, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(10)
        client.connect(str(tmp_path / "socket"))
        client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert client.recv(4096).startswith(b"HTTP/1.1 200 OK")
        cluster.process.terminate()
        assert cluster.process.wait(10) == 0
        assert client.recv(4096) == b""
    assert not (tmp_path / "socket").exists()
    assert cluster.log.read_text() == ""
