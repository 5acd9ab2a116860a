"""Distinguishes a stack whose workers end as fast as they start from one that is slow to come up.

A master may keep forking workers that end at once (the app calls ``sys.exit()`` on import), and nothing else shows it:
only a process's parent gets its exit status. Programs that an app runs while loading end too, so a process counts only
if it runs its parent's program and is below a master.
"""

from __future__ import annotations

from collections.abc import Iterable

from tui.stack.roles import Member
from tui.system.procfs import Identity, read_exe

ENDED = 5
"""Workers that ended before anything was answered."""
LOOKS = 3
"""Looks in which at least one had ended: several that end together may be a pool that has finished its work."""


class Respawns:
    """Counts the workers that end, from look to look."""

    def __init__(self, workers: int | None) -> None:
        """``workers`` are expected; that many may be replaced once."""
        self._enough = max(ENDED, (workers or 0) + 1)
        self._known: dict[Identity, bool] = {}
        self._ended = self._looks = 0

    def look(self, members: Iterable[Member]) -> None:
        """Take in which processes are alive now."""
        living = {member.stat.identity: member for member in members}
        roles = {member.stat.pid: member.role for member in living.values()}
        gone = [identity for identity in self._known if identity not in living]
        ended = sum(self._known.pop(identity) for identity in gone)
        self._ended += ended
        self._looks += ended > 0
        for identity, member in living.items():
            if identity not in self._known:
                parent = roles.get(member.stat.ppid)
                self._known[identity] = (
                    member.role == "worker" and parent not in (None, "worker") and _same_program(member)
                )

    def problem(self) -> str | None:
        """What is wrong, in words; None while the stack may still come up."""
        if self._ended < self._enough or self._looks < LOOKS:
            return None
        return f"{self._ended} workers ended one after another"


def _same_program(member: Member) -> bool:
    program = read_exe(member.stat.pid)
    return program is not None and program == read_exe(member.stat.ppid)
