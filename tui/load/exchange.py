"""Requests and answers over a load's connections: everything except when the next request goes out.

Why a custom loop over epoll and plain sockets instead of uvloop: two prototypes were measured against one
nginx, pinned and interleaved. On kept connections there was no difference beyond the noise: 10.4 µs of CPU
time per request for this one, 10.3 for uvloop protocols, 10.5 for wrk and 10.7 for ab -k (medians of 9, 100
connections, 14-byte file); in another set of 7, uvloop was ahead by 0.6. With one connection per request, this
one was ahead of uvloop in all three runs (80, 83, 120 against 101, 143, 149). It is also more exact:
connecting has a separate timestamp, and a schedule can be finer than the 1 ms steps of uvloop's timers.

``tests/benchmarks/test_load_cpu.py`` measures the cost with everything recorded: about as much as wrk on kept
connections, and some 40 % more than ab with one connection per request.

A server may close a kept connection while the next request is on its way (RFC 9112, 9.3.1); that is not an
error: GET and HEAD are sent again, once, on a new connection, and counted as ``retried``, but only if the
server can't have read the request (the answer was a reset, or it was never acknowledged). If a worker dies
while it works on a request, that still counts as a ``reset``.
"""

from __future__ import annotations

import select
from abc import ABC, abstractmethod
from collections import deque
from time import perf_counter_ns as clock
from typing import Any

from tui.load.answer import AnswerReader, NotHttpError, request_bytes
from tui.load.connections import Connections
from tui.load.slot import ConnectionSlot, Stage
from tui.load.spec import LoadSpec

READ = 65536  # bytes at most in one read
MS = 1_000_000  # ns
SCAN_STEP = 5 * MS  # the precision of timeouts, backoffs and waits for a close
CLOSE_WAIT = 100 * MS
CONNECT_BACKOFF = 10 * MS
CLIENT_BACKOFF = 250 * MS
OPEN_AT_ONCE = 32


