"""One lock per machine, so two runs don't disturb each other unnoticed.

It is an abstract unix socket: the kernel frees it when its holder ends, however that happens; no file can be left
behind or squatted; and whoever finds it taken can ask the holder which run it is.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import pwd
import socket
from collections.abc import Callable

from tui.record.running import lock_name

NAME = "\0" + lock_name()
"""Runs whose locks have different names don't know of each other: for tests that run in parallel."""


class MachineLock:
    """Held by a runner from before its start until after its check."""

    def __init__(self, profile: str) -> None:
        self._profile = profile
        self.visited: Callable[[str], None] = lambda visitor: None
        """Called with the description of a run that starts although we hold the lock."""
        self._server: asyncio.Server | None = None

    async def acquire(self) -> str | None:
        """Take the lock. Returns who holds it, in words, if it is taken."""
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            listener.bind(NAME)
        except OSError:
            listener.close()
            return await asyncio.to_thread(holder, self._profile) or "another run"
        self._server = await asyncio.start_unix_server(self._answer, sock=listener)
        return None

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        user = pwd.getpwuid(os.getuid()).pw_name
        said = {"profile": self._profile, "pid": os.getpid(), "user": user}
        with contextlib.suppress(OSError, TimeoutError):
            writer.write(json.dumps(said).encode() + b"\n")
            await writer.drain()
            visitor = (await asyncio.wait_for(reader.readline(), 1)).decode(errors="replace").strip()
            if visitor:
                self.visited(f"a run of {visitor[:80]}")
        writer.close()

    def release(self) -> None:
        if self._server is not None:
            self._server.close()


def holder(visitor: str = "") -> str | None:
    """Who holds the lock: "the run of gunicorn-sync by ada, pid 123"; None when it is free.

    ``visitor`` names a run that starts anyway, so that the holder knows of it.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.settimeout(1)
        try:
            client.connect(NAME)
        except OSError:
            return None
        try:
            said = json.loads(client.makefile().readline())
            if visitor:
                client.sendall(visitor.encode() + b"\n")
            return f"the run of {said['profile']} by {said['user']}, pid {said['pid']}"
        except (OSError, ValueError, KeyError, TypeError):
            return "another run"
