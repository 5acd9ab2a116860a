"""What may cut a run short: the user, a stack that ends, or a server that hangs."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

from tui.load.result import Tick
from tui.stack.logs import cause

T = TypeVar("T")


class Interrupted(Exception):
    """The run was asked to stop."""


class Failed(Exception):
    """The run can't continue; the text is the reason."""


class Patience:
    """Ends a round bounded only by requests when no good answer has come for twice a request's timeout."""

    def __init__(self, timeout: float) -> None:
        self.limit = 2 * timeout
        self.over = False
        self._good_at: float | None = None

    def ended_by(self, tick: Tick) -> bool:
        """Whether patience runs out with this tick; true only once."""
        if tick.tally.outcomes.ok or self._good_at is None:
            self._good_at = tick.t1 if tick.tally.outcomes.ok else tick.t0
        if self.over or tick.t1 - self._good_at <= self.limit:
            return False
        self.over = True
        return True


class Interrupts:
    """Lets the runner wait for something without missing the end of the run."""

    def __init__(self, logs: Path) -> None:
        self._logs = logs
        self._stop = asyncio.Event()
        self.failure: asyncio.Future[str] | None = None
        """Set by a stack of ours when it ends by itself."""

    def stop(self) -> None:
        self._stop.set()

    def how_ended(self) -> str | None:
        """How the stack ended by itself ("gunicorn ended with status 1"); None while it runs."""
        return self.failure.result() if self.failure is not None and self.failure.done() else None

    async def first_of(self, task: asyncio.Task[Any]) -> Exception | None:
        """Wait for ``task``. Returns why it must be cut short if the run ends first."""
        stop = asyncio.create_task(self._stop.wait())
        waiting: set[asyncio.Future[Any]] = {task, stop}
        if self.failure is not None:
            waiting.add(self.failure)
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        stop.cancel()
        if how := self.how_ended():
            why = cause(self._logs, whatever=False)  # the very last line would be about something else
            return Failed(f"{how} in the middle of the run" + (f": {why}" if why else ""))
        return Interrupted() if self._stop.is_set() and not task.done() else None

    async def unless_stopped(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of ``work``; raises Interrupted if the run is asked to stop first."""
        task = asyncio.create_task(work)
        stop = asyncio.create_task(self._stop.wait())
        await asyncio.wait({task, stop}, return_when=asyncio.FIRST_COMPLETED)
        stop.cancel()
        if not task.done():
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
            raise Interrupted
        return task.result()

    async def pause(self, seconds: float) -> None:
        """Sleep; raises Interrupted or Failed if the run ends first."""
        task = asyncio.create_task(asyncio.sleep(seconds))
        broken = await self.first_of(task)
        task.cancel()
        if broken is not None:
            raise broken