class Exchange(Connections, ABC):
    """The connections of one load process in one round; ``proceed`` of each kind of loop decides whose turn it is.

    A connection without keep-alive stays with its slot until the server has closed it, for at most 100 ms, so that
    TIME_WAIT is on the server's side, as with ab, and costs us no port.

    After a failed connect, a slot waits 10 ms before its next request, and 250 ms after a limit of our own
    (descriptors, ports). Each failure is a request with its outcome; the waits keep a refused load from spinning.
    """

    def __init__(self, spec: LoadSpec, target: tuple[int, Any], connections: int) -> None:
        super().__init__(request_bytes(spec), target, connections)
        self.opening: deque[ConnectionSlot] = deque()  # these proceed, each on a new connection
        self.in_flight = 0
        self.known: bytes | None = None  # a good answer that came in one piece: equal bytes need no parser
        self.server: str | None = None
        self.http_version: str | None = None
        self.next_scan = 0
        self._spec = spec
        self._timeout = int(spec.timeout * 1e9)
        self._can_retry = spec.request.method != "POST"

    def unfinished(self, now: int) -> tuple[list[int], int | None]:
        """How long each request in flight has taken since its begin, and the oldest one's age, in ns."""
        ages = [max(0, now - slot.begun) for slot in self.slots if slot.stage >= Stage.CONNECTING]
        return ages, max(ages, default=None)

    # Sending.

    @abstractmethod
    def proceed(self, slot: ConnectionSlot) -> None:
        """The slot is free: ``begin`` its next request, or leave it idle."""

    def open_some(self) -> None:
        """Let slots of ``opening`` proceed: a few at a time, so that answers needn't wait."""
        for _ in range(min(OPEN_AT_ONCE, len(self.opening))):
            self.proceed(self.opening.popleft())

    def begin(self, slot: ConnectionSlot) -> None:
        """Send a request on a free slot, over its connection or a new one."""
        self.recorder.tick.sent += 1
        self.in_flight += 1
        if slot.sock is None:
            slot.begun = clock()
            if failure := self._connect(slot):
                self._fail(slot, clock(), *failure)
        else:
            self.recorder.tick.reused += 1
            slot.connect, slot.first = None, 0
            slot.stage = Stage.SENDING
            slot.begun = slot.sent = clock()
            self._send(slot, self._request_view)
            if slot.stage == Stage.WAITING:
                slot.stage = Stage.RESENT

    # Receiving.

    def handle(self, slot: ConnectionSlot, event: int, end: int) -> None:
        """Handle a connection's epoll event. Data read at or after ``end`` (ns) no longer counts."""
        if slot.stage == Stage.CONNECTING:
            if failure := self._establish(slot):
                self._fail(slot, clock(), *failure)
            return
        if event & select.EPOLLOUT and slot.unsent:
            self._send(slot, slot.unsent)
        if not event & ~select.EPOLLOUT:
            return
        try:
            data = slot.recv(READ)
        except BlockingIOError:
            return
        except OSError as error:
            self.broken(slot, error, clock())
            return
        now = clock()
        if now < end:
            self.received(slot, data, event, now)

    def received(self, slot: ConnectionSlot, data: bytes, event: int, now: int) -> None:
        """Handle bytes of an answer, or none if the server closed."""
        if not data or slot.stage == Stage.CLOSING:
            self._closed(slot, now)
            return
        self.recorder.tick.bytes_received += len(data)
        slot.first = slot.first or now
        closed = bool(event & select.EPOLLRDHUP) and len(data) < READ
        if data == self.known and slot.stage in (Stage.WAITING, Stage.RESENT):
            self._good(slot, now, self.recorder.known_status, self.recorder.known_body)
            self._release(slot, now, kept=not closed and self._spec.keepalive, closed=closed)
            return
        whole = slot.stage != Stage.READING
        slot.stage = Stage.READING
        if slot.answer is None:
            slot.answer = AnswerReader(self._spec.request)
        try:
            complete = slot.answer.feed(data)
        except NotHttpError as error:
            self._fail(slot, now, "protocol", f"protocol: {error}")
            return
        if complete:
            if whole:
                self._learn(slot.answer, data)
            self._answered(slot, slot.answer, now, closed)

    def _learn(self, answer: AnswerReader, data: bytes) -> None:
        if answer.delimited and (answer.keep or not self._spec.keepalive) and answer.verdict()[0] == "ok":
            self.recorder.know(data, answer.status, answer.body_length)
            self.known = data

    def _answered(self, slot: ConnectionSlot, answer: AnswerReader, now: int, closed: bool) -> None:
        if self.http_version is None:
            self.server, self.http_version = answer.server, answer.version
        outcome, text = answer.verdict()
        if outcome == "ok":
            self._good(slot, now, answer.status, answer.body_length)
        else:
            self.recorder.tick.statuses[answer.status] += 1
            self.recorder.tick.body_bytes += answer.body_length
            self._bad(slot, now, outcome, text)
        kept = answer.keep and self._spec.keepalive and not slot.unsent and not closed
        self._release(slot, now, kept, closed or bool(slot.unsent))

    def _good(self, slot: ConnectionSlot, now: int, status: int, body_length: int) -> None:
        tick, parts = self.recorder.tick, self.recorder.parts
        tick.outcomes["ok"] += 1
        tick.statuses[status] += 1
        tick.body_bytes += body_length
        if slot.connect is not None:
            parts["connect"].append(slot.connect)
        parts["waiting"].append(slot.first - slot.sent)
        parts["processing"].append(now - slot.sent)
        parts["total"].append(now - slot.begun)

    def _bad(self, slot: ConnectionSlot, now: int, outcome: str, text: str) -> None:
        self.recorder.tick.outcomes[outcome] += 1
        self.recorder.tick.error(text)
        self.recorder.parts["bad"].append(now - slot.begun)

    # Ending.

    def _release(self, slot: ConnectionSlot, now: int, kept: bool, closed: bool) -> None:
        """The request has its outcome; its connection is kept, will be closed by the server, or is already
        closed.
        """
        self.in_flight -= 1
        slot.served += 1
        if kept:
            self.proceed(slot)
        elif closed:
            self._drop(slot)
            self.proceed(slot)
        else:
            slot.stage = Stage.CLOSING
            self._wait(slot, now + CLOSE_WAIT)

    def _closed(self, slot: ConnectionSlot, now: int) -> None:
        if slot.stage == Stage.CLOSING:
            self.recorder.parts["closing"].append(now - slot.due + CLOSE_WAIT)
            self._drop(slot)
            self.proceed(slot)
        elif slot.stage == Stage.READING:
            if slot.answer is not None and slot.answer.closed():
                self._answered(slot, slot.answer, now, closed=True)
            else:
                self._fail(slot, now, "truncated", "truncated: closed in the answer")
        elif slot.served and self._can_retry and slot.unread():
            self._retry(slot)
        else:
            self._fail(slot, now, "reset", "reset: closed before any byte of the answer")

    def broken(self, slot: ConnectionSlot, error: OSError, now: int) -> None:
        """Reading failed: the connection was reset."""
        if slot.stage == Stage.CLOSING:
            self._closed(slot, now)
        elif slot.stage == Stage.READING:
            self._fail(slot, now, "truncated", f"truncated: {error.strerror}")
        elif slot.served and self._can_retry:
            self._retry(slot)
        else:
            self._fail(slot, now, "reset", f"reset: {error.strerror}")

    def _retry(self, slot: ConnectionSlot) -> None:
        self.recorder.tick.retried += 1
        self._drop(slot)
        if failure := self._connect(slot):
            self._fail(slot, clock(), *failure)

    def _fail(self, slot: ConnectionSlot, now: int, outcome: str, text: str) -> None:
        self._bad(slot, now, outcome, text)
        self.in_flight -= 1
        self._drop(slot)
        if outcome in ("connect", "client"):
            slot.stage = Stage.BACKOFF
            self._wait(slot, now + (CONNECT_BACKOFF if outcome == "connect" else CLIENT_BACKOFF))
        else:
            self.opening.append(slot)

    def _wait(self, slot: ConnectionSlot, due: int) -> None:
        slot.due = due
        self.next_scan = min(self.next_scan, due)

    def scan(self, now: int) -> None:
        """End requests, waits for the server's close and backoffs that have taken too long. Sets ``next_scan``."""
        self.next_scan = now + self._timeout
        for slot in self.slots:
            if slot.stage == Stage.IDLE:
                continue
            in_flight = slot.stage >= Stage.CONNECTING
            due = slot.begun + self._timeout if in_flight else slot.due
            if due > now:
                self.next_scan = min(self.next_scan, due)
            elif in_flight:
                self._fail(slot, now, "timeout", _TIMEOUTS[slot.stage])
            else:
                self._drop(slot)
                self.opening.append(slot)
        self.next_scan = max(self.next_scan, now + SCAN_STEP)


_TIMEOUTS = {
    Stage.CONNECTING: "timeout: not connected",
    Stage.SENDING: "timeout: the request wasn't taken whole",
    Stage.WAITING: "timeout: no byte of an answer",
    Stage.RESENT: "timeout: no byte of an answer",
    Stage.READING: "timeout: the answer wasn't complete",
}
