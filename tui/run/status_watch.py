"""Reads the stack's status pages: at their slow rate under load, and once after each interval of load."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tui.plan.plan import Plan, StatusPlan
from tui.record.events import Event, StatusRead
from tui.system.errors import UserError

if TYPE_CHECKING:
    from tui.sampling.status import StatusReader


class StatusWatch:
    """Reads the pages for one run; ``write`` takes the events, ``now`` gives their time.

    In an interval of load, a page is first read after half of its period, so that even a short round has one read.
    """

    def __init__(self, plan: Plan, write: Callable[[Event], None], now: Callable[[], float]) -> None:
        self._plans = plan.status
        self._user = (plan.uid, plan.gid)
        self._write = write
        self._now = now
        self._readers: dict[str, StatusReader] = {}
        self._load_is_over = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    def begin(self) -> None:
        """An interval of load begins."""
        self._load_is_over.clear()
        self._tasks = [asyncio.create_task(self._loop(name)) for name in self._plans]

    async def read(self) -> None:
        """There is no load: read every source once."""
        await self._end()
        await asyncio.sleep(max((plan.stale for plan in self._plans.values()), default=0.0))
        for name in self._plans:  # in sequence: a page that counts reads then knows them all
            await self._read(name)

    async def stop(self) -> None:
        """Stop reading."""
        await self._end()
        for reader in self._readers.values():
            await reader.close()

    async def _end(self) -> None:
        """Let the current reads finish: a command that is still running would count as a leftover."""
        self._load_is_over.set()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []

    async def _loop(self, name: str) -> None:
        pause = self._plans[name].every / 2
        while not await self._over_within(pause):
            await self._read(name)
            pause = self._plans[name].every

    async def _over_within(self, seconds: float) -> bool:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._load_is_over.wait(), seconds)
        return self._load_is_over.is_set()

    async def _read(self, name: str) -> None:
        began = time.monotonic()
        reader = self._readers.get(name) or self._readers.setdefault(
            name, _reader(self._plans[name], *self._user)
        )
        try:
            said = await reader.read(self._other_reads(name))
        except UserError as error:
            took = time.monotonic() - began
            self._write(StatusRead(t=self._now(), source=name, error=str(error), took=took))
            return
        values = asdict(said)
        self._write(StatusRead(t=self._now(), source=name, **values, took=time.monotonic() - began))

    def _other_reads(self, name: str) -> int:
        """How often the same server's other pages were read."""
        server = _server(self._plans[name])
        return sum(
            reader.reads
            for other, reader in self._readers.items()
            if other != name and server is not None and _server(self._plans[other]) == server
        )


def _server(plan: StatusPlan) -> str | None:
    """The server that answers an HTTP request for a page."""
    return (plan.socket or urlsplit(plan.url).netloc) if plan.url else None


def _reader(plan: StatusPlan, uid: int | None, gid: int | None) -> StatusReader:
    from tui.sampling.status import StatusReader, StatusSource  # Jinja2: most stacks have no status page

    return StatusReader(
        StatusSource(
            where=plan.where,
            form=plan.format,
            url=plan.url,
            socket=plan.socket,
            send=plan.send,
            file=plan.file,
            command=plan.command,
            env=plan.env,
            uid=uid,
            gid=gid,
            find=plan.find,
            rows=plan.rows,
            values=plan.values,
            workers=plan.workers,
        )
    )
