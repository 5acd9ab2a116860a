"""Lines of JSON between the runner and a load process, over a socket pair.

A load process must not wait for a runner that is busy: while what it posted hasn't gone out, it posts no
tick, and the figures go into the next one. Only a result is worth waiting for.
"""

from __future__ import annotations

import json
import socket
from collections import deque
from typing import Any

_READ = 65536


class Channel:
    """The load process's end. ``fileno`` becomes readable when a command comes or the runner is gone.

    ``commands``: those that have come and weren't taken yet, in order.
    """

    def __init__(self, sock: socket.socket) -> None:
        self.commands: deque[dict[str, Any]] = deque()
        self._sock = sock
        self._inbox = bytearray()
        self._outbox = b""
        sock.setblocking(False)

    def fileno(self) -> int:
        return self._sock.fileno()

    def receive(self) -> list[int]:
        """Take what has come: commands into ``commands``. Returns the descriptors that came with them.
        Raises EOFError when the runner is gone.
        """
        try:
            data, fds, _, _ = socket.recv_fds(self._sock, _READ, 1)
        except BlockingIOError:
            return []
        except ConnectionError:
            data, fds = b"", []
        if not data:
            raise EOFError
        self._inbox += data
        if b"\n" in data:
            *lines, self._inbox = self._inbox.split(b"\n")
            self.commands.extend(json.loads(line) for line in lines)
        return fds

    def has_room(self) -> bool:
        """Whether all that was posted has gone out."""
        self._flush()
        return not self._outbox

    def post(self, message: dict[str, Any]) -> None:
        """Send as far as there is room; the rest goes out later. Never waits."""
        self._outbox += _line(message)
        self._flush()

    def send(self, message: dict[str, Any]) -> None:
        """Send, and wait until it is taken. Raises EOFError when the runner is gone."""
        self._outbox += _line(message)
        self._sock.setblocking(True)
        try:
            self._sock.sendall(self._outbox)
        except OSError as error:
            raise EOFError from error
        self._outbox = b""
        self._sock.setblocking(False)

    def _flush(self) -> None:
        try:
            while self._outbox:
                self._outbox = self._outbox[self._sock.send(self._outbox) :]
        except BlockingIOError:
            return
        except OSError as error:
            raise EOFError from error


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"
