"""Queues, backlogs and drops of real listening sockets that nobody accepts from."""

from __future__ import annotations

import errno
import os
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.sampled_programs import Start
from tui.sampling.queues import QueueSampler
from tui.system import sock_diag
from tui.system.sockets import tcp_listen_drops

BACKLOG = 2
WAITING = BACKLOG + 1
"""The kernel lets one more wait than the backlog says."""


@pytest.fixture
def clients() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def connects(clients: ExitStack, family: int, address: object, number: int) -> list[int]:
    """Begin so many connections and wait for none; the error number of each."""
    results = []
    for _ in range(number):
        client = clients.enter_context(socket.socket(family, socket.SOCK_STREAM))
        client.setblocking(False)
        results.append(client.connect_ex(address))  # type: ignore[arg-type]
    return results


def test_a_tcp_socket_that_overflows(clients: ExitStack) -> None:
    listener = clients.enter_context(socket.create_server(("127.0.0.1", 0), backlog=BACKLOG))
    port = listener.getsockname()[1]
    sampler = QueueSampler([port], [])
    (empty,) = sampler.sample().queues
    assert (empty.kind, empty.address) == ("tcp", f"127.0.0.1:{port}")
    assert (empty.queue, empty.backlog, empty.drops) == (0, BACKLOG, 0)

    began = time.monotonic()
    connects(clients, socket.AF_INET, ("127.0.0.1", port), 10)
    (full,) = sampler.sample().queues
    took = time.monotonic() - began
    assert (full.queue, full.backlog, full.inode) == (WAITING, BACKLOG, empty.inode)
    assert full.drops is not None
    if took < 0.9:  # later the clients have tried again, and were dropped again
        assert full.drops == 10 - WAITING
    assert full.drops >= 10 - WAITING

    deadline = time.monotonic() + 10
    while sampler.sample().queues[0].drops == full.drops:
        assert time.monotonic() < deadline, "no client tried again"
        time.sleep(0.05)


def test_what_else_the_kernel_drops_is_no_overflow(
    clients: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    listener = clients.enter_context(socket.create_server(("127.0.0.1", 0)))
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_DEFER_ACCEPT, 5)
    port = listener.getsockname()[1]
    monkeypatch.setattr("tui.sampling.queues.tcp_listen_drops", lambda: 1000)  # concurrent tests overflow too
    sampler = QueueSampler([port], [])
    sampler.sample()
    connects(clients, socket.AF_INET, ("127.0.0.1", port), 3)
    (told,) = [each for each in sock_diag.tcp_listen_queues() if each.port == port]
    assert told.drops == 3
    assert sampler.sample().queues[0].drops == 0


def test_the_kernel_counts_what_full_queues_dropped(clients: ExitStack) -> None:
    before = tcp_listen_drops()
    assert before is not None
    listener = clients.enter_context(socket.create_server(("127.0.0.1", 0), backlog=BACKLOG))
    connects(clients, socket.AF_INET, listener.getsockname(), 10)
    after = tcp_listen_drops()
    assert after is not None and after - before >= 10 - WAITING


def test_an_ipv6_socket(clients: ExitStack) -> None:
    try:
        listener = clients.enter_context(socket.create_server(("::1", 0), family=socket.AF_INET6, backlog=7))
    except OSError:
        pytest.skip("this machine has no IPv6")
    port = listener.getsockname()[1]
    connects(clients, socket.AF_INET6, ("::1", port), 3)
    (queue,) = QueueSampler([port], []).sample().queues
    assert (queue.address, queue.queue, queue.backlog, queue.drops) == (f"[::1]:{port}", 3, 7, 0)


