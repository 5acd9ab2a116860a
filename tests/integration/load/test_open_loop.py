"""The open loop against servers that keep up, stall, are too slow, close, refuse and hang."""

import asyncio
import time

import pytest

from tests.support.raw_server import HELLO, answers, check, run, spec_for
from tui.load.arrivals import Arrivals
from tui.load.generator import LoadGenerator


def delayed(seconds, answer=HELLO):
    def play(server, connection, number):
        while server.read_request(connection):
            if server.closing.wait(seconds):
                return
            connection.sendall(answer)

    return play


class StallsOnce:
    """Answers at once, but from ``at`` seconds after the first request on not at all for ``stall`` seconds."""

    def __init__(self, at, stall):
        self._at, self._stall = at, stall
        self._first = None

    def __call__(self, server, connection, number):
        while server.read_request(connection):
            now = time.monotonic()
            self._first = self._first or now
            stalls = self._first + self._at
            if stalls <= now < stalls + self._stall:
                server.closing.wait(stalls + self._stall - now)
            connection.sendall(HELLO)


@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("keepalive", [True, False])
async def test_the_rate_is_kept_on_an_idle_server(serve, keepalive, processes):
    server = serve(answers(HELLO, then_close=not keepalive))
    result = await run(
        server.address,
        duration=1.0,
        arrivals=Arrivals(200),
        connections=8,
        keepalive=keepalive,
        processes=processes,
    )
    assert result.planned.requests == 200
    assert result.planned.rate == pytest.approx(200)
    assert result.tally.outcomes.ok >= 198
    assert server.opened == 8 if keepalive else server.opened >= 198
    assert result.schedule_lag.count >= 150


async def test_a_stall_is_in_the_latency_of_all_that_was_planned_in_it(serve):
    """Two connections at 200 per second: the service time sees two slow requests, the latency some sixty."""
    server = serve(StallsOnce(at=0.3, stall=0.3))
    result = await run(server.address, duration=1.5, arrivals=Arrivals(200), connections=2)
    late = sum(b.count for b in result.total.histogram.buckets() if b.low > 50_000)
    slow = sum(b.count for b in result.service.histogram.buckets() if b.low > 50_000)
    assert 35 <= late <= 75
    assert slow <= 6
    assert result.total.percentile(90) > 0.05
    assert result.service.percentile(90) < 0.05
    assert result.total.max == pytest.approx(0.3, abs=0.1)
    # The catching up is reported, with the longest wait.
    assert 35 <= result.connection_wait.count <= 90
    assert result.connection_wait.max == pytest.approx(0.3, abs=0.1)
    assert result.never_sent <= 2


async def test_requests_that_are_never_sent_are_counted_with_their_age(serve):
    server = serve(delayed(0.1))
    result = await run(server.address, duration=1.0, arrivals=Arrivals(100), connections=2)
    assert result.planned.requests == 100
    assert result.tally.sent <= 22
    assert result.tally.outcomes.unfinished <= 2
    assert result.never_sent == 100 - result.tally.sent >= 78
    assert 0.7 < result.oldest_unfinished <= 1.0
    assert result.rate < 0.98 * result.planned.rate


async def test_a_hanging_server_ends_on_time_with_everything_accounted_for(serve):
    server = serve(delayed(60))
    result = await run(server.address, duration=0.5, arrivals=Arrivals(100), connections=3)
    assert result.seconds == pytest.approx(0.5, abs=1e-6)
    assert (result.tally.sent, result.tally.outcomes.unfinished, result.never_sent) == (3, 3, 47)
    assert result.oldest_unfinished == pytest.approx(0.5, abs=0.1)
    assert result.rate == 0


@pytest.mark.parametrize("kind", ["uniform", "poisson"])
@pytest.mark.parametrize("processes", [1, 3])
async def test_a_number_of_requests_is_sent_exactly(serve, kind, processes):
    server = serve(answers(HELLO))
    result = await run(
        server.address, requests=101, arrivals=Arrivals(400, kind, 3), connections=6, processes=processes
    )
    assert result.tally.outcomes.ok == server.requests == 101
    assert result.never_sent == 0
    assert result.planned.arrivals == kind
    assert result.planned.seed == 3
    if kind == "uniform":
        assert result.planned.seconds == pytest.approx(101 / 400, rel=1e-6)
        assert result.seconds >= 100 / 400


