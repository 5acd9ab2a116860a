"""Servers that answer well, oddly or badly: each request gets the right outcome and the round continues.

Most of these are bugs that users reported of other load generators.
"""

import socket
import struct

import pytest

from tests.support.raw_server import HELLO, answers, run

BIG = bytes(range(256)) * 800  # 205 KB


def length(body, *headers):
    lines = ["HTTP/1.1 200 OK", *headers, f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode() + body


GOOD = {
    "plain": answers(HELLO),
    "in two pieces": answers(HELLO[:20], HELLO[20:]),
    "1xx first": answers(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", HELLO),
    "chunked with trailers over packets": answers(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nHel\r\n",
        b"2\r\nlo\r\n0\r\nX-F",
        b"oo: bar\r\n\r\n",
    ),
    "HTTP/1.0 kept": answers(b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\nHello"),
    "9 KiB of headers": answers(length(b"Hello", "X-Big: " + "a" * 9216)),
}


@pytest.mark.parametrize("play", GOOD.values(), ids=GOOD)
async def test_good_answers_on_kept_connections(serve, play):
    server = serve(play)
    result = await run(server.address, requests=60, connections=3)
    assert result.tally.outcomes.ok == result.tally.sent == server.requests == 60
    assert result.tally.opened == server.opened == result.most_open == 3
    assert result.tally.reused == 57
    assert result.connect.count == 3


ENDED = {
    "length": HELLO,
    "said so": length(b"Hello", "Connection: close"),
    "no length": b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nHello",
    "HTTP/1.0": b"HTTP/1.0 200 OK\r\n\r\nHello",
    "chunked": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nHello\r\n0\r\n\r\n",
}


@pytest.mark.parametrize("keepalive", [True, False])
@pytest.mark.parametrize("data", ENDED.values(), ids=ENDED)
async def test_a_server_that_closes_after_each_answer_makes_no_error(serve, data, keepalive):
    server = serve(answers(data, then_close=True))
    result = await run(server.address, requests=40, connections=4, keepalive=keepalive)
    assert result.tally.outcomes.ok == result.tally.sent == server.requests == 40
    assert result.tally.opened == server.opened == 40
    assert result.tally.reused == result.tally.retried
    assert keepalive or result.tally.retried == 0
    assert result.connect.count == 40
    assert (b"Connection: close" in server.seen) is not keepalive


async def test_a_server_that_keeps_open_what_it_should_close_is_closed_on(serve):
    server = serve(answers(HELLO))
    result = await run(server.address, requests=6, connections=2, keepalive=False)
    assert result.tally.outcomes.ok == 6
    assert server.opened == 6
    assert 0.2 <= result.seconds < 2


async def test_a_body_of_200_kb_comes_whole_and_counts_in_full(serve):
    server = serve(answers(length(BIG)))
    result = await run(server.address, requests=20, connections=2, expect_body=BIG)
    assert result.tally.outcomes.ok == 20
    assert result.tally.body_bytes == 20 * len(BIG)
    assert result.tally.bytes_received == 20 * len(length(BIG))


async def test_a_request_of_4_mb_is_sent_whole(serve):
    body = BIG * 20
    server = serve(answers(HELLO))
    result = await run(server.address, requests=4, method="POST", body=body)
    assert result.tally.outcomes.ok == server.requests == 4
    assert server.seen.endswith(body)
    assert result.tally.bytes_sent == 4 * len(server.seen)


async def test_an_answer_that_comes_before_the_request_is_whole(serve):
    def play(server, connection, number):
        connection.recv(1000)
        connection.sendall(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(1 << 20):
            pass

    server = serve(play)
    result = await run(
        server.address, requests=3, method="POST", body=BIG * 40, expect_status=413, expect_body=None
    )
    assert result.tally.outcomes.ok == 3
    assert result.tally.opened == 3


async def test_head_has_no_body_whatever_its_headers_say(serve):
    server = serve(answers(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"))
    result = await run(server.address, requests=10, method="HEAD")
    assert result.tally.outcomes.ok == 10
    assert result.tally.opened == 1


async def test_answers_that_differ_each_time_are_read_each_time(serve):
    def play(server, connection, number):
        while server.read_request(connection):
            count = server.requests
            body = b"Hello" if count % 3 else b"Oops!"
            connection.sendall(length(body, f"X-Request-Id: {count}"))

    server = serve(play)
    result = await run(server.address, requests=30)
    assert (result.tally.outcomes.ok, result.tally.outcomes.body) == (20, 10)


async def test_a_bad_answer_is_seen_after_thousands_of_equal_good_ones(serve):
    def play(server, connection, number):
        while server.read_request(connection):
            bad = server.requests % 500 == 0
            connection.sendall(HELLO.replace(b"Hello", b"Hullo") if bad else HELLO)

    server = serve(play)
    result = await run(server.address, requests=2000)
    assert (result.tally.outcomes.ok, result.tally.outcomes.body) == (1996, 4)
    assert result.tally.errors == {"body: not the expected one (5 bytes)": 4}


async def test_what_is_expected_is_never_learnt_from_what_was_seen(serve):
    # The first answers are the error page; the good ones come later.
    def play(server, connection, number):
        while server.read_request(connection):
            page = b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 3\r\n\r\n502"
            connection.sendall(page if server.requests <= 10 else HELLO)

    server = serve(play)
    result = await run(server.address, requests=30)
    assert (result.tally.outcomes.status, result.tally.outcomes.ok) == (10, 20)
    assert result.tally.statuses == {502: 10, 200: 20}
    assert result.rate == pytest.approx(20 / result.seconds)


def reset(server, connection, number):
    server.read_request(connection)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


BAD = {
    "status": (answers(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"), "status", "status: 404"),
    "length": (answers(length(b"Hello!")), "body", "body: not the expected one (6 bytes)"),
    "closed": (
        lambda server, connection, number: server.read_request(connection),
        "reset",
        "reset: closed before",
    ),
    "reset": (reset, "reset", "reset: Connection reset by peer"),
    "short": (
        answers(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nHello", then_close=True),
        "truncated",
        "truncated: closed",
    ),
    "half a head": (answers(b"HTTP/1.1 200 OK\r\nCont", then_close=True), "truncated", "truncated: closed"),
    "half a chunk": (
        answers(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nHello", then_close=True),
        "truncated",
        "truncated: closed",
    ),
    "not HTTP": (answers(b"SSH-2.0-OpenSSH_9.2\r\n"), "protocol", "protocol: Expected HTTP"),
    "two answers": (answers(HELLO + HELLO), "protocol", "protocol: bytes after the answer"),
    "junk": (answers(HELLO + b"junk"), "protocol", "protocol: bytes after the answer"),
}


@pytest.mark.parametrize(("play", "outcome", "text"), BAD.values(), ids=BAD)
@pytest.mark.parametrize("keepalive", [True, False])
async def test_bad_answers_have_their_outcome_and_a_reason(serve, play, outcome, text, keepalive):
    server = serve(play)
    result = await run(server.address, requests=12, connections=3, keepalive=keepalive)
    assert getattr(result.tally.outcomes, outcome) == result.tally.sent == 12
    assert all(error.startswith(text) for error in result.tally.errors)
    assert result.tally.outcomes.ok == 0
    assert result.rate == 0


async def test_a_kept_connection_closed_before_the_next_request_is_tried_again(serve):
    # The server answers and closes at once, having said nothing of it: the next request may be on its way.
    server = serve(answers(HELLO, then_close=True))
    result = await run(server.address, requests=300, connections=10)
    assert result.tally.outcomes.ok == 300
    assert result.tally.opened == server.requests == 300
    assert result.tally.reused == result.tally.retried


async def test_a_worker_that_dies_with_a_request_in_its_hands_is_not_tried_again(serve):
    def play(server, connection, number):
        server.read_request(connection)
        connection.sendall(HELLO)
        server.read_request(connection)

    server = serve(play)
    result = await run(server.address, requests=20)
    assert result.tally.retried == 0
    assert (result.tally.outcomes.ok, result.tally.outcomes.reset) == (10, 10)
    assert result.tally.errors == {"reset: closed before any byte of the answer": 10}


async def test_a_post_is_never_sent_twice(serve):
    server = serve(answers(HELLO, then_close=True))
    result = await run(server.address, requests=50, connections=5, method="POST", body=b"x")
    assert result.tally.retried == 0
    assert server.requests == result.tally.outcomes.ok


async def test_the_first_answer_says_server_and_version(serve):
    server = serve(
        answers(b"HTTP/1.0 200 OK\r\nServer: Old/1\r\nContent-Length: 5\r\n\r\nHello", then_close=True)
    )
    result = await run(server.address, requests=2)
    assert (result.server, result.http_version) == ("Old/1", "1.0")
