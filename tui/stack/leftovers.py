"""What a stack is known to leave outside its own folder, and how to remove it.

Only what matches the definition's patterns *and* was not there before the start is ours to remove.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterable
from glob import glob
from pathlib import Path


class Leftovers:
    """Remembers which matching files existed before the start."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self._patterns = tuple(patterns)
        self._before = self._matches()

    def _matches(self) -> set[tuple[str, int]]:
        found = set()
        for pattern in self._patterns:
            for path in glob(pattern, include_hidden=True):  # noqa: PTH207 - a pattern is absolute
                with contextlib.suppress(OSError):
                    found.add((path, os.lstat(path).st_ino))
        return found

    def remove(self) -> list[str]:
        """Delete what has appeared since; returns the deleted paths."""
        removed = []
        for path, _ in sorted(self._matches() - self._before):
            target = Path(path)
            with contextlib.suppress(OSError):
                if target.is_dir() and not target.is_symlink():
                    shutil.rmtree(target)
                else:
                    target.unlink()
                removed.append(path)
        return removed
