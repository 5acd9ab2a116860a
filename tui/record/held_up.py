"""Whether a process of ours that was asked to stop can't act on it: stopped by a signal, or waiting for its disk."""

from __future__ import annotations

import time

from tui.record.running import is_ours
from tui.system.procfs import ProcessStat, tree

LIMIT = 1.5
"""Seconds for which a process must be seen so: anyone waits for a disk now and then."""
_STATES = {
    "T": "stopped by a signal",
    "t": "stopped by a debugger",
    "D": "waiting for a disk or a file system",
}


class HeldUp:
    """Watches a runner or an experiment's process, with the runner and the supervisor below it."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._since: dict[int, float] = {}

    def look(self) -> str | None:
        """What holds it up: "its supervisor (pid 12) is stopped by a signal". Call it several times a second."""
        now = time.monotonic()
        root, below = tree(self._pid)
        ours = [stat for stat in (root, *below) if stat is not None and is_ours(stat.pid)]
        held = [stat for stat in ours if stat.state in _STATES]
        self._since = {stat.pid: self._since.get(stat.pid, now) for stat in held}
        late = [stat for stat in held if now - self._since[stat.pid] >= LIMIT]
        return " and ".join(map(_words, late)) or None


def _words(stat: ProcessStat) -> str:
    return f"its {is_ours(stat.pid) or 'process'} (pid {stat.pid}) is {_STATES[stat.state]}"
