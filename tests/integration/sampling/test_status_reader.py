"""StatusReading read from a page, over a unix socket, from a socket that answers, a file and a command."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tui.sampling import status
from tui.sampling.status import StatusReader, StatusSource
from tui.sampling.status_pages import StatusError, StatusReading

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
SAYS = b'{"busy": 3, "idle": 1}'
VALUES = {"busy": "doc.busy", "idle": "doc.idle"}


def reader(**where: Any) -> StatusReader:
    return StatusReader(StatusSource(where="there", form="json", values=VALUES, **where))


class Server:
    """An HTTP server that notes what it is asked and whether the connection is closed."""

    def __init__(self) -> None:
        self.asked: list[bytes] = []
        self.closed = 0
        self.status = b"200 OK"

    async def __call__(self, incoming: asyncio.StreamReader, outgoing: asyncio.StreamWriter) -> None:
        self.asked.append(await incoming.readuntil(b"\r\n\r\n"))
        outgoing.write(b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s" % (self.status, len(SAYS), SAYS))
        await outgoing.drain()
        if not await incoming.read(1):
            self.closed += 1
        outgoing.close()


@pytest.fixture
async def server() -> AsyncIterator[tuple[Server, str]]:
    handler = Server()
    async with await asyncio.start_server(handler, "127.0.0.1", 0) as listening:
        yield handler, f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/stats?full"


async def test_a_page_is_read_again_and_again_and_each_connection_closed(server: tuple[Server, str]) -> None:
    handler, url = server
    pages = reader(url=url)
    for number in (1, 2):
        assert await pages.read() == StatusReading(busy=3, idle=1)
        assert pages.reads == number
    await pages.close()
    deadline = time.monotonic() + 5
    while handler.closed < 2:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)
    assert handler.asked[0].startswith(b"GET /stats?full HTTP/1.1\r\n")
    assert b"connection: close" in handler.asked[0].lower()


async def test_a_page_that_is_not_there(server: tuple[Server, str]) -> None:
    handler, url = server
    handler.status = b"404 Not Found"
    with pytest.raises(StatusError, match=r"/stats\?full: status 404"):
        await reader(url=url).read()


async def test_a_page_over_a_unix_socket(tmp_path: Path) -> None:
    handler = Server()
    path = str(tmp_path / "http.sock")
    async with await asyncio.start_unix_server(handler, path):
        pages = reader(url="http://localhost/", socket=path)
        assert await pages.read() == StatusReading(busy=3, idle=1)
        await pages.close()
    assert b"host: localhost" in handler.asked[0].lower()


async def test_nobody_listens() -> None:
    with pytest.raises(StatusError, match=r"http://127\.0\.0\.1:1/: .+"):
        await reader(url="http://127.0.0.1:1/").read()
    with pytest.raises(StatusError, match="there: No such file or directory"):
        await reader(socket="/nowhere/at/all.sock").read()


async def test_a_socket_that_answers_when_it_is_connected_or_asked(tmp_path: Path) -> None:
    heard: list[bytes] = []

    async def at_once(incoming: asyncio.StreamReader, outgoing: asyncio.StreamWriter) -> None:
        outgoing.write(SAYS)
        outgoing.close()

    async def when_asked(incoming: asyncio.StreamReader, outgoing: asyncio.StreamWriter) -> None:
        heard.append(await incoming.readline())
        outgoing.write(SAYS)
        outgoing.close()

    async with await asyncio.start_unix_server(at_once, tmp_path / "once"):
        assert await reader(socket=str(tmp_path / "once")).read() == StatusReading(busy=3, idle=1)
    async with await asyncio.start_unix_server(when_asked, tmp_path / "asked"):
        said = await reader(socket=str(tmp_path / "asked"), send="show stat\n").read()
    assert (said, heard) == (StatusReading(busy=3, idle=1), [b"show stat\n"])


async def test_who_does_not_answer_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(status, "PATIENCE", 0.1)

    async def silent(incoming: asyncio.StreamReader, outgoing: asyncio.StreamWriter) -> None:
        await incoming.read()
        outgoing.close()

    async with await asyncio.start_unix_server(silent, tmp_path / "silent"):
        with pytest.raises(StatusError, match=r"there: no answer in 0\.1 s"):
            await reader(socket=str(tmp_path / "silent")).read()
        with pytest.raises(StatusError, match="http://localhost/: "):
            await reader(url="http://localhost/", socket=str(tmp_path / "silent")).read()
    with pytest.raises(StatusError, match=r"there: no answer in 0\.1 s"):
        await reader(command=(sys.executable, "-c", "import time; time.sleep(60)")).read()


async def test_a_file(tmp_path: Path) -> None:
    (tmp_path / "report").write_bytes(SAYS)
    assert await reader(file=str(tmp_path / "report")).read() == StatusReading(busy=3, idle=1)
    with pytest.raises(StatusError, match="there: No such file or directory"):
        await reader(file=str(tmp_path / "none")).read()


async def test_a_command_gets_its_environment_and_blocks_nothing() -> None:
    script = "import os, time; time.sleep(0.2); print('{\"busy\": %s, \"idle\": 0}' % os.environ['BUSY'])"
    reading = asyncio.create_task(reader(command=(sys.executable, "-c", script), env={"BUSY": "7"}).read())
    steps = 0
    while not reading.done():
        steps += 1
        await asyncio.sleep(0.01)
    assert await reading == StatusReading(busy=7, idle=0)
    assert steps > 5


async def test_a_command_that_fails_says_why() -> None:
    with pytest.raises(StatusError, match="there: no instance was found"):
        await reader(command=(sys.executable, "-c", "import sys; sys.exit('no instance was found')")).read()
    with pytest.raises(StatusError, match="there: No such file"):
        await reader(command=("/nowhere/passenger-status",)).read()


@pytest.mark.parametrize(
    ("piece", "pause", "said"),
    [(b"x" * 65536, 0.0, "more than 4 MiB"), (b"x", 0.05, "no answer in 0.5 s")],
    ids=["fast", "slow"],
)
async def test_a_page_without_an_end_is_given_up(
    monkeypatch: pytest.MonkeyPatch, piece: bytes, pause: float, said: str
) -> None:
    monkeypatch.setattr(status, "PATIENCE", 0.5)

    async def endless(incoming: asyncio.StreamReader, outgoing: asyncio.StreamWriter) -> None:
        await incoming.readuntil(b"\r\n\r\n")
        outgoing.write(b"HTTP/1.1 200 OK\r\n\r\n")
        try:
            while True:
                outgoing.write(piece)
                await outgoing.drain()
                await asyncio.sleep(pause)
        except ConnectionError:
            outgoing.close()

    async with await asyncio.start_server(endless, "127.0.0.1", 0) as listening:
        url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/"
        pages = reader(url=url)
        began = time.monotonic()
        with pytest.raises(StatusError, match=said):
            await pages.read()
        assert time.monotonic() - began < 3
        await pages.close()
