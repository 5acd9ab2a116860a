"""Reads a server's status page, socket, file or command: one request every few seconds, not part of the load.

Connections are closed after each read, and nothing here waits longer than :data:`PATIENCE`.
"""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tui.sampling.status_pages import Format, StatusError, StatusPage, StatusReading
from tui.system.planted import read_file
from tui.system.rights import as_user

if TYPE_CHECKING:
    import httpx

PATIENCE = 3.0
"""Seconds that one read may take."""
MOST_BYTES = 1 << 22
READ = 65536


@dataclass(frozen=True, slots=True)
class StatusSource:
    """One place; exactly one of ``url``, ``socket``, ``file`` and ``command`` but that a url may have a socket."""

    where: str
    """In words, for the user."""
    form: Format
    url: str | None = None
    socket: str | None = None
    send: str = ""
    file: str | None = None
    command: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    uid: int | None = None
    """The stack's user, if that isn't us: the command runs as that user, and the file must be that user's."""
    gid: int | None = None
    find: Mapping[str, str] = field(default_factory=dict)
    rows: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    workers: Mapping[str, str] = field(default_factory=dict)


class StatusReader:
    """Reads one source again and again; one read at a time."""

    def __init__(self, source: StatusSource) -> None:
        self.reads = 0
        """Answers so far, whatever their content."""
        self._source = source
        self._page = StatusPage(
            source.form,
            find=source.find,
            rows=source.rows,
            values=source.values,
            workers=source.workers,
        )
        self._client: httpx.AsyncClient | None = None

    async def read(self, others: int = 0) -> StatusReading:
        """What it says now; ``others`` are the reads of other sources that the same server answered.

        Raises:
            StatusError: Why it says nothing.
        """
        try:
            page = await self._fetch()
        except TimeoutError as error:
            raise StatusError(f"{self._source.where}: no answer in {PATIENCE:g} s") from error
        except OSError as error:
            raise StatusError(f"{self._source.where}: {error.strerror or error}") from error
        self.reads += 1
        return self._page.parse(page, self.reads + others)

    async def close(self) -> None:
        """Release what a read needs."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    async def _fetch(self) -> str:
        source = self._source
        if source.url:
            return await self._get(source.url)
        if source.socket:
            return await asyncio.wait_for(_until_closed(source.socket, source.send.encode()), PATIENCE)
        if source.file:
            return await asyncio.to_thread(_content, Path(source.file), source.uid)
        return await asyncio.to_thread(_output, source)

    async def _get(self, url: str) -> str:
        import httpx  # 0.2 s, and most stacks have no status page

        if self._client is None:
            limits = httpx.Limits(max_keepalive_connections=0)
            transport = httpx.AsyncHTTPTransport(uds=self._source.socket, limits=limits, verify=False)
            self._client = httpx.AsyncClient(
                transport=transport, timeout=PATIENCE, headers={"Connection": "close"}
            )
        try:
            async with asyncio.timeout(PATIENCE), self._client.stream("GET", url) as answer:
                if answer.status_code != 200:
                    raise StatusError(f"{url}: status {answer.status_code}")
                said = b""
                async for piece in answer.aiter_bytes(READ):
                    said += piece
                    if len(said) > MOST_BYTES:
                        raise StatusError(f"{url}: more than {MOST_BYTES >> 20} MiB")
                return said.decode(answer.encoding or "utf-8", errors="replace")
        except httpx.HTTPError as error:
            raise StatusError(f"{url}: {error or type(error).__name__}") from error
        except TimeoutError:
            raise StatusError(f"{url}: no answer in {PATIENCE:g} s") from None


async def _until_closed(path: str, sent: bytes) -> str:
    """What a unix socket says until it is closed."""
    reader, writer = await asyncio.open_unix_connection(path)
    try:
        if sent:
            writer.write(sent)
            await writer.drain()
        said = b""
        while len(said) < MOST_BYTES and (more := await reader.read(65536)):
            said += more
        return said.decode(errors="replace")
    finally:
        writer.close()


def _content(path: Path, owner: int | None) -> str:
    return read_file(path, MOST_BYTES, owner=owner).decode(errors="replace")


def _output(source: StatusSource) -> str:
    """What the command prints; it is killed when it takes too long."""
    try:
        done: subprocess.CompletedProcess[str] = subprocess.run(
            source.command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PATIENCE,
            stdin=subprocess.DEVNULL,
            env=dict(source.env),
            **as_user(source.uid, source.gid),
        )
    except subprocess.TimeoutExpired:
        raise StatusError(f"{source.where}: no answer in {PATIENCE:g} s") from None
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise StatusError(f"{source.where}: " + (said[-1] if said else f"status {done.returncode}"))
    return done.stdout