async def test_a_seed_plans_the_same_again(serve):
    server = serve(answers(HELLO))
    counts = [
        (await run(server.address, duration=0.3, arrivals=Arrivals(500, "poisson", seed), connections=4))
        .planned.requests
        for seed in (1, 1, 2, 3)
    ]  # fmt: skip
    assert counts[0] == counts[1]
    assert len(set(counts)) > 1


async def test_a_backlog_older_than_the_timeout_does_not_time_out_by_itself(serve):
    server = serve(delayed(0.05))
    result = await run(server.address, duration=1.0, arrivals=Arrivals(100), connections=1, timeout=0.3)
    assert result.tally.outcomes.timeout == 0
    assert result.total.max > 0.5 > result.service.max


async def test_timeouts_keep_the_schedule_of_the_others(serve):
    def every_tenth_hangs(server, connection, number):
        while server.read_request(connection):
            if server.requests % 10 == 0:
                server.closing.wait()
                return
            connection.sendall(HELLO)

    server = serve(every_tenth_hangs)
    result = await run(server.address, requests=100, arrivals=Arrivals(200), connections=20, timeout=0.15)
    assert (result.tally.outcomes.ok, result.tally.outcomes.timeout) == (90, 10)
    assert result.total.percentile(50) < 0.1
    assert result.bad.min >= 0.15


async def test_the_load_is_spread_over_the_connections(serve):
    """All connections at a rate that one could serve, each used in turn."""
    per_connection = {}

    def play(server, connection, number):
        while server.read_request(connection):
            per_connection[number] = per_connection.get(number, 0) + 1
            connection.sendall(HELLO)

    server = serve(play)
    await run(server.address, requests=60, arrivals=Arrivals(200), connections=6)
    assert len(per_connection) == 6
    assert max(per_connection.values()) - min(per_connection.values()) <= 4


async def test_a_free_connection_that_the_server_closes_is_opened_anew(serve):
    def one_answer(server, connection, number):
        server.read_request(connection)
        connection.sendall(HELLO)

    server = serve(one_answer)
    result = await run(server.address, requests=30, arrivals=Arrivals(150), connections=2)
    assert result.tally.outcomes.ok == 30
    assert server.opened == 30


async def test_what_a_server_says_unasked_on_a_free_connection_is_no_answer(serve):
    """Some servers send a 408 before they close a connection that was idle for too long."""

    def impatient(server, connection, number):
        server.read_request(connection)
        connection.sendall(HELLO)
        server.closing.wait(0.02)
        connection.sendall(b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    server = serve(impatient)
    result = await run(server.address, requests=5, arrivals=Arrivals(5), connections=1)
    assert result.tally.outcomes.ok == 5


async def test_refused_connections_are_outcomes_and_do_not_spin(serve):
    server = serve(answers(HELLO))
    server.stop_listening()
    result = await run(server.address, duration=0.5, arrivals=Arrivals(50), connections=4)
    assert result.tally.outcomes.connect == result.tally.sent >= 20
    assert sum(result.cpu_seconds) < 0.3


async def test_an_idle_load_uses_little_cpu(serve):
    server = serve(answers(HELLO))
    result = await run(server.address, duration=1.0, arrivals=Arrivals(10), connections=2)
    assert result.tally.outcomes.ok == 10
    assert sum(result.cpu_seconds) < 0.2


async def test_a_stop_ends_the_schedule_too(serve):
    server = serve(answers(HELLO))
    generator = LoadGenerator(spec_for(server.address, connections=2), [0], processes=2)
    await generator.start()
    ticks, enough = [], asyncio.Event()

    def on_tick(tick):
        ticks.append(tick)
        if sum(each.tally.outcomes.ok for each in ticks) >= 20:
            enough.set()

    task = asyncio.create_task(
        generator.round(requests=None, duration=60, arrivals=Arrivals(100), on_tick=on_tick, tick=0.05)
    )
    await enough.wait()
    generator.stop_round()
    result = await task
    await generator.close()
    check(result, ticks)
    assert result.stopped
    assert result.planned.rate == pytest.approx(100, rel=0.1)
    assert result.planned.seconds == result.seconds < 10
