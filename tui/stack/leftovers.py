"""What a stack is known to leave outside its own folder, and how to remove it.

Only what matches the definition's patterns *and* was not there before the start is ours to remove. A link that somebody
planted on the way, such as /tmp/lshttpd, isn't followed: what lies behind it isn't the stack's.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Iterable
from pathlib import Path

from tui.system.planted import folder_of, matching


class Leftovers:
    """Remembers which matching files existed before the start."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self._patterns = tuple(patterns)
        self._before = self._matches()

    def _matches(self) -> set[tuple[str, int]]:
        return {found for pattern in self._patterns for found in matching(pattern)}

    def remove(self) -> list[str]:
        """Delete what has appeared since; returns the deleted paths."""
        removed = []
        for path, _ in sorted(self._matches() - self._before):
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
