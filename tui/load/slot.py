"""One of a load's connections: its current socket, and the request in flight on it."""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import struct
import termios
from collections.abc import Callable
from enum import IntEnum

from tui.load.answer import AnswerReader

# Our own limits: descriptors, memory, ports. EADDRINUSE is what some kernels say for "no port left".
_OWN_LIMITS = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.EADDRNOTAVAIL, errno.EADDRINUSE}


class Stage(IntEnum):
    IDLE = 0  # no request, until the engine gives it one
    BACKOFF = 1  # no request before ``due``
    CLOSING = 2  # the answer is complete; waits until ``due`` for the server to close
    CONNECTING = 3  # from here on, a request is in flight
    SENDING = 4  # part of the request has been sent, or all of it waits for room
    WAITING = 5  # sent, nothing read
    RESENT = 6  # like WAITING, but sent in one piece on a kept connection: a single time is enough
    READING = 7  # part of the answer has been read


class ConnectionSlot:
    """Times are ns of ``perf_counter_ns``.

    ``begun``: of the request, before connecting. ``sent``: when sending began (while connecting: when that
    began). ``first``: when the first byte was read, or 0. ``connect``: how long connecting for this request
    took, or None if it wasn't needed. ``connected``: the socket is connected. ``served``: answers on this
    connection. ``unsent``: bytes of the request that remain to be sent. ``due``: see ``Stage``. ``mask``:
    the events that epoll watches for. In the open loop only, ``planned``: the request's planned start, and
    ``free_since``: when the slot became free.
    """

    __slots__ = (
        "answer", "begun", "connect", "connected", "due", "fd", "first", "free_since", "mask", "planned", "recv",
        "send", "sent", "served", "sock", "stage", "unsent",
    )  # fmt: skip

    recv: Callable[[int], bytes]
    send: Callable[[bytes | memoryview], int]

    def __init__(self) -> None:
        self.sock: socket.SocketType | None = None
        self.fd = -1
        self.mask = 0
        self.answer: AnswerReader | None = None
        self.stage = Stage.IDLE
        self.begun = self.sent = self.first = self.due = self.served = self.planned = self.free_since = 0
        self.connect: int | None = None
        self.connected = False
        self.unsent: bytes | memoryview = b""

    def open(self, family: int) -> socket.SocketType:
        """A new non-blocking socket for this slot. Raises OSError if no descriptor is left.

        SocketType is the class beneath ``socket.socket``; it measurably saves about 1 µs per connection.
        """
        self.sock = sock = socket.SocketType(family, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        self.fd = sock.fileno()
        self.recv, self.send = sock.recv, sock.send
        self.connect = None
        self.connected = False
        self.mask = self.first = self.served = 0
        self.unsent = b""
        return sock

    def close(self) -> None:
        if self.sock is not None:
            self.sock.close()
            self.sock = None
        if self.answer is not None:
            self.answer.release()
            self.answer = None

    def unread(self) -> bool:
        """After the server closed: whether it can't have read the request, since part of it was never
        acknowledged.
        """
        if self.unsent:
            return True
        assert self.sock is not None
        (queued,) = struct.unpack("i", fcntl.ioctl(self.fd, termios.TIOCOUTQ, bytes(4)))
        return bool(queued > 0)


def connect_failure(code: int) -> tuple[str, str]:
    """The outcome and the text for an errno of socket(), connect() or the socket's pending error."""
    outcome = "client" if code in _OWN_LIMITS else "connect"
    return outcome, f"{outcome}: {os.strerror(code)}"
