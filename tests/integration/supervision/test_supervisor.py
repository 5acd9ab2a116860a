"""The supervisor on real processes: daemons, orphans, stubborn ones, and a runner that dies."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.supervised import CPU, FORKER, STUBBORN, service, stack_of
from tui.stack.log_limit import LIMIT
from tui.stack.logs import tail_of
from tui.stack.supervised import Ended, StackError
from tui.stack.supervisor import VICTIM
from tui.system.procfs import Identity, descendants, is_alive, read_stat


@pytest.fixture
def runtime(tmp_path: Path) -> Path:
    folder = tmp_path / "runtime"
    folder.mkdir()
    return folder


async def until(condition: Callable[[], object], seconds: float = 10.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        await asyncio.sleep(0.02)


def gone(folder: Path) -> bool:
    return not folder.exists()


SLEEPER = "import time; print('up', flush=True); time.sleep(60)"
DAEMON = """
import os, signal, sys, time
if os.fork():
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
with open('daemon.pid', 'w') as file:
    file.write(str(os.getpid()))
def leave(number, frame):
    open('stopped-by-' + signal.Signals(number).name, 'w').close()
    sys.exit(0)
signal.signal(signal.SIGQUIT, leave)
time.sleep(60)
"""


async def test_services_start_bound_and_stop_leaving_nothing(runtime: Path) -> None:
    stack = stack_of(runtime, service(runtime, FORKER))
    stack.open()
    await stack.start()
    await until(lambda: len(descendants(stack.pid)) == 3)
    seen = [stat.identity for stat in descendants(stack.pid)]
    assert all(os.sched_getaffinity(identity.pid) == {CPU} for identity in seen)
    stopped = await stack.stop()
    await stack.close()
    assert (stopped.killed, stopped.left) == ((), ())
    assert not any(is_alive(identity) for identity in seen)
    assert gone(runtime)
    assert not stack.failure.done()


def oom_score_adj(pid: int) -> int:
    return int(Path(f"/proc/{pid}/oom_score_adj").read_text())


async def test_the_kernel_out_of_memory_chooses_the_stack_and_not_the_measurer(runtime: Path) -> None:
    stack = stack_of(runtime, service(runtime, FORKER))
    stack.open()
    await stack.start()
    await until(lambda: len(descendants(stack.pid)) == 3)
    scores = {oom_score_adj(stat.pid) for stat in descendants(stack.pid)}
    ours = oom_score_adj(os.getpid())
    assert scores == {min(ours + VICTIM, 1000)}
    assert oom_score_adj(stack.pid) == ours
    await stack.stop()
    await stack.close()


async def test_the_command_of_a_daemon_is_done_when_it_ends_and_not_when_it_fails(runtime: Path) -> None:
    for script, done in (("pass", True), ("raise SystemExit(3)", False)):
        stack = stack_of(runtime, service(runtime, script, daemonises=True))
        ended: list[Ended] = []
        stack._on_ended = ended.append
        stack.open()
        await stack.start()
        await until(lambda ended=ended: ended)
        assert (ended[0].done, stack.failure.done()) == (done, not done)
        await stack.stop()


async def test_a_daemon_is_ours_and_stops_by_its_own_signal(runtime: Path, tmp_path: Path) -> None:
    daemon = service(
        tmp_path, DAEMON, daemonises=True, pid_file=tmp_path / "daemon.pid", stop_signal=signal.SIGQUIT
    )
    stack = stack_of(runtime, daemon)
    stack.open()
    await stack.start()
    pid_file = tmp_path / "daemon.pid"
    await until(lambda: pid_file.exists() and pid_file.read_text())
    pid = int(pid_file.read_text())
    await until(lambda: (stat := read_stat(pid)) is not None and stat.ppid == stack.pid)
    await stack.stop()
    await stack.close()
    assert (tmp_path / "stopped-by-SIGQUIT").exists()
    stat = read_stat(pid)
    assert stat is None or not stat.alive


@pytest.mark.parametrize("asked", [signal.SIGINT, signal.SIGHUP, signal.SIGQUIT])
async def test_services_ignore_no_signal_that_we_do(runtime: Path, asked: signal.Signals) -> None:
    before = signal.signal(asked, signal.SIG_IGN)
    try:
        stack = stack_of(runtime, service(runtime, SLEEPER, stop_signal=asked))
        stack.open()
        await stack.start()
        await until(lambda: descendants(stack.pid))
        os.kill(stack.pid, asked)
        stopped = await stack.stop()
        await stack.close()
    finally:
        signal.signal(asked, before)
    assert (stopped.killed, stopped.left) == ((), ())


@pytest.mark.parametrize("asked", [signal.SIGTERM, signal.SIGUSR1])
async def test_who_does_not_stop_in_time_is_killed_and_named(runtime: Path, asked: signal.Signals) -> None:
    script = STUBBORN.replace("SIGTERM", asked.name)
    log = runtime.parent / "app.log"
    stack = stack_of(runtime, service(runtime, script, log=log, stop_signal=asked, stop_timeout=0.2))
    stack.open()
    await stack.start()
    await until(lambda: "up" in (runtime.parent / "app.log").read_text())
    pid = stack.started[0].identity.pid
    stopped = await stack.stop()
    await stack.close()
    assert len(stopped.killed) == 1
    assert str(pid) in stopped.killed[0]
    assert stopped.left == ()


async def test_the_last_started_service_stops_first(runtime: Path, tmp_path: Path) -> None:
    script = """
