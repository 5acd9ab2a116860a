"""Reading answers, each in one piece, byte by byte, and split at every place."""

import pytest

from tests.support.load import spec_of
from tui.load.answer import AnswerReader, NotHttpError, request_bytes
from tui.load.request import Judge

GOOD = {
    "address": "127.0.0.1:8080",
    "host": "example.org",
    "path": "/a",
    "connections": 1,
    "keepalive": True,
    "timeout": 1.0,
}


def spec(**changes):
    return spec_of(**GOOD | changes)


def read(pieces, **changes):
    answer = AnswerReader(spec(**changes).request)
    complete = [answer.feed(piece) for piece in pieces]
    assert not any(complete[:-1])
    return answer


HELLO = b"HTTP/1.1 200 OK\r\nServer: test\r\nContent-Length: 5\r\n\r\nHello"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nHel\r\n2;ext=1\r\nlo\r\n0\r\nX-Foo: bar\r\n\r\n"
EARLY = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n" + HELLO
OLD = b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\nHello"


@pytest.mark.parametrize(
    "data", [HELLO, CHUNKED, EARLY, OLD], ids=["length", "chunked", "1xx first", "HTTP/1.0"]
)
def test_an_answer_is_the_same_however_it_is_split(data):
    splits = [[data], [data[at : at + 1] for at in range(len(data))]]
    splits += [[data[:at], data[at:]] for at in range(1, len(data))]
    for pieces in splits:
        answer = read(pieces, expect_body=b"Hello", expect_contains=b"ell", expect_length=5)
        assert answer.complete and answer.keep and answer.delimited
        assert (answer.status, answer.body_length) == (200, 5)
        assert answer.verdict() == ("ok", "")


def test_answers_follow_each_other_on_one_connection():
    answer = AnswerReader(spec(expect_body=b"Hello").request)
    for data in (HELLO, CHUNKED, EARLY, OLD, HELLO):
        assert answer.feed(data)
        assert answer.verdict()[0] == "ok"


@pytest.mark.parametrize(
    ("head", "keep"),
    [
        ("HTTP/1.1 200 OK", True),
        ("HTTP/1.1 200 OK\r\nConnection: close", False),
        ("HTTP/1.1 200 OK\r\nConnection: Foo , CLOSE", False),
        ("HTTP/1.0 200 OK", False),
        ("HTTP/1.0 200 OK\r\nConnection: Keep-Alive", True),
    ],
)
def test_what_the_server_says_of_the_connection(head, keep):
    assert read([f"{head}\r\nContent-Length: 0\r\n\r\n".encode()]).keep is keep


def test_a_body_without_a_length_ends_with_the_connection():
    answer = AnswerReader(spec(expect_body=b"Hello").request)
    assert not answer.feed(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nHello")
    assert answer.closed()
    assert answer.verdict()[0] == "ok"
    assert not answer.keep


@pytest.mark.parametrize(
    "data",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nHello",
        CHUNKED[:-2],
        b"HTTP/1.1 200 OK\r\nContent-",
        b"HTTP/1.1 103 Early\r\n\r\n",
    ],
)
def test_closed_before_the_end_is_not_complete(data):
    answer = AnswerReader(spec().request)
    assert not answer.feed(data)
    assert not answer.closed()


@pytest.mark.parametrize("status", [204, 304])
def test_answers_that_have_no_body_by_their_status(status):
    answer = read([f"HTTP/1.1 {status} X\r\nContent-Length: 9\r\n\r\n".encode()], expect_status=status)
    assert answer.complete and answer.keep
    assert answer.verdict()[0] == "ok"


@pytest.mark.parametrize("head", ["Content-Length: 14", "Transfer-Encoding: chunked", "X: y"])
def test_an_answer_to_head_ends_with_its_headers(head):
    answer = AnswerReader(spec(method="HEAD", expect_body=b"not there").request)
    for _ in range(3):
        assert answer.feed(f"HTTP/1.1 200 OK\r\n{head}\r\n\r\n".encode())
        assert answer.verdict()[0] == "ok"
        assert answer.keep


