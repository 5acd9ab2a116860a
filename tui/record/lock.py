"""One lock per machine, so two runs don't disturb each other unnoticed.

It is an abstract unix socket: the kernel frees it when its holder ends, however that happens; no file can be left
behind; and whoever finds it taken can ask the holder which run it is. Any user of the machine can bind its name or
connect to it, so both ends are bounded in time and size, and the kernel says who is at the other end (SO_PEERCRED).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import pwd
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tui.record.running import lock_name, record_of_runner
from tui.system.sockets import bound_unix_sockets, peer

NAME = "\0" + lock_name()
"""The socket's address; see :func:`tui.record.running.lock_name`."""
ANSWERS = 2.0
"""Seconds that a whole conversation may take."""
_LONGEST = 8192
"""Bytes of an answer."""
_LONGEST_NAME = 80
_VISITOR = 256
"""Bytes of what a visitor says."""
_PER_SECOND = 20
"""Connections that a holder accepts; the kernel keeps the others waiting, and refuses once its queue is full."""
_TOLD_EACH = 3
"""Visitors that are reported one by one; after these only the 10th, 100th, ..."""


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds the lock."""

    words: str
    """ "the run of gunicorn-sync by ada, pid 123"."""
    folder: str | None = None
    """The record of its run."""
    ours: bool = True
    """It answered as a run does, or is known as one by its command line."""
    mine: bool = False
    """It is a run of this user."""

    def __str__(self) -> str:
        return self.words


class MachineLock:
    """Held by a runner from before its start until after its check."""

    def __init__(self, profile: str, folder: Path | None = None) -> None:
        """``folder`` is the record of the run."""
        self._profile = profile
        self._folder = folder
        self.visited: Callable[[str], None] = lambda visitor: None
        """Called with the description of a run that starts although we hold the lock."""
        self._listener: socket.socket | None = None
        self._visitors = 0
        self._accepted = 0
        self._second = 0.0
        self._conversations: set[asyncio.Task[None]] = set()
        self._resume: asyncio.TimerHandle | None = None

    async def acquire(self, *, announce: bool = True) -> Holder | None:
        """Take the lock. Returns who holds it if it is taken.

        ``announce`` tells that holder which run starts anyway.
        """
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            listener.bind(NAME)
        except OSError:
            listener.close()
            found = await asyncio.to_thread(holder, self._profile if announce else "")
            return found or Holder("another run")
        listener.listen(100)
        listener.setblocking(False)
        self._listener = listener
        asyncio.get_running_loop().add_reader(listener, self._accept)
        return None

    def _accept(self) -> None:
        """Accept one connection. Beyond so many in a second it waits for the next one, whoever keeps connecting."""
        assert self._listener is not None
        loop = asyncio.get_running_loop()
        now = loop.time()
        if now - self._second >= 1.0:
            self._second, self._accepted = now, 0
        if self._accepted >= _PER_SECOND:
            loop.remove_reader(self._listener)
            self._resume = loop.call_at(self._second + 1.0, loop.add_reader, self._listener, self._accept)
            return
        self._accepted += 1
        try:
            client, _ = self._listener.accept()
        except OSError:
            return
        task = loop.create_task(self._answer(client))
        self._conversations.add(task)
        task.add_done_callback(self._conversations.discard)

    async def _answer(self, client: socket.socket) -> None:
        client.setblocking(False)
        loop = asyncio.get_running_loop()
        said = {
            "profile": self._profile,
            "pid": os.getpid(),
            "user": _user(os.getuid()),
            "record": None if self._folder is None else str(self._folder),
        }
        with client, contextlib.suppress(OSError, TimeoutError):
            _, uid = peer(client)
            async with asyncio.timeout(ANSWERS):
                await loop.sock_sendall(client, json.dumps(said).encode() + b"\n")
                heard = b""
                while b"\n" not in heard and len(heard) < _VISITOR:
                    if not (data := await loop.sock_recv(client, _VISITOR)):
                        return
                    heard += data
            self._visit(_printable(heard.partition(b"\n")[0].decode(errors="replace")), uid)

    def _visit(self, visitor: str, uid: int) -> None:
        """Report a run that starts anyway; many of them seldom, and with their number."""
        if not visitor:
            return
        self._visitors += 1
        run = f"a run of {visitor}" + ("" if uid == os.getuid() else f" by {_user(uid)}")
        if self._visitors <= _TOLD_EACH:
            self.visited(run)
        elif str(self._visitors).strip("0") == "1":
            self.visited(f"{run} (the {self._visitors}th that said so)")

    def release(self) -> None:
        if self._resume is not None:
            self._resume.cancel()
        for task in self._conversations:
            task.cancel()
        if self._listener is not None:
            asyncio.get_running_loop().remove_reader(self._listener)
            self._listener.close()
            self._listener = None


def holder(visitor: str = "") -> Holder | None:
    """Who holds the lock; None if it is free. It takes ``ANSWERS`` seconds at most.

    ``visitor`` names a run that starts anyway, so that the holder knows of it.
    """
    deadline = time.monotonic() + ANSWERS
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.settimeout(ANSWERS)
        try:
            client.connect(NAME)
        except BlockingIOError:
            return Holder("a process that accepts no connection (another run, or none of ours)", ours=False)
        except OSError:
            # Also refused where the name is bound and nobody listens, as a run for an instant or somebody for ever.
            bound = _is_bound()
            return Holder("a process that doesn't listen (none of our runs)", ours=False) if bound else None
        pid, uid = peer(client)
        return _asked(client, deadline, visitor, pid, uid)


def _asked(client: socket.socket, deadline: float, visitor: str, pid: int, uid: int) -> Holder:
    mine = uid == os.getuid()
    who = f"{_user(uid)}" + (f", pid {pid}" if pid else "")
    try:
        said = json.loads(_line(client, deadline))
        profile, folder = said["profile"], said.get("record")
        if not isinstance(profile, str) or not (folder is None or isinstance(folder, str)):
            raise TypeError
        if visitor:
            client.settimeout(max(0.01, deadline - time.monotonic()))
            with contextlib.suppress(OSError):
                client.sendall(visitor[:_LONGEST_NAME].encode() + b"\n")
        return Holder(
            f"the run of {_printable(profile)} by {who}", folder and _printable(folder, 4096), mine=mine
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass
    if (record := record_of_runner(pid)) is not None:  # held up: stopped by a signal, or by its disk
        return Holder(
            f"the run {_printable(record.name)} by {who}, which doesn't answer,", str(record), mine=mine
        )
    return Holder(f"a process that isn't a run of ours (uid {uid}, {who})", ours=False)


def _line(client: socket.socket, deadline: float) -> bytes:
    """One line. Raises ValueError if it is too long or cut off, TimeoutError if it takes too long."""
    heard = b""
    while b"\n" not in heard:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        client.settimeout(left)
        data = client.recv(_LONGEST)
        if not data or len(heard) + len(data) > _LONGEST:
            raise ValueError
        heard += data
    return heard.partition(b"\n")[0]


def _is_bound() -> bool:
    wanted = "@" + NAME[1:]
    return any(name == wanted for name, _, _ in bound_unix_sockets())


def _user(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"uid {uid}"


def _printable(text: str, longest: int = _LONGEST_NAME) -> str:
    return "".join(character for character in text if character.isprintable())[:longest].strip()
