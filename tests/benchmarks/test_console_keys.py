"""How long a key in the console takes to show, where everything is large.

2,000 kept runs, 500 profiles, and a run whose stack has 512 processes beside its server and 10,000 connections. A key
is sent through a pseudo-terminal, and the time until the console next writes to it is taken. The console also
draws by itself, so a key is only sent when it has been quiet for a moment, and the median of many counts.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import story
from tests.support.kept_runs import keep, named
from tui.record.record import list_records

RUNS, PROFILES, PROCESSES, CONNECTIONS = 2_000, 500, 512, 10_000
SOON = 0.1
"""Seconds within which a key has to show."""
QUIET = 0.02
TIMES = 12

STACK = """
title     = "a crowd"
interface = "wsgi"
ports     = [{{ name = "http" }}]
address   = "{{{{ host }}}}:{{{{ ports.http }}}}"
workers   = "{{{{ workers }}}}"

[[services]]
name    = "crowd"
command = [
    "/bin/sh", "-c",
    "for i in $(seq {processes}); do sleep 600 & done; exec {python} {server} {{{{ ports.http }}}} good",
]
roles   = [{{ role = "master", depth = 0 }}, {{ role = "worker", depth = 1 }}]
"""
PROFILE = """
title   = "profile number {number}"
order   = 0
stack   = "crowd"
app     = "hello"
workers = {processes}
[load]
connections = {connections}
keepalive   = true
duration    = "120s"
warmup      = "0s"
rounds      = 1
timeout     = "60s"
[expect]
body = "hello"
"""

pytestmark = [pytest.mark.benchmark, pytest.mark.timeout(300)]


@pytest.fixture
def large(tmp_path: Path) -> tuple[Path, Path]:
    """The folder of runs and that of profiles."""
    runs, profiles = tmp_path / "runs", tmp_path / "profiles"
    first = keep(runs / "20200101-000000-first-0000", named(story.run(), "first", "The first"))
    for number in range(1, RUNS):
        shutil.copytree(first.folder, runs / f"20200101-{number:06d}-kept-{number:04x}")
    (profiles / "stacks/crowd").mkdir(parents=True)
    server = Path(__file__).parents[1] / "support/odd_server.py"
    (profiles / "stacks/crowd/stack.toml").write_text(
        STACK.format(processes=PROCESSES, python=sys.executable, server=server)
    )
    for number in range(PROFILES):
        text = PROFILE.format(number=number, processes=PROCESSES + 1, connections=CONNECTIONS)
        (profiles / f"a{number:03d}.toml").write_text(text)
    return runs, profiles


class Keyboard:
    """A console at one end of a pseudo-terminal; we are at the other."""

    def __init__(self, runs: Path, profiles: Path) -> None:
        self._terminal, other = pty.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 48, 160, 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tui.cli", "--runs", str(runs), "--trust", "--profiles", str(profiles)],
            stdin=other, stdout=other, stderr=other, start_new_session=True,
            env={**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"},
        )  # fmt: skip
        os.close(other)

    def read(self, seconds: float) -> bytes:
        """What comes within so many seconds, as soon as something does."""
        if select.select([self._terminal], [], [], seconds)[0]:
            return os.read(self._terminal, 1 << 16)
        return b""

    def wait_for(self, text: bytes, seconds: float) -> None:
        seen, deadline = b"", time.monotonic() + seconds
        while text not in seen:
            assert time.monotonic() < deadline, seen[-2000:]
            seen = (seen + self.read(1.0))[-100_000:]

    def drain(self, seconds: float) -> None:
        """Read on for so long."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self.read(left)

    def press(self, key: bytes) -> float:
        """Seconds from the key to what the console writes next."""
        while self.read(QUIET):
            pass
        began = time.perf_counter()
        os.write(self._terminal, key)
        assert self.read(30.0)
        return time.perf_counter() - began

    def close(self) -> None:
        self.process.send_signal(signal.SIGHUP)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self._terminal)


@pytest.fixture
def keyboard(large: tuple[Path, Path]) -> Iterator[Keyboard]:
    keyboard = Keyboard(*large)
    yield keyboard
    keyboard.close()
    (newest, *_) = list_records(large[0])
    words = [sys.executable, "-m", "tui.cli", "--runs", str(large[0]), "stop", newest.name]
    subprocess.run(words, capture_output=True)


KEYS = {
    "another profile": (b"\x1b[B", b"\x1b[A"),
    "help and back": (b"?", b"q"),
    "history and back": (b"h", b"\x1b"),
    "workers up and down": (b"j", b"k"),
    "findings and back": (b"f", b"\x1b"),
}


def report(keyboard: Keyboard, when: str, names: tuple[str, ...]) -> list[float]:
    medians = []
    for name in names:
        took = []
        for _ in range(TIMES):
            for key in KEYS[name]:
                took.append(keyboard.press(key))
                keyboard.drain(0.15)
        medians.append(statistics.median(took))
        print(
            f"{when}: {name}: median {medians[-1] * 1000:.0f} ms, worst {max(took) * 1000:.0f} ms", flush=True
        )
    return medians


def test_a_key_shows_soon_however_large_everything_is(keyboard: Keyboard, large: tuple[Path, Path]) -> None:
    keyboard.wait_for(b"profile number 0", 60)
    keyboard.drain(1.0)
    medians = report(keyboard, "at rest", ("another profile", "help and back", "history and back"))
    keyboard.press(b"r")
    keyboard.wait_for(b"round", 60)
    keyboard.drain(8.0)
    medians += report(keyboard, "in a run", tuple(KEYS))
    assert max(medians) < SOON
