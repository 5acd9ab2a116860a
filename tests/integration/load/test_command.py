"""Another load generator as a command: its output, its status, and its end."""

import contextlib
import os
import signal
import subprocess
import sys
import time

import pytest

from tui.load.command import CommandRun

PYTHON = (sys.executable, "-c")


def lives(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:  # noqa: PTH123
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def until(condition):
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


async def test_output_of_both_kinds_is_kept_and_the_status_is_reported(tmp_path):
    code = "import sys; print('out', flush=True); print('err', file=sys.stderr); sys.exit(3)"
    ended = await CommandRun([*PYTHON, code], tmp_path / "log").wait(None)
    assert (tmp_path / "log").read_text().split() == ["out", "err"]
    assert (ended.status, ended.last) == ("exit 3", "err")


@pytest.mark.parametrize(
    ("code", "status"),
    [("pass", None), ("import os; os.kill(os.getpid(), 9)", "SIGKILL"), ("1 / 0", "exit 1")],
)
async def test_how_it_ended(tmp_path, code, status):
    assert (await CommandRun([*PYTHON, code], tmp_path / "log").wait(None)).status == status


async def test_a_program_that_is_not_there(tmp_path):
    ended = await CommandRun(["/nonexistent/wrk"], tmp_path / "log").wait(None)
    assert (ended.status, ended.last) == ("exit 127", "/nonexistent/wrk: No such file or directory")


async def test_it_is_interrupted_at_the_round_s_end_and_may_still_report(tmp_path):
    code = """
import signal, sys
def report(*_):
    print("my report", flush=True); sys.exit(7)
signal.signal(signal.SIGINT, report)
print("ready", flush=True)
signal.pause()
"""
    run = CommandRun([*PYTHON, code], tmp_path / "log")
    until(lambda: "ready" in (tmp_path / "log").read_text())
    ended = await run.wait(0.1)
    assert (ended.status, ended.last) == (None, "my report")


async def test_one_that_heeds_no_signal_is_killed_with_what_it_started(tmp_path):
    code = """
import signal, subprocess, sys
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
print(child.pid, flush=True)
signal.pause()
"""
    run = CommandRun([*PYTHON, code], tmp_path / "log")
    until(lambda: (tmp_path / "log").read_text().strip())
    grandchild = int((tmp_path / "log").read_text())
    run.stop()
    assert (await run.wait(None)).status is None
    until(lambda: not lives(grandchild))


def test_it_ends_with_whoever_started_it(tmp_path):
    parent_code = f"""
import asyncio, pathlib
from tui.load.command import CommandRun
async def main():
    run = CommandRun([{sys.executable!r}, "-c", "print('up', flush=True); import signal; signal.pause()"],
                     pathlib.Path({str(tmp_path / "log")!r}))
    print(run.pid, flush=True)
    await run.wait(None)
asyncio.run(main())
"""
    parent = subprocess.Popen([*PYTHON, parent_code], stdout=subprocess.PIPE, text=True)
    with parent.stdout:
        pid = int(parent.stdout.readline())
    until(lambda: "up" in (tmp_path / "log").read_text())
    parent.kill()
    parent.wait()
    try:
        until(lambda: not lives(pid))
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
