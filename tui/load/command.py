"""Another load generator (wrk, ab, h2load, k6): a command that runs for a round and is ended with it.

Its measurements aren't read, but its output is kept. It runs in a separate session, so that everything it starts can
be ended with it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tui.load.child import pidfd_ready
from tui.system.private import append_private

_PATIENCE = 2.0  # seconds for a command to end after a signal


@dataclass(frozen=True, slots=True)
class CommandEnded:
    """How one run of the command ended. ``status``: ``exit 1`` or ``SIGKILL``, None if it succeeded or we ended it;
    ``last``: its last line of output.
    """

    status: str | None
    last: str


class CommandRun:
    """One run of a command on our CPUs. ``log`` gets its stdout and stderr."""

    def __init__(self, argv: Sequence[str], log: Path) -> None:
        self._log = log
        with append_private(log) as output:
            self._popen = subprocess.Popen(
                [sys.executable, "-P", "-m", "tui.load.exec_child", *argv],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.pid = self._popen.pid
        self._stop = asyncio.Event()

    def stop(self) -> None:
        """End it now; ``wait`` returns when it has ended."""
        self._stop.set()

    async def wait(self, duration: float | None) -> CommandEnded:
        """Wait for its end, at most ``duration`` seconds. Then SIGINT first, on which wrk and ab still report."""
        pidfd = os.pidfd_open(self.pid)
        try:
            ours = not await self._ended_or_stopped(pidfd, duration)
            for number in (signal.SIGINT, signal.SIGTERM):
                if ours and not await pidfd_ready(pidfd, 0):
                    self._signal(number)
                    await pidfd_ready(pidfd, _PATIENCE)
        finally:
            self._signal(signal.SIGKILL)  # also what it has started and left behind
            code = self._popen.wait()
            os.close(pidfd)
        return CommandEnded(None if ours or code == 0 else _words(code), self._last_line())

    async def _ended_or_stopped(self, pidfd: int, duration: float | None) -> bool:
        ended = asyncio.create_task(pidfd_ready(pidfd, duration))
        stopped = asyncio.create_task(self._stop.wait())
        await asyncio.wait({ended, stopped}, return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        if ended.done():
            return ended.result()
        ended.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await ended
        return False

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, number)

    def _last_line(self) -> str:
        lines = self._log.read_text(errors="replace").strip().splitlines()
        return lines[-1].strip() if lines else ""


def _words(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"exit {code}"
