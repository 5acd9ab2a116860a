"""What is said of an answer that isn't the expected one, and of one that never ends."""

from __future__ import annotations

import itertools
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.raw_server import HELLO, RawServer, answers
from tui.load.request import Expected, Request
from tui.stack.readiness import NotReady, wait_until_ready

Play = Callable[[RawServer, socket.socket, int], None]


@pytest.fixture
def serve() -> Iterator[Callable[[Play], RawServer]]:
    servers: list[RawServer] = []

    def start(play: Play) -> RawServer:
        servers.append(RawServer(play))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong answer is believed as soon as it comes again."""
    monkeypatch.setattr("tui.stack.readiness.PATIENCE", 0.0)
    monkeypatch.setattr("tui.stack.readiness.PAUSE", 0.0)


def request(address: str, expected: Expected | None = None) -> Request:
    return Request(address=address, host="localhost", path="/", expected=expected or Expected())


@pytest.mark.parametrize(
    ("expected", "said"),
    [
        (Expected(status=204), "status 200, expected 204"),
        (Expected(length=6), "a body of 5 bytes, expected 6"),
        (Expected(contains="X"), "a body without 'X'"),
        (Expected(body="Hallo"), "the body 'Hello', expected 'Hallo'"),
        (Expected(body="Hallo", length=5, contains="X"), "the body 'Hello', expected 'Hallo'"),
        # Nothing can meet these; what is wrong is the part that the answer doesn't meet.
        (Expected(body="Hello", length=6), "a body of 5 bytes, expected 6"),
        (Expected(body="Hello", contains="X"), "a body without 'X'"),
        (Expected(body="Hello", contains="X", length=6), "a body without 'X'"),
    ],
)
@pytest.mark.usefixtures("at_once")
async def test_the_part_that_is_wrong_is_named(
    serve: Callable[[Play], RawServer], expected: Expected, said: str
) -> None:
    server = serve(answers(HELLO))
    with pytest.raises(NotReady) as failure:
        await wait_until_ready(request(server.address, expected), 5.0, lambda: None)
    assert str(failure.value) == f"GET / gives {said}; set load.path or [expect] in the profile"


@pytest.mark.usefixtures("at_once")
async def test_of_a_long_body_the_beginning_is_shown(serve: Callable[[Play], RawServer]) -> None:
    server = serve(answers(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + b"ab" * 50_000))
    with pytest.raises(NotReady, match=rf"the body '{'ab' * 20}' and 99960 bytes more, expected 'Hello'"):
        await wait_until_ready(request(server.address, Expected(body="Hello")), 5.0, lambda: None)


@pytest.mark.parametrize("then_close", [False, True])
async def test_the_expected_answer_is_reported(serve: Callable[[Play], RawServer], then_close: bool) -> None:
    server = serve(answers(HELLO, then_close=then_close))
    first = await wait_until_ready(request(server.address, Expected(body="Hello")), 5.0, lambda: None)
    assert (first.status, first.server, first.body_length) == (200, "raw", 5)


async def test_an_answer_that_takes_long_is_waited_for_as_the_load_would(
    serve: Callable[[Play], RawServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.stack.readiness.SILENCE", 0.3)

    def slow(server: RawServer, connection: socket.socket, number: int) -> None:
        server.read_request(connection)
        for at in range(len(HELLO)):
            connection.sendall(HELLO[at : at + 1])
            time.sleep(0.01)

    server = serve(slow)
    first = await wait_until_ready(request(server.address), 5.0, lambda: None, longest=2.0)
    assert (first.body_length, server.opened) == (5, 1)
    with pytest.raises(NotReady, match="the answer wasn't complete"):
        await wait_until_ready(request(server.address), 0.5, lambda: None, longest=0.3)


HEAD = b"HTTP/1.1 200 OK\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
INCOMPLETE = "timeout: the answer wasn't complete"
TOO_LONG = "protocol: headers longer than 256 KiB"
ENDLESS = {
    "body": (HEAD + b"\r\n", b"x" * 1_000_000, 0.0, INCOMPLETE),
    "chunks": (CHUNKED, b"10000\r\n" + b"x" * 65536 + b"\r\n", 0.0, INCOMPLETE),
    "a chunk": (CHUNKED + b"fffffffff\r\n", b"x" * 1_000_000, 0.0, INCOMPLETE),
    "headers": (HEAD, b"X: y\r\n" * 1000, 0.0, TOO_LONG),
    "a header": (HEAD + b"X: ", b"y" * 10_000, 0.0, TOO_LONG),
    "103": (b"", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 100, 0.0, TOO_LONG),
    "a byte at a time of a header": (HEAD + b"X: ", b"y", 0.1, INCOMPLETE),
    "a byte at a time of a body": (HEAD + b"\r\n", b"y", 0.1, INCOMPLETE),
    "103 now and then": (b"", b"HTTP/1.1 103 Early Hints\r\n\r\n", 0.1, INCOMPLETE),
}


@pytest.mark.parametrize(("head", "piece", "pause", "said"), ENDLESS.values(), ids=ENDLESS)
async def test_an_answer_without_an_end_outlasts_no_deadline_and_fills_no_memory(
    serve: Callable[[Play], RawServer], head: bytes, piece: bytes, pause: float, said: str
) -> None:
    def endless(server: RawServer, connection: socket.socket, number: int) -> None:
        server.read_request(connection)
        connection.sendall(head)
        for _ in itertools.count():
            connection.sendall(piece)
            time.sleep(pause)

    server = serve(endless)
    began, before = time.monotonic(), resident()
    with pytest.raises(NotReady) as failure:
        await wait_until_ready(request(server.address), 1.0, lambda: None)
    assert time.monotonic() - began < 1.5
    assert resident() - before < 20_000_000
    assert str(failure.value) == (
        f"GET /: no answer ({said}) within 1 s; "
        "it answers, but never a whole HTTP/1.x answer: set load.path in the profile, or look at the server"
    )


def resident() -> int:
    """Bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


async def test_who_never_listens_says_so() -> None:
    with pytest.raises(NotReady) as failure:
        await wait_until_ready(request("127.0.0.1:1"), 0.1, lambda: None)
    assert str(failure.value) == (
        "GET /: no answer (connect: Connection refused) within 0 s; a longer start needs ready.timeout in the stack"
    )
