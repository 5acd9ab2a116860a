"""Consoles that watch a run while something is measured, each in a terminal that is read as a person's would be."""

from __future__ import annotations

import os
import pty
import subprocess
import threading


def watching(command: list[str], *words: str) -> subprocess.Popen[bytes]:
    """A console of 160x48 with these words of the command line, in a terminal of its own."""
    master, slave = pty.openpty()
    watcher = subprocess.Popen(
        [*command, *words], stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
        env={**os.environ, "TERM": "xterm-256color", "LINES": "48", "COLUMNS": "160"},
    )  # fmt: skip
    os.close(slave)
    threading.Thread(target=_drain, args=(master,), daemon=True).start()
    return watcher


def _drain(master: int) -> None:
    try:
        while os.read(master, 65536):
            pass
    except OSError:
        os.close(master)
