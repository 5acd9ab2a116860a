"""A disk that refuses to be written, as seen by what writes to it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def refuse_writes(monkeypatch: pytest.MonkeyPatch, folder: Path, number: int) -> None:
    """From now on every ``os.write`` to a file below ``folder`` fails with this errno."""
    write = os.write

    def failing(fd: int, data: bytes) -> int:
        if Path(f"/proc/self/fd/{fd}").readlink().is_relative_to(folder):
            raise OSError(number, os.strerror(number))
        return write(fd, data)

    monkeypatch.setattr(os, "write", failing)
