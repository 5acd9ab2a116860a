"""How rounds begin, share and end: requests, durations, timeouts, refusals, limits of our own, and stopping."""

import asyncio
import os
import resource
import signal
import socket
import time

import pytest

from tests.support.raw_server import HELLO, answers, check, run, spec_for
from tui.load.generator import LoadGenerator


def silent(server, connection, number):
    server.read_request(connection)
    server.closing.wait()


async def test_two_processes_share_the_requests_exactly(serve):
    server = serve(answers(HELLO))
    for requests, connections in ((1, 2), (3, 5), (501, 7)):
        seen = server.requests
        result = await run(server.address, requests=requests, connections=connections, processes=2)
        assert result.tally.outcomes.ok == server.requests - seen == requests
        assert result.most_open <= min(requests, connections)
        assert len(result.cpu_seconds) == 2


@pytest.mark.parametrize("processes", [1, 2])
async def test_every_connection_is_opened_if_there_are_as_many_requests(serve, processes):
    server = serve(answers(HELLO))
    result = await run(server.address, requests=100, connections=100, processes=processes)
    assert result.tally.opened == server.opened == 100
    assert result.tally.reused == 0


async def test_connections_are_split_exactly_and_opened_anew_each_round(serve):
    server = serve(answers(HELLO))
    generator = LoadGenerator(spec_for(server.address, connections=7), [0], processes=3)
    await generator.start()
    for number in (1, 2):
        ticks = []
        result = await generator.round(requests=None, duration=0.4, on_tick=ticks.append, tick=0.1)
        check(result, ticks)
        assert server.opened == 7 * number
        assert result.tally.opened == result.most_open == 7
        assert {len(tick.busy) for tick in ticks} == {3}
    await generator.close()


async def test_never_more_processes_than_connections(serve):
    assert LoadGenerator(spec_for("127.0.0.1:1", connections=2), [0, 1, 2]).processes == 2


async def test_a_duration_is_kept_exactly_and_what_is_in_flight_is_reported(serve):
    server = serve(answers(HELLO))
    result = await run(server.address, duration=0.5, connections=4, tick=0.1)
    assert result.seconds == pytest.approx(0.5, abs=1e-6)
    assert result.tally.outcomes.unfinished == 4
    assert 0 <= result.oldest_unfinished < 0.5
    assert server.requests >= result.tally.outcomes.ok > 0
    assert result.rate == result.tally.outcomes.ok / result.seconds
    assert not result.stopped


@pytest.mark.parametrize(
    ("requests", "duration", "ended_by"), [(10, 30.0, "requests"), (10**9, 0.3, "duration")]
)
async def test_of_requests_and_duration_the_first_ends_the_round(serve, requests, duration, ended_by):
    server = serve(answers(HELLO))
    result = await run(server.address, requests=requests, duration=duration, connections=2, processes=2)
    assert (result.tally.sent == 10) is (ended_by == "requests")
    assert result.seconds <= 0.3 if ended_by == "duration" else result.seconds < 5


@pytest.mark.parametrize("tick", [0.05, 1.0])
async def test_ticks_come_about_as_often_as_asked(serve, tick):
    server = serve(answers(HELLO))
    ticks = []
    generator = LoadGenerator(spec_for(server.address), [0])
    await generator.start()
    result = await generator.round(requests=None, duration=0.52, on_tick=ticks.append, tick=tick)
    await generator.close()
    check(result, ticks)
    assert len(ticks) <= 0.52 / tick + 2
    assert all(0 <= share <= 1 for each in ticks for share in each.busy)
    assert max(each.lag for each in ticks) <= result.lag < 0.52


async def test_a_server_that_never_answers_gives_timeouts_and_new_connections(serve):
    server = serve(silent)
    result = await run(server.address, requests=9, connections=3, timeout=0.15)
    assert result.tally.outcomes.timeout == 9
    assert result.tally.errors == {"timeout: no byte of an answer": 9}
    assert server.opened == 9
    assert result.bad.min >= 0.15
    assert 0.45 <= result.seconds < 3


