"""A run whose own terminal nobody reads."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import time
from pathlib import Path

from tests.support.command import Command


def fill(slave: int) -> None:
    """Write until nothing fits any more, nor what the kernel makes room for by handing it on."""
    os.set_blocking(slave, False)
    full = time.monotonic() + 0.5
    while time.monotonic() < full:
        try:
            os.write(slave, b"x")
            full = time.monotonic() + 0.5
        except BlockingIOError:
            time.sleep(0.02)
    os.set_blocking(slave, True)


def test_a_run_on_an_unread_terminal_can_be_stopped(tmp_path: Path) -> None:
    stackdyno = Command(tmp_path)
    master, slave = pty.openpty()
    try:
        words = stackdyno.words("run", "--concurrent", "gunicorn-sync", "--set", "load.duration=60s")
        process = subprocess.Popen(words, stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
        stackdyno.wait_for(lambda state: state.in_round)
        fill(slave)
        time.sleep(1.0)
        process.send_signal(signal.SIGTERM)
        asked = time.monotonic()
        stackdyno.wait_for(lambda state: state.phase_name in ("drain", "stop", "check"), seconds=5)
        process.wait(timeout=20)
        assert time.monotonic() - asked < 20
        assert stackdyno.wait_for(lambda state: state.ended).ended is not None
    finally:
        process.kill()
        os.close(slave)
        os.close(master)
