"""What a stack is known to leave outside its own folder, and how to remove it.

Only what matches the definition's patterns *and* was not there before the start is ours to remove. A link that somebody
planted on the way, such as /tmp/lshttpd, isn't followed: what lies behind it isn't the stack's.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Collection, Iterable
from pathlib import Path

from tui.system.planted import folder_of, matching


class Leftovers:
    """Remembers which matching files existed before the start: ``before`` holds their paths and inodes."""

    def __init__(self, patterns: Iterable[str], before: Collection[tuple[str, int]] | None = None) -> None:
        """Without ``before``, this is the moment before the start."""
        self.patterns = tuple(patterns)
        self.before = self._matches() if before is None else frozenset(before)

    def _matches(self) -> frozenset[tuple[str, int]]:
        return frozenset(found for pattern in self.patterns for found in matching(pattern))

    def appeared(self) -> list[str]:
        """The paths of what has appeared since."""
        return sorted(path for path, _ in self._matches() - self.before)

    def remove(self, paths: Iterable[str] | None = None) -> list[str]:
        """Delete what has appeared since, or only ``paths`` of it; returns the deleted paths."""
        removed = []
        for path in self.appeared() if paths is None else paths:
            with contextlib.suppress(OSError), folder_of(Path(path)) as folder:
                _remove(Path(path).name, folder)
                removed.append(path)
        return removed


def _remove(name: str, folder: int) -> None:
    """Delete a file, or a folder and everything in it; a link is deleted and not followed."""
    status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if stat.S_ISDIR(status.st_mode):
        shutil.rmtree(name, dir_fd=folder)
    else:
        os.unlink(name, dir_fd=folder)