async def test_a_round_ends_on_time_when_the_server_hangs(serve):
    server = serve(silent)
    before = time.monotonic()
    result = await run(server.address, duration=0.4, connections=3, timeout=30.0)
    assert time.monotonic() - before < 5
    assert result.tally.outcomes.unfinished == result.tally.sent == 3
    assert result.oldest_unfinished == pytest.approx(0.4, abs=0.2)
    assert result.rate == 0
    assert sum(result.cpu_seconds) < 0.2


async def test_an_answer_without_an_end_times_out(serve):
    def endless(server, connection, number):
        server.read_request(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\nHello")
        server.closing.wait()

    server = serve(endless)
    result = await run(server.address, requests=2, timeout=0.1)
    assert result.tally.errors == {"timeout: the answer wasn't complete": 2}


async def test_a_full_listen_queue_times_out_while_connecting():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        result = await run(address, requests=6, connections=6, timeout=0.3)
    assert result.tally.outcomes.timeout == result.tally.sent
    assert "timeout: not connected" in result.tally.errors
    assert result.tally.opened < 6


async def test_refused_connections_are_counted_and_do_not_spin():
    result = await run("127.0.0.1:1", duration=0.5, connections=4)
    outcomes = result.tally.outcomes
    assert outcomes.connect == result.tally.sent
    assert result.tally.errors == {"connect: Connection refused": outcomes.connect}
    assert 40 <= outcomes.connect <= 4 * 51
    assert sum(result.cpu_seconds) < 0.25
    assert result.tally.opened == result.most_open == 0


async def test_n_refused_requests_end_a_round():
    result = await run("127.0.0.1:1", requests=50, connections=4, processes=2)
    assert result.tally.outcomes.connect == 50


async def test_a_socket_that_is_not_there(tmp_path):
    result = await run(f"unix:{tmp_path}/none.sock", requests=3)
    assert result.tally.errors == {"connect: No such file or directory": 3}


@pytest.mark.parametrize("keepalive", [True, False])
async def test_unix_sockets(serve, tmp_path, keepalive):
    server = serve(
        answers(HELLO) if keepalive else answers(HELLO, then_close=True), path=tmp_path / "app.sock"
    )
    result = await run(server.address, requests=100, connections=5, processes=2, keepalive=keepalive)
    assert result.tally.outcomes.ok == server.requests == 100
    assert result.tally.opened == (5 if keepalive else 100)


async def test_a_unix_socket_closed_between_requests_is_tried_again(serve, tmp_path):
    server = serve(answers(HELLO, then_close=True), path=tmp_path / "app.sock")
    result = await run(server.address, requests=200, connections=5)
    assert result.tally.outcomes.ok == 200


async def test_a_full_queue_of_a_unix_socket_is_an_error_of_connecting(tmp_path):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(tmp_path / "full.sock"))
    listener.listen(0)
    result = await run(f"unix:{tmp_path}/full.sock", duration=0.3, connections=4)
    listener.close()
    assert (
        result.tally.outcomes.connect == result.tally.errors["connect: Resource temporarily unavailable"] > 0
    )
    assert result.tally.outcomes.connect + result.tally.outcomes.unfinished == result.tally.sent


async def test_the_server_goes_away_in_mid_round(serve):
    server = serve(answers(HELLO))
    generator = LoadGenerator(spec_for(server.address, connections=4, keepalive=True), [0])
    await generator.start()
    ticks = []

    def on_tick(tick):
        ticks.append(tick)
        if len(ticks) == 2:
            server.close()

    result = await generator.round(requests=None, duration=0.6, on_tick=on_tick, tick=0.1)
    await generator.close()
    check(result, ticks)
    outcomes = result.tally.outcomes
    assert outcomes.ok > 0
    assert outcomes.connect > 0
    assert outcomes.ok + outcomes.bad + outcomes.unfinished == result.tally.sent


async def test_no_descriptors_left_is_our_own_limit(serve):
    server = serve(answers(HELLO))
    generator = LoadGenerator(spec_for(server.address, connections=50), [0])
    await generator.start()
    (pid,) = generator.pids
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (30, 30))
    ticks = []
    result = await generator.round(requests=None, duration=0.4, on_tick=ticks.append)
    await generator.close()
    check(result, ticks)
    assert result.tally.outcomes.client > 0
    assert set(result.tally.errors) == {"client: Too many open files"}
    assert result.tally.outcomes.ok > 0
    assert 10 < result.most_open < 30


