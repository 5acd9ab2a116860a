import json
import os
import socket

import pytest

from tui.load.channel import Channel


@pytest.fixture
def ends():
    ours, theirs = socket.socketpair()
    yield Channel(ours), theirs
    ours.close()
    theirs.close()


def test_commands_come_line_by_line_however_they_are_cut(ends):
    channel, runner = ends
    assert channel.receive() == []
    runner.sendall(b'{"a": 1}\n{"b"')
    channel.receive()
    assert list(channel.commands) == [{"a": 1}]
    runner.sendall(b": 2}\n")
    channel.receive()
    assert list(channel.commands) == [{"a": 1}, {"b": 2}]


def test_a_descriptor_comes_with_its_command(ends):
    channel, runner = ends
    event = os.eventfd(7)
    socket.send_fds(runner, [b'{"kind":"round"}\n'], [event])
    (received,) = channel.receive()
    assert list(channel.commands) == [{"kind": "round"}]
    assert os.eventfd_read(received) == 7
    os.close(event)
    os.close(received)


def test_a_runner_that_does_not_read_is_not_waited_for(ends):
    channel, runner = ends
    posted = 0
    while channel.has_room():
        channel.post({"number": posted, "filling": "x" * 10_000})
        posted += 1
    assert posted > 2
    runner.setblocking(False)
    read = b""
    while read.count(b"\n") < posted:
        try:
            read += runner.recv(1 << 20)
        except BlockingIOError:
            channel.has_room()
    assert channel.has_room()
    assert [json.loads(line)["number"] for line in read.splitlines()] == list(range(posted))


@pytest.mark.parametrize(
    "use",
    [lambda channel: channel.receive(), lambda channel: channel.post({}), lambda channel: channel.send({})],
)
def test_a_runner_that_is_gone_is_an_end(ends, use):
    channel, runner = ends
    runner.close()
    with pytest.raises(EOFError):
        use(channel)
