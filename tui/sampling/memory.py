"""How much memory a process uses, and how much of it is its own.

RSS counts a page in full for each process that maps it, so it can't be summed over workers that share pages
through copy-on-write. PSS divides a page among those that map it and can. The kernel finds PSS out by a
walk over the target's page tables, which costs 1 ms for a small process and 8 ms for one of 300 MB, so it
is read one process at a time and under a budget.
"""

import os
import pwd
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tui.system.kernelfiles import read_text
from tui.system.procfs import PAGE, read_stat


@dataclass(frozen=True, slots=True)
class MemoryParts:
    """``/proc/PID/smaps_rollup`` in bytes; what this kernel doesn't show is None, and ``missing`` says why.

    ``private`` (USS) and ``shared`` depend on who else maps the pages at this moment: the private pages of
    a parent become shared when it forks. ``swap_pss`` is the process's share of swapped-out anonymous
    memory.
    """

    rss: int
    pss: int
    pss_anon: int | None
    pss_file: int | None
    pss_shmem: int | None
    swap_pss: int | None
    private: int
    shared: int
    missing: str | None = None

    @property
    def comparable(self) -> int | None:
        """Anonymous, shared and swapped-out memory: what may be summed and compared between stacks.

        The file part isn't in it, since it shrinks when any other process, ours too, maps the same
        libraries.
        """
        if self.pss_anon is None or self.pss_shmem is None or self.swap_pss is None:
            return None
        return self.pss_anon + self.pss_shmem + self.swap_pss


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A process whose PSS can't be read; its RSS (bytes) is known all the same, unless that is None."""

    reason: str
    rss: int | None


def read_rollup(pid: int, proc: Path = Path("/proc")) -> MemoryParts | Unreadable | None:
    """The memory of one process; None if it has ended or is a zombie.

    Falls back to ``smaps`` where ``smaps_rollup`` is missing, then to the RSS alone with the reason.
    """
    try:
        parts = _parse(proc / str(pid) / "smaps_rollup") or _parse(proc / str(pid) / "smaps")
    except PermissionError:
        return _rss_only(pid, f"permission denied: {_owner(pid)}")
    if parts is not None:
        return parts
    return _rss_only(pid, "this system shows no smaps_rollup or smaps for the process")


def _parse(path: Path) -> MemoryParts | None:
    """Sums the lines of each name: one each in ``smaps_rollup``, one a mapping in ``smaps``."""
    try:
        content = path.read_bytes()
    except (
        FileNotFoundError,
        ProcessLookupError,
    ):  # also for live processes: kernel threads, some containers
        return None
    kilobytes: dict[bytes, int] = {}
    for line in content.splitlines():
        words = line.split()
        if len(words) == 3 and words[2] == b"kB":
            kilobytes[words[0]] = kilobytes.get(words[0], 0) + int(words[1])

    def part(name: bytes) -> int | None:
        value = kilobytes.get(name)
        return None if value is None else value * 1024

    rss, pss = part(b"Rss:"), part(b"Pss:")
    if rss is None or pss is None:
        return None
    split = (part(b"Pss_Anon:"), part(b"Pss_File:"), part(b"Pss_Shmem:"))
    swap_pss = part(b"SwapPss:")
    return MemoryParts(
        rss,
        pss,
        *split,
        swap_pss,
        private=1024 * sum(value for name, value in kilobytes.items() if name.startswith(b"Private_")),
        shared=1024 * sum(value for name, value in kilobytes.items() if name.startswith(b"Shared_")),
        missing=None
        if None not in (*split, swap_pss)
        else f"{path.name} of this kernel doesn't split the PSS",
    )


def _rss_only(pid: int, reason: str) -> Unreadable | None:
    stat = read_stat(pid)
    if stat is None or not stat.alive:
        return None
    return Unreadable(reason, read_rss(pid))


def read_rss(pid: int) -> int | None:
    """The RSS in bytes from ``/proc/PID/statm``, which costs 0.02 ms; None if the process has ended."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_bytes().split()[1]) * PAGE
    except OSError:
        return None


def _owner(pid: int) -> str:
    """Says whose process it is that we may not inspect."""
    status = read_text(Path(f"/proc/{pid}/status")) or ""
    uid = next((int(line.split()[2]) for line in status.splitlines() if line.startswith("Uid:")), None)
    if uid is None:
        return "a process of another user"
    if uid == os.geteuid():
        return "a process that changed its user or was made private"
    try:
        return f"a process of user {pwd.getpwuid(uid).pw_name}"
    except KeyError:
        return f"a process of user {uid}"


class CarefulReader:
    """Reads the PSS of one process at a time, in turn, and spends at most ``budget`` of a core on it.

    After a read that took ``c`` seconds of CPU the next one is due ``c / budget`` later. ``reads`` and
    ``cpu_seconds`` count all reads, those of full passes too: what the report says about the cost of
    looking.
    """

    def __init__(
        self,
        budget: float = 0.01,
        read: Callable[[int], MemoryParts | Unreadable | None] = read_rollup,
        clock: Callable[[], float] = time.monotonic,
        cpu_clock: Callable[[], float] = time.thread_time,
    ) -> None:
        self.reads = 0
        self.cpu_seconds = 0.0
        self._budget = budget
        self._read = read
        self._clock = clock
        self._cpu_clock = cpu_clock
        self._due = float("-inf")
        self._turns: dict[int, int] = {}

    def step(self, pids: Sequence[int]) -> tuple[int, MemoryParts | Unreadable | None] | None:
        """Reads the process whose turn it is; None if no read is due or there is no process."""
        if not pids or self._clock() < self._due:
            return None
        self._turns = {pid: self._turns.get(pid, 0) for pid in pids}
        pid = min(pids, key=lambda pid: self._turns[pid])
        result, cost = self._measured(pid)
        self._turns[pid] = self.reads
        self._due = self._clock() + cost / self._budget
        return pid, result

    def full_pass(self, pids: Sequence[int]) -> dict[int, MemoryParts | Unreadable | None]:
        """Reads all of them at once, outside the budget: before and after a round, not during one."""
        return {pid: self._measured(pid)[0] for pid in pids}

    def _measured(self, pid: int) -> tuple[MemoryParts | Unreadable | None, float]:
        before = self._cpu_clock()
        result = self._read(pid)
        cost = self._cpu_clock() - before
        self.reads += 1
        self.cpu_seconds += cost
        return result, cost
