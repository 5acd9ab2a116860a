"""Descriptors of real processes, and real sockets in TIME_WAIT on either side."""

from __future__ import annotations

import os
import resource
import socket
from pathlib import Path

import pytest

from tests.support.sampled_programs import Start
from tui.sampling.descriptors import read_descriptors
from tui.sampling.ports import port_use
from tui.system.procfs import Identity, read_stat
from tui.system.sock_diag import TimeWaits, tcp_time_waits

MANY = 200


def exchange(address: tuple[str, int], listener: socket.socket, *, client_first: bool) -> None:
    """One connection, which one side closes when the other has read all."""
    client = socket.create_connection(address)
    server, _ = listener.accept()
    first, second = (client, server) if client_first else (server, client)
    first.shutdown(socket.SHUT_WR)
    assert second.recv(1) == b""
    second.close()
    assert first.recv(1) == b""
    first.close()


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_time_wait_lies_where_the_connection_was_closed_first(host: str) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, 0), family=family) as listener:
        address = listener.getsockname()[:2]
        assert tcp_time_waits(*address) == TimeWaits(0, 0)
        for _ in range(MANY):
            exchange(address, listener, client_first=True)
        assert tcp_time_waits(*address) == TimeWaits(MANY, 0)
        for _ in range(MANY // 2):
            exchange(address, listener, client_first=False)
        assert tcp_time_waits(*address) == TimeWaits(MANY, MANY // 2)


def test_a_server_of_both_protocols_is_one_server() -> None:
    with socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True) as listener:
        address = "127.0.0.1", listener.getsockname()[1]
        exchange(address, listener, client_first=True)
        exchange(address, listener, client_first=False)
        assert tcp_time_waits(*address) == TimeWaits(1, 1)


def test_the_ports_are_those_of_this_machine() -> None:
    use = port_use("127.0.0.1", 1)
    assert use.waits.client == 0
    assert use.ports is not None
    assert 1 < use.ports < 65536


HOLDS = """
import resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
files = [open('/dev/null') for _ in range(40)]
print('ready', flush=True)
sys.stdin.read()
"""


def identity(pid: int) -> Identity:
    stat = read_stat(pid)
    assert stat is not None
    return stat.identity


def test_what_a_process_has_open_and_may(start: Start) -> None:
    seen = read_descriptors(identity(start(HOLDS).pid))
    assert seen is not None
    assert (seen.open, seen.limit) == (43, 64)


def test_our_own_are_those_that_we_count_ourselves() -> None:
    seen = read_descriptors(identity(os.getpid()))
    assert seen is not None
    assert seen.limit == resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    assert seen.open is not None
    assert abs(seen.open - len(list(Path("/proc/self/fd").iterdir()))) <= 1


def test_a_process_that_is_gone_has_none() -> None:
    assert read_descriptors(Identity(1 << 22, 1)) is None