def test_a_body_after_an_answer_to_head_is_too_much():
    with pytest.raises(NotHttpError, match="bytes after the answer"):
        AnswerReader(spec(method="HEAD").request).feed(HELLO)


@pytest.mark.parametrize("junk", [b"X", HELLO, b"\r\nX"])
def test_bytes_after_an_answer_are_no_answer(junk):
    for data in (HELLO, CHUNKED, HELLO.replace(b"Server: test", b"Connection: close")):
        with pytest.raises(NotHttpError, match="bytes after the answer"):
            AnswerReader(spec().request).feed(data + junk)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"SSH-2.0-OpenSSH_9.2\r\n", "Expected HTTP"),
        (b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n", "upgrade"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nhi", "Content-Length"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", "Content-Length"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "chunk size"),
        (b"HTTP/1.1 200 OK\r\n" + b"X: " + b"y" * 300_000, "headers longer than 256 KiB"),
    ],
)
def test_what_is_not_http_says_why(data, words):
    with pytest.raises(NotHttpError, match=words):
        AnswerReader(spec().request).feed(data)


def test_headers_of_9_kib_and_a_body_of_200_kb():
    body = bytes(range(256)) * 800
    data = (
        b"HTTP/1.1 200 OK\r\nX-Big: "
        + b"a" * 9216
        + f"\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        + body
    )
    pieces = [data[at : at + 4096] for at in range(0, len(data), 4096)]
    answer = read(pieces, expect_body=body, expect_contains=body[100_000:100_300])
    assert answer.body_length == len(body)
    assert answer.verdict()[0] == "ok"


@pytest.mark.parametrize(
    ("changes", "outcome", "words"),
    [
        ({"expect_status": 404}, "status", "status: 200"),
        ({"expect_length": 6}, "body", "body: 5 bytes, not 6"),
        ({"expect_body": b"HellO"}, "body", "not the expected one"),
        ({"expect_body": b"Hello!"}, "body", "not the expected one"),
        ({"expect_body": b"Hell"}, "body", "not the expected one"),
        ({"expect_body": b""}, "body", "not the expected one"),
        ({"expect_contains": b"World"}, "body", "lacks the expected text"),
    ],
)
def test_unexpected_answers(changes, outcome, words):
    for pieces in ([HELLO], [HELLO[:-3], HELLO[-3:]]):
        found, text = read(pieces, **changes).verdict()
        assert found == outcome
        assert words in text


def test_the_request():
    assert request_bytes(spec()).split(b"\r\n") == [
        b"GET /a HTTP/1.1", b"Host: example.org", b"User-Agent: stackdyno", b"Accept: */*", b"", b"",
    ]  # fmt: skip
    post = request_bytes(
        spec(method="POST", body=b"\xff\0", keepalive=False, headers=(("host", "other"), ("X", "é")))
    )
    assert post.startswith(b"POST /a HTTP/1.1\r\n")
    assert post.endswith(b"host: other\r\nX: \xe9\r\nConnection: close\r\nContent-Length: 2\r\n\r\n\xff\0")
    assert post.lower().count(b"host:") == 1
    assert request_bytes(spec(method="POST")).endswith(b"Content-Length: 0\r\n\r\n")


@pytest.mark.parametrize("pieces", [1, 2, 3, 100])
def test_the_judge_of_readiness_and_load_finds_the_same_faults_in_pieces(pieces: int) -> None:
    body = b"Welcome to the shop, ada"
    for changes, fault in (
        ({"expect_status": 404}, "status"),
        ({"expect_length": 3}, "length"),
        ({"expect_body": b"Welcome"}, "body"),
        ({"expect_contains": b"stop"}, "contains"),
        ({"expect_body": body, "expect_length": len(body), "expect_contains": b"the shop"}, None),
        ({"method": "HEAD", "expect_body": b"not there"}, None),
    ):
        judge = Judge(spec(**changes).request)
        for start in range(0, len(body), pieces):
            judge.feed(body[start : start + pieces])
        assert judge.fault(200) == fault
        judge.begin()
        assert judge.length == 0
