"""Answering a question of the command line on a terminal of its own."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import subprocess
import termios
import threading


def on_a_terminal(words: list[str], answer: bytes, *, stdout: int | None = None) -> tuple[int, str]:
    """The exit status, and all that was shown; ``stdout`` is the terminal too, unless it is given."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        words,
        stdin=theirs,
        stderr=theirs,
        stdout=theirs if stdout is None else stdout,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        start_new_session=True,
    )
    os.close(theirs)
    watchdog = threading.Timer(40, process.kill)
    watchdog.start()
    shown, answered = b"", False
    with contextlib.suppress(OSError):  # it has ended
        while part := os.read(ours, 4096):
            shown += part
            if not answered and shown.endswith(b"[y/N] "):
                os.write(ours, answer)
                answered = True
    watchdog.cancel()
    os.close(ours)
    return process.wait(10), shown.decode().replace("\r\n", "\n")
