"""Processes of ours that need no terminal and outlive the one that started them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tui.run.logout import survival
from tui.system.errors import UserError
from tui.system.private import append_private

APPEARS = 15.0
"""Seconds within which a started process must appear."""
BUSY = 75
"""The exit status of a runner that found the machine's lock taken (EX_TEMPFAIL); its last line says by whom."""


class NotStarted(UserError):
    """A process ended before it appeared, or was ended since it didn't."""

    def __init__(self, what: str, status: int | None, last_line: str) -> None:
        self.status = status
        self.last_line = last_line
        super().__init__(f"the {what} process did not start: {last_line or 'it wrote nothing'}")


def start_detached(
    module: str, folder: Path, *, errors: Path, appeared: Callable[[], bool], what: str
) -> None:
    """Run ``python -m MODULE FOLDER`` in its own session, and return as soon as ``appeared`` says so.

    Args:
        errors: The file to which its stderr is appended.
        what: Its name in an error message: "runner".

    Raises:
        NotStarted: It ended or didn't appear in time; the error quotes the last line that it wrote.
    """
    scope, _ = survival()
    with append_private(errors) as stderr:
        process = subprocess.Popen(
            [*scope, sys.executable, "-m", module, str(folder)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            start_new_session=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
    deadline = time.monotonic() + APPEARS
    while time.monotonic() < deadline:
        if appeared():
            return
        if process.poll() is not None:
            break
        time.sleep(0.02)
    if process.poll() is None:
        process.kill()  # what it works on is removed now
        process.wait()
    lines = errors.read_text(errors="replace").strip().splitlines()
    raise NotStarted(what, process.returncode, lines[-1] if lines else "")
