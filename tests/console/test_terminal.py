"""The console leaves cleanly when its terminal does. In a real pty, since Textual has no such handling to fake."""

from __future__ import annotations

import contextlib
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path

import pytest

SCRIPT = """
import signal, sys
from pathlib import Path
{before}
from tui.console import terminal
from tui.console.app import run_console
terminal.WATCH = 0.2
sys.exit(run_console(profiles=None, runs=Path({runs!r})))
"""
CONTROLLING = "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0)"
"""Makes the terminal the one whose end the kernel tells with SIGHUP."""
DEAF = """
from tui.console import terminal
terminal.leave_on_signals = lambda leave: None
signal.signal(signal.SIGHUP, signal.SIG_IGN)
"""
"""SIGHUP never comes, as under nohup."""
LEAVES_ALTERNATE_SCREEN = b"\x1b[?1049l"


class Terminal:
    """A pseudo-terminal with a console in it."""

    def __init__(self, runs: Path, before: str = "") -> None:
        self.master, slave = pty.openpty()
        code = SCRIPT.format(runs=str(runs), before=before)
        env = {**os.environ, "TERM": "xterm-256color", "TEXTUAL_ANIMATIONS": "none"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            env=env,
        )
        os.close(slave)
        os.set_blocking(self.master, False)
        self.seen = b""

    def read(self) -> bytes:
        """Everything that was written until now."""
        with contextlib.suppress(OSError):
            while data := os.read(self.master, 65536):
                self.seen += data
        return self.seen

    def wait_for(self, text: bytes, seconds: float = 30.0) -> None:
        deadline = time.monotonic() + seconds
        while text not in self.read():
            assert time.monotonic() < deadline, f"{text!r} was not drawn"
            assert self.process.poll() is None, f"it ended: {self.seen[-400:]!r}"
            time.sleep(0.02)

    def hang_up(self) -> None:
        """The other end of the terminal is gone."""
        if self.master >= 0:
            os.close(self.master)
        self.master = -1

    def ended(self, seconds: float = 15.0) -> int:
        """The exit status, once it has left; its output is read meanwhile."""
        deadline = time.monotonic() + seconds
        while self.process.poll() is None:
            self.read()
            assert time.monotonic() < deadline, "it did not leave"
            time.sleep(0.02)
        self.read()
        return self.process.returncode


@pytest.fixture
def terminals(tmp_path: Path) -> Generator[list[Terminal], None, None]:
    opened: list[Terminal] = []
    yield opened
    for terminal in opened:
        terminal.hang_up()
        if terminal.process.poll() is None:
            terminal.process.kill()
        terminal.process.wait()


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_ends_it_and_the_terminal_is_restored(terminals, tmp_path, number, status):
    terminal = Terminal(tmp_path)
    terminals.append(terminal)
    terminal.wait_for(b"explains the screen")
    terminal.process.send_signal(number)
    assert terminal.ended() == status
    assert LEAVES_ALTERNATE_SCREEN in terminal.seen


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_terminal_that_nobody_reads_holds_it_no_longer_than_five_seconds(
    terminals, tmp_path, number, status
):
    terminal = Terminal(tmp_path)
    terminals.append(terminal)
    terminal.wait_for(b"explains the screen")
    for _ in range(
        400
    ):  # a page opens and closes: far more is drawn than the terminal and the queue to it take
        with contextlib.suppress(BlockingIOError):
            os.write(terminal.master, b"?\x1b")
        time.sleep(0.02)
    terminal.process.send_signal(number)
    assert terminal.process.wait(timeout=5) == status


@pytest.mark.parametrize("before", [CONTROLLING, DEAF], ids=["with a signal", "without a signal"])
def test_a_terminal_that_vanishes_ends_it(terminals, tmp_path, before):
    """Without the signal Textual's input thread would spin for ever."""
    terminal = Terminal(tmp_path, before)
    terminals.append(terminal)
    terminal.wait_for(b"explains the screen")
    terminal.hang_up()
    assert terminal.process.wait(timeout=15) == 129


def test_q_ends_it_with_status_0(terminals, tmp_path):
    terminal = Terminal(tmp_path)
    terminals.append(terminal)
    terminal.wait_for(b"% CPU")  # drawn after a second: the terminal was looked for several times by then
    os.write(terminal.master, b"q")
    assert terminal.ended() == 0
    assert LEAVES_ALTERNATE_SCREEN in terminal.seen


def test_bytes_that_are_no_utf_8_are_ignored(terminals, tmp_path):
    """A key of a Latin-1 terminal, and a mouse report of an old one."""
    terminal = Terminal(tmp_path)
    terminals.append(terminal)
    terminal.wait_for(b"explains the screen")
    os.write(terminal.master, b"\xe9")
    os.write(terminal.master, b"\x1b[M\xa0\xa1\xa2")
    os.write(terminal.master, b"?")
    terminal.wait_for(b"escape closes")
    os.write(terminal.master, b"q")
    time.sleep(0.5)
    os.write(terminal.master, b"q")
    assert terminal.ended() == 0


KEY_FAILS = """
from tui.console.app import ConsoleApp
def fail(self): raise ValueError("no [/such] thing")
ConsoleApp.action_help = fail
"""
INPUT_FAILS = """
from tui.console.driver import InputDecoder
def fail(self, data, final=False): raise ValueError("no [/such] thing")
InputDecoder.decode = fail
"""


@pytest.mark.parametrize("before", [KEY_FAILS, INPUT_FAILS], ids=["a key", "the input"])
def test_a_fault_has_a_status_one_line_and_a_file(terminals, tmp_path, monkeypatch, before):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    terminal = Terminal(tmp_path, before)
    terminals.append(terminal)
    terminal.wait_for(b"explains the screen")
    os.write(terminal.master, b"?")
    assert terminal.ended() == 1
    shown = terminal.seen.partition(LEAVES_ALTERNATE_SCREEN)[2].decode()
    kept = tmp_path / "state" / "stackdyno" / "console-fault.txt"
    assert f"ValueError: no [/such] thing; please report it with {kept}" in shown
    assert "Traceback" not in terminal.seen.decode()
    assert kept.stat().st_mode & 0o777 == 0o600
    assert "in fail" in kept.read_text()
