"""The load process's end of the socket pair to its runner; ``tui.load.wire`` has the messages.

A load process must not wait for a busy runner: while earlier messages haven't gone out, it posts no tick,
and the figures go into the next one. Only a result is worth waiting for.
"""

from __future__ import annotations

import socket
from collections import deque

from tui.load.wire import Command, Report, decode_command, encode

_READ = 65536


class Channel:
    """``fileno`` becomes readable when a command arrives or the runner has ended.

    ``commands``: the pending commands, in order.
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
        """Read commands into ``commands``. Returns the descriptors that came with them. Raises EOFError if the
        runner has ended.
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
        """Whether all posted messages have gone out."""
        self._flush()
        return not self._outbox

    def post(self, report: Report) -> None:
        """Send as much as fits; the rest goes out later. Never waits."""
        self._outbox += encode(report)
        self._flush()

    def send(self, report: Report) -> None:
        """Send, and wait until it has gone out. Raises EOFError if the runner has ended."""
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
