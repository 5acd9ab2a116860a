"""The machine's lock between runs, and with somebody who means harm at the other end: real processes, a real socket."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import socket
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tui.record import lock
from tui.run.launch import MachineBusy

BIND = """
import socket, sys, time
listener = socket.socket(socket.AF_UNIX)
listener.bind("\\0" + sys.argv[1])
"""
SERVE = f"""{BIND}
listener.listen(5)
print("up", flush=True)
while True:
    client, _ = listener.accept()
    try:
        serve(client)
    except OSError:
        pass
"""
HOSTILE = {
    "endless": "def serve(client):\n    while True: client.sendall(b'x' * 65536)",
    "an endless line of JSON": "def serve(client):\n    while True: client.sendall(b'[' * 65536)",
    "silent": "def serve(client): time.sleep(60)",
    "a byte a second": "def serve(client):\n    while True: client.sendall(b'{'); time.sleep(1)",
    "closing": "def serve(client): client.close()",
    "nonsense": "def serve(client): client.sendall(b'[1, 2]\\n'); client.close()",
    "deep": "def serve(client): client.sendall(b'[' * 8000 + b'\\n'); client.close()",
    "other types": "def serve(client): client.sendall(b'{\"profile\": 7}\\n'); client.close()",
}
DEAF = f"{BIND}\nprint('up', flush=True)\ntime.sleep(60)"
FULL = f"""{BIND}
listener.listen(0)
clients = [socket.socket(socket.AF_UNIX) for _ in range(3)]
for client in clients:
    client.setblocking(False)
    client.connect_ex("\\0" + sys.argv[1])
print('up', flush=True)
time.sleep(60)
"""


@pytest.fixture(autouse=True)
def _own_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "NAME", f"\0stackdyno-test-{secrets.token_hex(6)}")


@pytest.fixture
def hold() -> Iterator[Callable[[str], int]]:
    """Starts a process that has bound the lock's name; its pid."""
    started: list[subprocess.Popen[bytes]] = []

    def begin(script: str) -> int:
        call = [sys.executable, "-c", script, lock.NAME[1:]]
        started.append(subprocess.Popen(call, stdout=subprocess.PIPE))
        assert started[-1].stdout is not None
        assert started[-1].stdout.readline() == b"up\n"
        return started[-1].pid

    yield begin
    for process in started:
        process.kill()
        process.communicate()


async def test_the_lock_is_held_by_one_and_tells_who() -> None:
    first, second = lock.MachineLock("hello", Path("/runs/x_hello")), lock.MachineLock("other")
    assert lock.holder() is None
    assert await first.acquire() is None
    told = await asyncio.to_thread(lock.holder)
    assert told is not None
    assert told.words.startswith("the run of hello by ")
    assert told.words.endswith(f", pid {os.getpid()}")
    assert (told.folder, told.ours, told.mine) == ("/runs/x_hello", True, True)
    refused = str(MachineBusy(told))
    assert "kept in /runs/x_hello" in refused
    assert "`stackdyno stop`" in refused
    first.release()
    assert await second.acquire() is None
    second.release()


@pytest.mark.parametrize("script", HOSTILE.values(), ids=HOSTILE)
async def test_a_hostile_holder_is_named_in_time_and_with_little_memory(hold, script) -> None:
    pid = hold(f"{script}\n{SERVE}")
    tracemalloc.start()
    began = time.monotonic()
    told = await lock.MachineLock("hello").acquire()
    taken = time.monotonic() - began
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert taken < lock.ANSWERS + 1.5
    assert most < 2_000_000
    assert told is not None
    assert not told.ours
    assert f"uid {os.getuid()}" in told.words
    assert f"pid {pid}" in told.words
    assert "--concurrent" in str(MachineBusy(told))
    assert "stop" not in str(MachineBusy(told))


@pytest.mark.parametrize("script", [DEAF, FULL], ids=["not listening", "a full queue"])
async def test_one_that_takes_no_connection_holds_it_all_the_same(hold, script) -> None:
    hold(script)
    began = time.monotonic()
    for told in (lock.holder(), await lock.MachineLock("hello").acquire()):
        assert told is not None
        assert not told.ours
    assert time.monotonic() - began < 2 * lock.ANSWERS + 1


async def test_ten_thousand_visitors_make_a_handful_of_events_and_no_growth() -> None:
    held = lock.MachineLock("hello")
    told: list[str] = []
    held.visited = told.append
    assert await held.acquire() is None
    script = """
import socket, sys, time
reached = 0
patient = []
for number in range(10_000):
    client = socket.socket(socket.AF_UNIX)
    client.setblocking(False)
    try:
        client.connect("\\0" + sys.argv[1])
        client.send(b"x" * 300 + b"\\n")
        reached += 1
    except OSError:
        pass
    if number < 10:
        patient.append(client)
    else:
        client.close()
print(reached)
time.sleep(1)  # the first ones wait for an answer, as a run does that starts
"""
    descriptors = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    visitor = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, lock.NAME[1:], stdout=asyncio.subprocess.PIPE
    )
    out, _ = await visitor.communicate()
    assert int(out) >= 20
    await asyncio.sleep(lock.ANSWERS)
    assert 1 <= len(told) <= 5
    assert all(len(each) < 120 for each in told)
    assert len(os.listdir("/proc/self/fd")) <= descriptors + 1  # noqa: PTH208
    honest = await asyncio.to_thread(lock.holder)
    assert honest is not None
    held.release()


async def test_visitors_are_counted_once_there_are_many() -> None:
    held = lock.MachineLock("hello")
    told: list[str] = []
    held.visited = told.append
    for _ in range(10_000):
        held._visit("shop", os.getuid())
    assert told[:3] == ["a run of shop"] * 3
    assert [each.rpartition("the ")[2] for each in told[3:]] == [
        f"{number}th that said so)" for number in (10, 100, 1000, 10000)
    ]
    held._visit("shop", 65534)
    assert len(told) == 7


async def test_a_visitor_that_only_looks_or_says_nothing_is_no_event_and_its_words_are_cleaned() -> None:
    held = lock.MachineLock("hello")
    told: list[str] = []
    held.visited = told.append
    assert await held.acquire() is None
    await asyncio.to_thread(lock.holder)
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(lock.NAME)
        client.sendall(b"\x1b[2J\n")
        said = await asyncio.to_thread(client.recv, 8192)
    assert json.loads(said)["profile"] == "hello"
    await asyncio.to_thread(lock.holder, "shop")
    await asyncio.sleep(0.2)
    assert told == ["a run of [2J", "a run of shop"]
    held.release()