import signal, sys, time
def leave(number, frame):
    with open('order', 'a') as file:
        file.write(sys.argv[1] + '\\n')
    sys.exit(0)
signal.signal(signal.SIGTERM, leave)
open('up-' + sys.argv[1], 'w').close()
time.sleep(60)
"""
    services = [
        service(tmp_path, script, name=name, argv=(sys.executable, "-c", script, name))
        for name in ("back", "front")
    ]
    stack = stack_of(runtime, *services)
    stack.open()
    await stack.start()
    await until(lambda: (tmp_path / "up-back").exists() and (tmp_path / "up-front").exists())
    await stack.stop()
    await stack.close()
    assert (tmp_path / "order").read_text().split() == ["front", "back"]


async def test_a_command_that_does_not_exist_is_reported(runtime: Path) -> None:
    stack = stack_of(runtime, service(runtime, "", argv=("/nonexistent/server",)))
    stack.open()
    with pytest.raises(StackError, match="app could not be started: /nonexistent/server: No such file"):
        await stack.start()
    await stack.stop()
    await stack.close()


async def test_the_end_of_a_service_is_told_with_its_status(runtime: Path) -> None:
    ended: list[Ended] = []
    stack = stack_of(runtime, service(runtime, "import sys; sys.exit(3)"))
    stack._on_ended = ended.append
    stack.open()
    await stack.start()
    assert await asyncio.wait_for(stack.failure, 5) == "app ended with status 3"
    assert [(each.status, each.code) for each in ended] == [("exit 3", 3)]
    assert ended[0].identity == stack.started[0].identity
    assert ended[0].cpu > 0
    await stack.stop()
    await stack.close()


async def test_leftovers_that_were_there_before_are_kept(runtime: Path, tmp_path: Path) -> None:
    (tmp_path / "lit-old").write_text("")
    script = "import time; open('lit-new', 'w').close(); time.sleep(60)"
    stack = stack_of(runtime, service(tmp_path, script), leftovers=(f"{tmp_path}/lit-*",))
    stack.open()
    await stack.start()
    await until((tmp_path / "lit-new").exists)
    stopped = await stack.stop()
    await stack.close()
    assert stopped.removed == (f"{tmp_path}/lit-new",)
    assert (tmp_path / "lit-old").exists()


RUNNER = """
import asyncio, pathlib, sys
sys.path.insert(0, {tests!r})
from tests.support.supervised import FORKER, STUBBORN, service, stack_of

async def main():
    runtime = pathlib.Path({runtime!r})
    stubborn = service(runtime.parent, STUBBORN, name='stubborn', log=runtime.parent / 'stubborn.log')
    stack = stack_of(runtime, service(runtime.parent, FORKER), stubborn)
    stack.open()
    await stack.start()
    print(stack.pid, flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


async def test_nothing_is_left_five_seconds_after_the_runner_was_killed(runtime: Path) -> None:
    script = RUNNER.format(tests=str(Path(__file__).parents[3]), runtime=str(runtime))
    runner = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, stdout=asyncio.subprocess.PIPE
    )
    assert runner.stdout is not None
    supervisor = int(await asyncio.wait_for(runner.stdout.readline(), 20))
    await until(lambda: len(descendants(supervisor)) == 4)
    everything: list[Identity] = [stat.identity for stat in descendants(supervisor)]
    stat = read_stat(supervisor)
    assert stat is not None
    everything.append(stat.identity)
    runner.kill()
    await runner.wait()
    await until(lambda: not any(is_alive(identity) for identity in everything), 5.0)
    assert gone(runtime)


FLOODER = """
import os, time
line, until = b"x" * 999 + b"\\n", time.monotonic() + 2
while time.monotonic() < until:
    os.write(1, line * 400)
    time.sleep(0.001)
os.write(1, b"done\\n")
time.sleep(60)
"""


async def test_a_log_that_floods_is_cut_and_the_one_who_writes_it_is_not_disturbed(
    runtime: Path, tmp_path: Path
) -> None:
    log = tmp_path / "logs" / "app.log"
    log.parent.mkdir()
    stack = stack_of(runtime, service(runtime, FLOODER, log=log))
    stack.open()
    await stack.start()
    await until(lambda: log.exists() and tail_of(log, 1) == ["done"])
    written = log.stat().st_size
    stopped = await stack.stop()
    await stack.close()
    assert written > 2 * LIMIT, "it didn't flood"
    assert log.stat().st_size <= LIMIT + 1000
    assert log.stat().st_size + stopped.cut["app.log"] == pytest.approx(written, abs=1000)
    assert tail_of(log, 1) == ["done"]