def test_a_unix_socket_that_refuses(clients: ExitStack, tmp_path: Path) -> None:
    path = str(tmp_path / "app.sock")
    listener = clients.enter_context(socket.socket(socket.AF_UNIX))
    listener.bind(path)
    listener.listen(BACKLOG)
    errors = connects(clients, socket.AF_UNIX, path, 10)
    assert errors == [0] * WAITING + [errno.EAGAIN] * (10 - WAITING)
    (full,) = QueueSampler([], [path]).sample().queues
    assert (full.kind, full.address, full.port) == ("unix", path, None)
    assert (full.queue, full.backlog, full.drops) == (WAITING, BACKLOG, None)
    listener.accept()[0].close()
    (less,) = QueueSampler([], [path]).sample().queues
    assert less.queue == WAITING - 1


LISTENS = """
import socket, sys
tcp = socket.create_server(('127.0.0.1', 0), backlog=9)
unix = socket.socket(socket.AF_UNIX)
unix.bind('\\0stackdyno-test-%d' % tcp.getsockname()[1])
unix.listen(4)
print(f'port={tcp.getsockname()[1]}', flush=True)
sys.stdin.read()
"""


def test_sockets_that_no_plan_knows_are_found_by_who_holds_them(start: Start) -> None:
    program = start(LISTENS)
    sampler = QueueSampler([], [])
    assert sampler.sample().queues == ()
    sampler.find([program.pid])
    tcp, unix = sampler.sample().queues
    port = program.the("port")
    assert (tcp.address, tcp.backlog) == (f"127.0.0.1:{port}", 9)
    assert (unix.address, unix.backlog) == (f"@stackdyno-test-{port}", 4)


def test_what_we_look_through_is_left_out(clients: ExitStack) -> None:
    port = clients.enter_context(socket.create_server(("127.0.0.1", 0))).getsockname()[1]
    assert len(QueueSampler([port], []).sample().queues) == 1
    assert QueueSampler([port], [], [f"127.0.0.1:{port}"]).sample().queues == ()


def test_a_socket_that_was_renamed_has_the_name_that_the_plan_knows(
    clients: ExitStack, tmp_path: Path
) -> None:
    listener = clients.enter_context(socket.socket(socket.AF_UNIX))
    listener.bind(str(tmp_path / "app.tmp"))
    listener.listen(3)
    (tmp_path / "app.tmp").rename(tmp_path / "app.sock")
    path = str(tmp_path / "app.sock")
    sampler, without = QueueSampler([], [path]), QueueSampler([], [path], [path])
    sampler.find([])
    without.find([])
    (queue,) = sampler.sample().queues
    assert (queue.address, queue.backlog) == (path, 3)
    assert without.sample().queues == ()


def test_those_of_the_plan_come_first_and_in_its_order(clients: ExitStack, tmp_path: Path) -> None:
    paths = [str(tmp_path / name) for name in ("b.sock", "a.sock")]
    for path in paths:
        listener = clients.enter_context(socket.socket(socket.AF_UNIX))
        listener.bind(path)
        listener.listen(1)
    port = clients.enter_context(socket.create_server(("127.0.0.1", 0))).getsockname()[1]
    queues = QueueSampler([port], paths).sample().queues
    assert [each.address for each in queues] == [f"127.0.0.1:{port}", *paths]


def test_a_kernel_that_refuses_gives_a_reason_and_no_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    """EPROTONOSUPPORT is what a sandbox without netlink says."""

    class Refused(socket.socket):
        def __init__(self, *arguments: object) -> None:
            raise OSError(errno.EPROTONOSUPPORT, os.strerror(errno.EPROTONOSUPPORT))

    with socket.create_server(("127.0.0.1", 0)) as listener:
        monkeypatch.setattr(sock_diag.socket, "socket", Refused)
        sample = QueueSampler([listener.getsockname()[1]], []).sample()
    assert sample.queues == ()
    assert sample.reasons == (
        "TCP sockets: the kernel reports no queues (Protocol not supported)",
        "unix sockets: the kernel reports no queues (Protocol not supported)",
    )


def test_what_the_kernel_does_not_know_is_an_error_with_its_name() -> None:
    with pytest.raises(OSError, match=r"No such file or directory|Invalid argument"):
        list(sock_diag._dump(bytes([200]) + bytes(63)))  # a family that doesn't exist
