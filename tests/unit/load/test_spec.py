import socket

import pytest

from tests.support.load import spec_of
from tui.load.spec import LoadSpec
from tui.system.errors import UserError

GOOD = {
    "address": "127.0.0.1:8080",
    "host": "localhost",
    "path": "/",
    "connections": 1,
    "keepalive": True,
    "timeout": 1.0,
}


def spec(**changes):
    return spec_of(**GOOD | changes)


def test_json_keeps_everything():
    every_byte = bytes(range(256))
    whole = spec(
        method="POST",
        headers=(("X-One", "1"), ("X-One", "2")),
        body=every_byte,
        expect_status=201,
        expect_body=every_byte,
        expect_contains=b"\xff",
        expect_length=256,
    )
    assert LoadSpec.from_json(whole.to_json()) == whole
    assert LoadSpec.from_json(spec().to_json()) == spec()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"method": "PUT"}, "method 'PUT' is not one of GET, HEAD, POST"),
        ({"connections": 0}, "connections must be at least 1"),
        ({"timeout": 0.0}, "timeout must be more than 0"),
        ({"timeout": float("nan")}, "timeout must be more than 0"),
        ({"body": b"x"}, "a body is only sent with POST"),
        ({"path": "/a b"}, "percent-encode"),
        ({"path": "/\r\nX: y"}, "percent-encode"),
        ({"path": ""}, "percent-encode"),
        ({"host": "a b"}, "Host header"),
        ({"headers": (("Connection", "close"),)}, "set by the load itself"),
        ({"headers": (("X Y", "z"),)}, "can't be sent"),
        ({"headers": (("X", "a\r\nY: b"),)}, "can't be sent"),
        ({"address": "8080"}, "neither HOST:PORT nor unix:/PATH"),
        ({"address": "localhost:http"}, "neither HOST:PORT nor unix:/PATH"),
        ({"address": "localhost:70000"}, "neither HOST:PORT nor unix:/PATH"),
    ],
)
def test_what_cannot_be_sent_is_one_clear_line(changes, words):
    with pytest.raises(UserError) as raised:
        spec(**changes)
    assert words in str(raised.value)
    assert "\n" not in str(raised.value)


def test_targets():
    assert spec().target() == (socket.AF_INET, ("127.0.0.1", 8080))
    assert spec(address="[::1]:80").target()[:1] == (socket.AF_INET6,)
    assert spec(address="unix:/run/app.sock").target() == (socket.AF_UNIX, "/run/app.sock")


def test_a_target_without_an_address_is_one_clear_line():
    with pytest.raises(UserError, match="no address for 'no-such-host"):
        spec(address="no-such-host.invalid:80").target()
    with pytest.raises(UserError, match="longer than 107 bytes"):
        spec(address="unix:/" + "x" * 107).target()
