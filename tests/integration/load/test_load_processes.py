"""The load processes themselves: small, bound, and never left behind."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from tests.support.raw_server import HELLO, answers, check, spec_for
from tui.load.arrivals import Arrivals
from tui.load.generator import LoadGenerator
from tui.load.result import LoadError


def gone(pid):
    """No such process, or a zombie that is nobody's any more."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    return True


def descriptors(pid):
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def resident_bytes(pid):
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


def wait_until(condition, deadline=5.0):
    end = time.monotonic() + deadline
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.01)


async def started(address, **options):
    generator = LoadGenerator(spec_for(address, connections=4), [0], **options)
    await generator.start()
    return generator


async def test_they_are_bound_and_sessions_of_their_own(serve):
    cpu = max(os.sched_getaffinity(0))
    generator = LoadGenerator(spec_for("127.0.0.1:1", connections=2), [cpu], processes=2)
    assert generator.pids == ()
    await generator.start()
    pids = generator.pids
    assert len(pids) == 2
    for pid in pids:
        assert os.sched_getaffinity(pid) == {cpu}
        assert os.getsid(pid) == pid
    await generator.close()
    assert generator.pids == ()
    assert all(gone(pid) for pid in pids)
    await generator.close()


def test_they_import_little():
    heavy = {
        "pydantic",
        "httpx",
        "jinja2",
        "asyncio",
        "textual",
        "rich",
        "psutil",
        "subprocess",
        "email",
        "http",
    }
    listing = subprocess.run(
        [sys.executable, "-c", "import sys, tui.load.process; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {name.partition(".")[0] for name in listing.stdout.split()}
    assert "httptools" in loaded
    assert not heavy & loaded


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSEGV])
async def test_one_that_dies_ends_the_round_with_what_the_others_have(serve, how):
    server = serve(answers(HELLO))
    generator = await started(server.address, processes=2)
    pids, ticks = generator.pids, []

    def on_tick(tick):
        ticks.append(tick)
        if len(ticks) == 2:
            os.kill(pids[0], how)

    with pytest.raises(LoadError) as raised:
        await generator.round(requests=None, duration=60.0, on_tick=on_tick, tick=0.1)
    assert f"load process {pids[0]} on CPU 0 was killed by {how.name}" in str(raised.value)
    partial = raised.value.partial
    assert partial.stopped
    assert partial.tally.outcomes.ok > 0
    assert partial.tally.sent == partial.tally.outcomes.total
    assert len(partial.cpu_seconds) == 1
    await generator.close()
    assert all(gone(pid) for pid in pids)


async def test_when_all_die_there_is_no_partial_result(serve):
    server = serve(answers(HELLO))
    generator = await started(server.address)
    (pid,) = generator.pids
    with pytest.raises(LoadError) as raised:
        await generator.round(
            requests=None, duration=60.0, on_tick=lambda tick: os.kill(pid, signal.SIGKILL), tick=0.1
        )
    assert raised.value.partial is None
    await generator.close()


async def test_one_that_falls_silent_is_ended(serve, monkeypatch):
    monkeypatch.setattr("tui.load.generator._SILENCE", 0.5)
    server = serve(answers(HELLO))
    generator = await started(server.address)
    (pid,) = generator.pids
    with pytest.raises(LoadError, match="SIGKILL"):
        await generator.round(
            requests=None, duration=60.0, on_tick=lambda tick: os.kill(pid, signal.SIGSTOP), tick=0.1
        )
    await generator.close()
    assert gone(pid)


async def test_closing_ends_even_one_that_is_stopped(serve, monkeypatch):
    monkeypatch.setattr("tui.load.generator._PATIENCE", 0.2)
    generator = await started("127.0.0.1:1")
    (pid,) = generator.pids
    os.kill(pid, signal.SIGSTOP)
    await generator.close()
    assert gone(pid)


async def test_a_cancelled_round_leaves_nothing(serve):
    server = serve(answers(HELLO))
    generator = await started(server.address)
    pids = generator.pids
    going = asyncio.create_task(generator.round(requests=None, duration=60.0, on_tick=lambda tick: None))
    await asyncio.sleep(0.1)
    going.cancel()
    with pytest.raises(asyncio.CancelledError):
        await going
    await generator.close()
    assert all(gone(pid) for pid in pids)


async def test_a_failing_listener_of_ticks_is_not_swallowed(serve):
    server = serve(answers(HELLO))
    generator = await started(server.address)

    def on_tick(tick):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await generator.round(requests=None, duration=60.0, on_tick=on_tick, tick=0.1)
    await generator.close()


async def test_a_cpu_that_does_not_exist_is_one_clear_line(tmp_path):
    generator = LoadGenerator(spec_for("127.0.0.1:1"), [1023], log=tmp_path / "load.log")
    with pytest.raises(
        LoadError, match=r"the load didn't start: load process \d+ on CPU 1023 ended with status 1: OSError"
    ):
        await generator.start()
    assert "Invalid argument" in (tmp_path / "load.log").read_text()
    assert generator.pids == ()


async def test_rounds_do_not_leak_descriptors(serve):
    server = serve(answers(HELLO))
    generator = await started(server.address, processes=2)
    before = [descriptors(pid) for pid in generator.pids]
    for _ in range(3):
        ticks = []
        check(await generator.round(requests=50, duration=None, on_tick=ticks.append), ticks)
        wait_until(lambda: [descriptors(pid) for pid in generator.pids] == before)
    await generator.close()


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_they_end_when_the_runner_does(serve, how):
    server = serve(answers(HELLO))
    runner = subprocess.Popen(
        [sys.executable, "-c", RUNNER, server.address], stdout=subprocess.PIPE, text=True
    )
    with runner, runner.stdout:
        pids = [int(pid) for pid in runner.stdout.readline().split()]
        assert len(pids) == 2
        wait_until(lambda: server.requests > 100)
        runner.send_signal(how)
        runner.wait(5)
        wait_until(lambda: all(gone(pid) for pid in pids))


RUNNER = textwrap.dedent(
    """
    import asyncio, sys
    from tui.load.generator import LoadGenerator
    from tests.support.load import spec_of

    async def main():
        spec = spec_of(address=sys.argv[1], host="x", path="/", connections=4, keepalive=True, timeout=5.0)
        generator = LoadGenerator(spec, [0], processes=2)
        await generator.start()
        print(*generator.pids, flush=True)
        await generator.round(requests=None, duration=60.0, on_tick=lambda tick: None)

    asyncio.run(main())
    """
)


@pytest.mark.parametrize(
    ("keepalive", "rate"),
    [(True, None), (False, None), (True, 500)],
    ids=["kept", "new connections", "open loop"],
)
async def test_rounds_leave_no_memory_behind(nginx, keepalive, rate):
    spec = spec_for(nginx.address, connections=20, keepalive=keepalive, expect_body=nginx.body)
    generator = LoadGenerator(spec, [0])
    await generator.start()
    (pid,) = generator.pids
    resident, good = [], 0
    for _ in range(50):
        result = await generator.round(
            requests=None,
            duration=0.05,
            arrivals=Arrivals(rate) if rate else None,
            on_tick=lambda tick: None,
        )
        good += result.tally.outcomes.ok
        resident.append(resident_bytes(pid))
    await generator.close()
    assert good > 50
    assert resident[49] - resident[4] < 1_000_000
