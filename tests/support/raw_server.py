"""A server that plays a script, byte by byte, and one load round against it."""

import contextlib
import itertools
import socket
import threading

from tests.support.load import spec_of
from tui.load.generator import LoadGenerator
from tui.load.result import Times

HELLO = b"HTTP/1.1 200 OK\r\nServer: raw\r\nContent-Length: 5\r\n\r\nHello"


class RawServer:
    """Calls ``play(server, connection, number)`` in a thread for each connection, and closes it afterwards.

    ``requests``: whole requests that ``read_request`` has seen. ``opened``: connections accepted.
    """

    def __init__(self, play, path=None, backlog=1024):
        self._listener = socket.socket(socket.AF_UNIX if path else socket.AF_INET)
        self._listener.bind(str(path) if path else ("127.0.0.1", 0))
        self._listener.listen(backlog)
        self.address = f"unix:{path}" if path else f"127.0.0.1:{self._listener.getsockname()[1]}"
        self.requests = self.opened = 0
        self.seen = b""
        self.closing = threading.Event()
        self._play = play
        self._lock = threading.Lock()
        self._connections = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                self.opened += 1
                self._connections.append(connection)
                threading.Thread(target=self._serve, args=(connection, self.opened), daemon=True).start()

    def _serve(self, connection, number):
        with contextlib.suppress(OSError), connection:
            self._play(self, connection, number)

    def read_request(self, connection):
        """One request with its body; None when the client has closed."""
        data = b""
        while b"\r\n\r\n" not in data:
            more = connection.recv(65536)
            if not more:
                return None
            data += more
        head = data.partition(b"\r\n\r\n")[0]
        size = len(head) + 4
        for line in head.lower().split(b"\r\n"):
            if line.startswith(b"content-length:"):
                size += int(line.partition(b":")[2])
        pieces = [data]
        missing = size - len(data)
        while missing > 0:
            pieces.append(connection.recv(min(missing, 1 << 20)))
            missing -= len(pieces[-1])
            if not pieces[-1]:
                return None
        with self._lock:
            self.requests += 1
        self.seen = b"".join(pieces)
        return self.seen

    def stop_listening(self):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def close(self):
        self.closing.set()
        with contextlib.suppress(OSError):
            self.stop_listening()
        for connection in self._connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


def answers(*pieces, then_close=False):
    """Plays the same answer to each request, sent in these pieces."""

    def play(server, connection, number):
        if connection.family == socket.AF_INET:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while server.read_request(connection):
            for piece in pieces:
                connection.sendall(piece)
            if then_close:
                return

    return play


def spec_for(address, **changes):
    fields = {
        "host": "test",
        "path": "/",
        "connections": 1,
        "keepalive": True,
        "timeout": 5.0,
        "expect_body": b"Hello",
    }
    return spec_of(address=address, **fields | changes)


async def run(
    address, *, requests=None, duration=None, arrivals=None, processes=1, tick=0.25, listen=None, **changes
):
    """One round; what must hold for each is checked. Returns the result."""
    ticks = []

    def on_tick(told):
        ticks.append(told)
        if listen:
            listen(told)

    generator = LoadGenerator(spec_for(address, **changes), [0], processes=processes)
    await generator.start()
    try:
        result = await generator.round(
            requests=requests, duration=duration, arrivals=arrivals, on_tick=on_tick, tick=tick
        )
    finally:
        await generator.close()
    check(result, ticks)
    return result


def check(result, ticks):
    """The outcomes add up to what was sent, the times to the outcomes, and the ticks to the round."""
    tally, outcomes = result.tally, result.tally.outcomes
    assert tally.sent == outcomes.total
    assert result.total.count == result.waiting.count == result.processing.count == outcomes.ok
    assert result.bad.count == outcomes.bad == sum(tally.errors.values())
    assert result.connect.count <= tally.opened
    assert result.most_open <= result.connections
    assert (result.oldest_unfinished is None) is (outcomes.unfinished + (result.never_sent or 0) == 0)
    assert sum(tally.statuses.values()) == outcomes.ok + outcomes.status + outcomes.body
    summed, latency = ticks[0].tally, ticks[0].latency
    for tick in ticks[1:]:
        summed, latency = summed + tick.tally, latency + tick.latency
    assert summed == tally
    assert latency.count == result.total.count
    assert (latency.sum_ns, latency.squares_ns2) == (result.total.sum_ns, result.total.squares_ns2)
    if latency.count:
        assert latency.counts == (result.total + Times(count=0)).histogram.coarse().counts
    assert ticks[0].t0 == result.started
    assert all(before.t1 == after.t0 for before, after in itertools.pairwise(ticks))
    assert ticks[-1].in_flight == 0
    assert result.unfinished_time >= 0 if outcomes.unfinished else result.unfinished_time == 0
    assert result.closing.count <= tally.opened
    in_use = result.total.sum + result.bad.sum + result.unfinished_time + result.closing.sum
    if result.planned is None:
        assert in_use <= result.connections * result.seconds * 1.0001
        assert (tally.planned, result.never_sent, result.service.count) == (0, None, 0)
        assert result.schedule_lag.count == result.connection_wait.count == 0
    else:
        assert result.timer_lag.count == 0
        assert tally.planned == result.planned.requests == tally.sent + result.never_sent
        assert result.schedule_lag.count + result.connection_wait.count == tally.sent
        assert result.service.count == outcomes.ok
        assert result.service.sum_ns <= result.total.sum_ns
    if result.total.count:
        assert 0 < result.waiting.min <= result.processing.min <= result.total.min
        assert result.total.max <= result.ended - result.started
