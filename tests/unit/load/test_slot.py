import errno
import gc
import socket

import pytest

from tests.support.load import spec_of
from tui.load.answer import AnswerReader
from tui.load.slot import ConnectionSlot, connect_failure


@pytest.mark.parametrize("code", [errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.EADDRNOTAVAIL])
def test_our_own_limits_are_not_the_servers_fault(code):
    outcome, text = connect_failure(code)
    assert outcome == "client"
    assert text.startswith("client: ")


@pytest.mark.parametrize(
    "code", [errno.ECONNREFUSED, errno.ENOENT, errno.EAGAIN, errno.EACCES, errno.ETIMEDOUT]
)
def test_the_rest_is_a_connection_that_did_not_come_about(code):
    assert connect_failure(code)[0] == "connect"


def connected_slot(listener):
    slot = ConnectionSlot()
    sock = slot.open(socket.AF_INET)
    sock.connect_ex(listener.getsockname())
    accepted, _ = listener.accept()
    sock.setblocking(True)
    return slot, accepted


def test_a_request_that_the_peer_acknowledged_counts_as_read():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        slot, accepted = connected_slot(listener)
        slot.send(b"request")
        accepted.recv(100)
        accepted.close()
        assert slot.recv(1) == b""
        assert not slot.unread()
        slot.close()


def test_a_request_sent_after_the_peer_closed_counts_as_unread():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        slot, accepted = connected_slot(listener)
        accepted.close()
        slot.send(b"request")
        assert slot.recv(1) == b""
        assert slot.unread()
        slot.close()


def test_the_reader_of_a_closed_connection_is_freed_without_a_collection():
    spec = spec_of(address="127.0.0.1:1", host="a", path="/", connections=1, keepalive=False, timeout=1.0)
    slot = ConnectionSlot()
    gc.collect()
    gc.disable()
    try:
        for _ in range(10):
            slot.open(socket.AF_INET)
            slot.answer = AnswerReader(spec.request)
            slot.answer.feed(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHello")
            slot.close()
        assert not [each for each in gc.get_objects() if isinstance(each, AnswerReader)]
    finally:
        gc.enable()
