"""The sockets of one load process: opens them, writes to them, watches and drops them.

``tui.load.exchange`` knows what a request is, when it begins and how it ended.
"""

from __future__ import annotations

import errno
import select
from time import perf_counter_ns as clock
from typing import Any

from tui.load.recorder import Recorder
from tui.load.slot import ConnectionSlot, Stage, connect_failure

READABLE = select.EPOLLIN | select.EPOLLRDHUP
Failure = tuple[str, str]
"""How a request ended without an answer: its outcome, and the text that is counted."""


class Connections:
    """``request``: the bytes to send, the same on each. ``most_open``: the most open at the same time."""

    def __init__(self, request: bytes, target: tuple[int, Any], connections: int) -> None:
        self.request = request
        self.recorder = Recorder(len(request))
        self.epoll = select.epoll()
        self.slots = [ConnectionSlot() for _ in range(connections)]
        self.by_fd: dict[int, ConnectionSlot] = {}
        self.most_open = self._open = 0
        self._request_view = memoryview(request)
        self._family, self._address = target

    def close(self) -> None:
        """Close every connection."""
        for slot in self.slots:
            self._drop(slot)
        self.epoll.close()

    def sent_in_part(self, slot: ConnectionSlot, count: int) -> None:
        """The first ``count`` bytes of a request on a kept connection went out."""
        tick = self.recorder.tick
        tick.sent += 1
        tick.reused += 1
        tick.bytes_sent += count
        slot.connect, slot.first = None, 0
        slot.unsent = self._request_view[count:]
        slot.stage = Stage.SENDING
        self._watch(slot)

    def _connect(self, slot: ConnectionSlot) -> Failure | None:
        """Open a connection for the slot's request and send that as soon as possible; or return why not."""
        try:
            sock = slot.open(self._family)
        except OSError as error:
            return connect_failure(error.errno or 0)
        slot.sent = clock()
        code = sock.connect_ex(self._address)
        if code not in (0, errno.EINPROGRESS):
            return connect_failure(code)
        self.by_fd[slot.fd] = slot
        slot.stage = Stage.CONNECTING
        return self._establish(slot)

    def _establish(self, slot: ConnectionSlot) -> Failure | None:
        """Send, which shows whether the connection is established: on loopback it is when connect() returns.
        Returns why it isn't, if it has failed.
        """
        now = clock()
        try:
            count = slot.send(self.request)
        except BlockingIOError:
            self._watch(slot)
            return None
        except OSError as error:
            if error.errno not in (errno.ECONNRESET, errno.EPIPE):
                return connect_failure(error.errno or 0)
            count = 0  # it was established, and the next read shows how it ended
        slot.connect, slot.sent = now - slot.sent, now
        slot.connected = True
        self._open += 1
        self.most_open = max(self.most_open, self._open)
        tick = self.recorder.tick
        tick.opened += 1
        tick.bytes_sent += count
        slot.unsent = self._request_view[count:]
        slot.stage = Stage.SENDING if slot.unsent else Stage.WAITING
        self._watch(slot)
        return None

    def _send(self, slot: ConnectionSlot, data: bytes | memoryview) -> None:
        try:
            count = slot.send(data)
        except OSError:
            count = 0  # no room, or a broken connection: the next read shows it, maybe with an early answer
        self.recorder.tick.bytes_sent += count
        slot.unsent = data[count:]
        if slot.stage == Stage.SENDING and not slot.unsent:
            slot.stage = Stage.WAITING
        self._watch(slot)

    def _watch(self, slot: ConnectionSlot) -> None:
        waits_for_room = slot.unsent or slot.stage == Stage.CONNECTING
        mask = READABLE | (select.EPOLLOUT if waits_for_room else 0)
        if not slot.mask:
            self.epoll.register(slot.fd, mask)
        elif slot.mask != mask:
            self.epoll.modify(slot.fd, mask)
        slot.mask = mask

    def _drop(self, slot: ConnectionSlot) -> None:
        if slot.sock is not None:
            self.by_fd.pop(slot.fd, None)
            self._open -= slot.connected
            slot.close()
        slot.stage = Stage.IDLE
