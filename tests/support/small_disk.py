"""A disk of one megabyte, to be filled."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(folder: Path, size: str = "1m") -> Iterator[Path]:
    """A folder with a file system of its own; skips the test where mounting isn't permitted."""
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(folder)], capture_output=True, text=True
    )
    if mounted.returncode:
        pytest.skip(f"mounting a small file system isn't permitted here: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(disk: Path) -> Path:
    """Take every byte that is left."""
    path = disk / "everything"
    with path.open("ab", buffering=0) as file:
        for size in (1 << 16, 1 << 12):
            try:
                while file.write(b"x" * size) == size:
                    pass
            except OSError:
                continue
    return path