async def test_a_stopped_round_is_told_with_what_there_is(serve):
    server = serve(answers(HELLO))
    generator = LoadGenerator(spec_for(server.address, connections=2), [0], processes=2)
    await generator.start()
    ticks = []

    def on_tick(tick):
        ticks.append(tick)
        if len(ticks) == 2:
            generator.stop_round()

    result = await generator.round(requests=10**9, duration=60.0, on_tick=on_tick, tick=0.1)
    check(result, ticks)
    assert result.stopped
    assert 0.1 < result.seconds < 5
    assert result.tally.outcomes.ok > 0
    ticks.clear()
    again = await generator.round(requests=20, duration=None, on_tick=ticks.append)
    check(again, ticks)
    assert not again.stopped
    assert again.tally.outcomes.ok == 20
    await generator.close()


async def test_a_stop_may_come_before_the_start(serve):
    server = serve(answers(HELLO))
    generator = LoadGenerator(spec_for(server.address), [0])
    await generator.start()
    ticks = []
    going = asyncio.create_task(generator.round(requests=None, duration=60.0, on_tick=ticks.append))
    await asyncio.sleep(0)
    generator.stop_round()
    result = await going
    await generator.close()
    check(result, ticks)
    assert result.stopped
    assert result.seconds < 5
    assert result.seconds > 0 or (result.tally.sent == 0 and result.rate is None)


async def test_a_round_needs_an_end(serve):
    generator = LoadGenerator(spec_for("127.0.0.1:1"), [0])
    with pytest.raises(ValueError, match="requests or a duration"):
        await generator.round(requests=None, duration=None, on_tick=lambda tick: None)


async def test_a_round_of_a_millisecond_has_figures_or_none(serve):
    server = serve(answers(HELLO))
    result = await run(server.address, duration=0.001, connections=3)
    assert result.seconds == pytest.approx(0.001)
    assert result.total.percentile(99) is None
    assert result.rate == result.tally.outcomes.ok / result.seconds


async def test_one_slow_answer_among_many_is_the_maximum_and_no_percentile(serve):
    def play(server, connection, number):
        while server.read_request(connection):
            if server.requests == 700:
                server.closing.wait(0.3)
            connection.sendall(HELLO)

    server = serve(play)
    result = await run(server.address, requests=1500)
    assert result.total.max >= 0.3
    assert result.total.percentile(99) < 0.3
    assert sum(bucket.count for bucket in result.total.histogram.buckets()) == 1500


@pytest.mark.alone
async def test_connections_are_in_flight_or_being_closed_all_the_time(serve):
    """Little's law: rate times mean time is the number in flight. The server closes 20 ms after its answer."""

    def closes_late(server, connection, number):
        server.read_request(connection)
        time.sleep(0.02)
        connection.sendall(HELLO)
        time.sleep(0.02)

    server = serve(closes_late)
    result = await run(server.address, duration=1.0, connections=4, keepalive=False)
    assert 0.01 < result.closing.mean < 0.04
    answering, closing = (result.total.sum + result.unfinished_time) / result.seconds, result.closing.sum
    assert answering + closing == pytest.approx(4, rel=0.1)
    assert answering == pytest.approx(2, rel=0.3)


async def test_a_load_process_notices_how_late_it_is(serve):
    """It is stopped for 200 ms: of the moments 5 ms apart so many were noticed late, and by as much as they were."""
    server = serve(answers(HELLO))
    generator = LoadGenerator(spec_for(server.address), [0])
    await generator.start()
    (pid,) = generator.pids

    async def stop_for_a_while():
        await asyncio.sleep(0.3)
        os.kill(pid, signal.SIGSTOP)
        await asyncio.sleep(0.2)
        os.kill(pid, signal.SIGCONT)

    stopping = asyncio.create_task(stop_for_a_while())
    result = await generator.round(requests=None, duration=1.0, on_tick=lambda tick: None)
    await stopping
    await generator.close()
    assert 0.18 < result.timer_lag.max < 0.7
    assert result.timer_lag.percentile(90) > 0.05
    assert 150 <= result.timer_lag.count <= 400
