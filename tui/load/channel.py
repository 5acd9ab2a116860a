"""The load process's end of the line to its runner, a socket pair; what is said over it is in ``tui.load.wire``.

A load process must not wait for a runner that is busy: while what it posted hasn't gone out, it posts no
tick, and the figures go into the next one. Only a result is worth waiting for.
"""

from __future__ import annotations

import socket
from collections import deque

from tui.load.wire import Command, Report, decode_command, encode

_READ = 65536


class Channel:
    """``fileno`` becomes readable when a command comes or the runner is gone.

    ``commands``: those that have come and weren't taken yet, in order.
    """

    def __init__(self, sock: socket.socket) -> None:
        self.commands: deque[Command] = deque()
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
            self.commands.extend(map(decode_command, lines))
        return fds

    def has_room(self) -> bool:
        """Whether all that was posted has gone out."""
        self._flush()
        return not self._outbox

    def post(self, report: Report) -> None:
        """Send as far as there is room; the rest goes out later. Never waits."""
        self._outbox += encode(report)
        self._flush()

    def send(self, report: Report) -> None:
        """Send, and wait until it is taken. Raises EOFError when the runner is gone."""
        self._outbox += encode(report)
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
