"""The runner's handle on a load process: starts it, talks to it, and notices when and how it ended.

The socket pair's closing and a pidfd show its end. asyncio's subprocesses aren't used: if other code in the
process reaps children, asyncio's watcher loses exit statuses.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from tui.load.wire import Command, Report, decode_report, encode
from tui.system.private import append_private

_LINE_LIMIT = 64 * 1024 * 1024  # a result with five full histograms has some hundred KB


class LoadProcess:
    """One started load process, bound to one CPU."""

    def __init__(self, cpu: int, log: Path | None) -> None:
        self.cpu = cpu
        self._ours, theirs = socket.socketpair()
        self._log = append_private(log) if log else tempfile.TemporaryFile()  # noqa: SIM115 (closed in end())
        with theirs:
            self._popen = subprocess.Popen(
                [sys.executable, "-P", "-m", "tui.load.process", str(theirs.fileno()), str(cpu)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._log,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        self.pid = self._popen.pid
        self._pidfd = os.pidfd_open(self.pid)
        self._reader: asyncio.StreamReader | None = None

    def send(self, command: Command, fds: list[int] | None = None) -> None:
        """Send a command. No error if the process has ended: reading shows that."""
        line = encode(command)
        try:
            if fds:
                socket.send_fds(self._ours, [line], fds)
            else:
                self._ours.sendall(line)
        except OSError:
            return

    async def receive(self, patience: float) -> Report | None:
        """The next report; None if the process has ended, or was killed here after ``patience`` silent seconds."""
        if self._reader is None:
            self._reader, self._writer = await asyncio.open_connection(sock=self._ours, limit=_LINE_LIMIT)
        try:
            async with asyncio.timeout(patience):
                line = await self._reader.readline()
        except TimeoutError:
            self.kill()
            return None
        except ConnectionError:
            return None
        return decode_report(line) if line.endswith(b"\n") else None

    def kill(self) -> None:
        """Kill it at once."""
        if self._popen.returncode is None:
            signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    async def end(self, patience: float) -> None:
        """Close the channel, which ends the process, and reap it; after ``patience`` seconds, kill it."""
        if self._popen.returncode is not None:
            return
        if self._reader is not None:
            self._writer.close()
        else:
            self._ours.close()
        if not await pidfd_ready(self._pidfd, patience):
            self.kill()
        await asyncio.to_thread(self._popen.wait)
        os.close(self._pidfd)
        self._log.seek(0)
        self._said = self._log.read().decode(errors="replace").strip().splitlines()
        self._log.close()

    def exit_reason(self) -> str:
        """After ``end``: which process it was and how it ended, with its last line of output."""
        code = self._popen.returncode
        how = (
            f"was killed by {signal.Signals(-code).name}"
            if code and code < 0
            else f"ended with status {code}"
        )
        last = f": {self._said[-1]}" if self._said else ""
        return f"load process {self.pid} on CPU {self.cpu} {how}{last}"


async def pidfd_ready(pidfd: int, patience: float | None) -> bool:
    """Whether the process ends within ``patience`` seconds; None waits indefinitely."""
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    loop.add_reader(pidfd, ended.set)
    try:
        async with asyncio.timeout(patience):
            await ended.wait()
    except TimeoutError:
        return False
    finally:
        loop.remove_reader(pidfd)
    return True
