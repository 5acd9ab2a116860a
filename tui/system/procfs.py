"""What the kernel says about one process, read straight from ``/proc``.

psutil reads the same files at several times the cost and only shows the CPU affinity of the main thread, so the
samplers and the supervisor use this module. A process is identified by pid *and* start time, since pids are
reused. A zombie counts as dead: pid 1 of a container may not reap it for a long time. For a process that has
ended, every function returns None (or an empty collection). If ``/proc`` is mounted with ``hidepid``, other
users' processes seem to have ended.
"""

import os
import re
import signal
import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tui.system.planted import read_file

TICKS = os.sysconf("SC_CLK_TCK")
"""Clock ticks per second, the unit of all times in ``/proc/PID/stat``."""
PAGE = os.sysconf("SC_PAGE_SIZE")

_DEAD_STATES = frozenset("ZXx")
_KERNEL_THREAD = 0x00200000  # PF_KTHREAD in the kernel's include/linux/sched.h
_PASSES = 10
_GONE = (FileNotFoundError, ProcessLookupError, PermissionError)


class Identity(NamedTuple):
    """Identifies a process until the machine reboots: ``start`` is in clock ticks since boot."""

    pid: int
    start: int


@dataclass(frozen=True, slots=True)
class ProcessStat:
    """``/proc/PID/stat`` (proc_pid_stat(5)). CPU times in seconds, to one clock tick (mostly 10 ms).

    ``cutime`` and ``cstime`` belong to its reaped children, and to theirs. ``rss`` is in bytes and is the
    kernel's quick count, which may be off by some 100 KB per CPU; ``smaps_rollup`` is exact.
    """

    identity: Identity
    ppid: int
    pgid: int
    session: int
    state: str
    comm: str
    utime: float
    stime: float
    cutime: float
    cstime: float
    threads: int
    cpu_last: int
    rss: int
    kernel_thread: bool

    @property
    def pid(self) -> int:
        return self.identity.pid

    @property
    def alive(self) -> bool:
        return self.state not in _DEAD_STATES

    @property
    def cpu_seconds(self) -> float:
        """CPU time of just this process."""
        return self.utime + self.stime

    @property
    def started_at(self) -> float:
        """Seconds on CLOCK_BOOTTIME, which keeps running while the machine is suspended."""
        return self.identity.start / TICKS

    def age(self) -> float:
        """Seconds since the process started."""
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - self.started_at)


def read_stat(pid: int) -> ProcessStat | None:
    """The process's current state, or None if it has ended."""
    content = _read(f"/proc/{pid}/stat")
    return _parse_stat(content) if content else None


def _parse_stat(content: bytes) -> ProcessStat:
    # The name may contain blanks and brackets: fields are counted from the last bracket; number 3 has index 0.
    opening, closing = content.index(b"("), content.rindex(b")")
    field = content[closing + 2 :].split()
    return ProcessStat(
        identity=Identity(int(content[:opening]), int(field[19])),
        ppid=int(field[1]),
        pgid=int(field[2]),
        session=int(field[3]),
        state=field[0].decode(),
        comm=content[opening + 1 : closing].decode(errors="replace"),
        utime=int(field[11]) / TICKS,
        stime=int(field[12]) / TICKS,
        cutime=int(field[13]) / TICKS,
        cstime=int(field[14]) / TICKS,
        threads=int(field[17]),
        cpu_last=int(field[36]),
        rss=int(field[21]) * PAGE,
        kernel_thread=bool(int(field[6]) & _KERNEL_THREAD),
    )


def is_alive(identity: Identity) -> bool:
    """Whether this exact process is still running: not a zombie, and not a later one with the same pid."""
    stat = read_stat(identity.pid)
    return stat is not None and stat.identity == identity and stat.alive


def read_exe(pid: int) -> str | None:
    """The path of a process's program; None if the process has ended or belongs to another user."""
    try:
        return str(Path(f"/proc/{pid}/exe").readlink())
    except OSError:
        return None


def read_cmdline(pid: int) -> str | None:
    """The arguments joined by blanks, or ``[name]`` if there are none (zombies, kernel threads).

    One printable line: any other character, such as a line end or an escape sequence, becomes a blank.
    """
    content = _read(f"/proc/{pid}/cmdline")
    if content is None:
        return None
    text = content.decode(errors="replace")
    line = "".join(character if character.isprintable() else " " for character in text).strip()
    if line:
        return line
    stat = read_stat(pid)
    return f"[{stat.comm}]" if stat else None


def read_arguments(pid: int) -> list[str]:
    """The arguments as they were given; empty for a zombie, a kernel thread, or a process that has ended."""
    content = _read(f"/proc/{pid}/cmdline")
    return os.fsdecode(content).removesuffix("\0").split("\0") if content else []


def every_pid() -> list[int]:
    """The pids of all visible processes."""
    return _numbers_in("/proc")


def read_environ(pid: int) -> dict[str, str] | None:
    """The environment that the process started with; None if it has ended or can't be read.

    A server that sets its title (nginx) overwrites it, leaving nothing useful.
    """
    content = _read(f"/proc/{pid}/environ")
    if content is None:
        return None
    pairs = (entry.partition("=") for entry in os.fsdecode(content).split("\0"))
    return {name: value for name, equals, value in pairs if equals}


def send_signal(identity: Identity, number: int) -> bool:
    """Send a signal to exactly this process. Returns False if it has ended; PermissionError if we may not."""
    try:
        fd = os.pidfd_open(identity.pid)
    except ProcessLookupError:
        return False
    try:
        if not is_alive(identity):  # checked after opening it: a reused pid gets nothing
            return False
        signal.pidfd_send_signal(fd, number)
    except ProcessLookupError:
        return False
    finally:
        os.close(fd)
    return True


def every_process() -> list[ProcessStat]:
    """All visible processes, in one pass over ``/proc``, including kernel threads and zombies."""
    stats = (read_stat(pid) for pid in _numbers_in("/proc"))
    return [stat for stat in stats if stat is not None]


class Tree(NamedTuple):
    """A process and all its descendants; ``root`` is None if there is none to look at, or if it has ended.

    The root was read first, so the CPU time of a child that ended meanwhile may be missing, but is never counted twice.
    """

    root: ProcessStat | None
    below: list[ProcessStat]


def tree(root_pid: int) -> Tree:
    """The process and its descendants."""
    root = read_stat(root_pid)
    return Tree(root, descendants(root_pid) if root else [])


def descendants(root_pid: int) -> list[ProcessStat]:
    """The processes below ``root_pid``, excluding itself but including zombies.

    Complete if nothing forks or ends meanwhile. A process that loses its parent during the walk is still found if
    the root is the child subreaper, since it then becomes a child of the root.
    """
    return _by_children_lists(root_pid) if _has_children_lists() else _by_scan(root_pid)


@cache
def _has_children_lists() -> bool:
    return os.path.exists(f"/proc/self/task/{os.getpid()}/children")  # noqa: PTH110 (CONFIG_PROC_CHILDREN)


def _by_children_lists(root_pid: int) -> list[ProcessStat]:
    root = read_stat(root_pid)
    if root is None:
        return []
    found = {root_pid: root}
    quiet = 0
    for _ in range(_PASSES):  # repeat: the children of processes that ended meanwhile are now the root's
        quiet = 0 if _add_children(root, found) else quiet + 1
        if quiet == 2:  # twice, since the kernel skips one if the one before it is reaped during the read
            break
    del found[root_pid]
    return list(found.values())


def _add_children(parent: ProcessStat, found: dict[int, ProcessStat]) -> bool:
    """Whether there was a child that hasn't been found yet, though it may have ended since."""
    any_new = False
    for pid in _children(parent):
        if pid in found:
            continue
        any_new = True
        child = read_stat(pid)
        # Between the two reads, an unrelated process may have got the pid: its parent isn't one of ours.
        if child is not None and child.ppid in found:
            found[pid] = child
            _add_children(child, found)
    return any_new


def _children(parent: ProcessStat) -> list[int]:
    """The children of a process: each thread has a list of those it forked."""
    threads = [parent.pid] if parent.threads == 1 else _threads(parent.pid)
    pids: list[int] = []
    for thread in threads:
        content = _read(f"/proc/{parent.pid}/task/{thread}/children")
        pids += map(int, content.split() if content else ())
    return pids


def _by_scan(root_pid: int) -> list[ProcessStat]:
    stats = every_process()
    known = {stat.pid for stat in stats}
    if any(stat.ppid and stat.ppid not in known for stat in stats):  # a parent ended during the scan
        stats = every_process()
    below: dict[int, list[ProcessStat]] = {}
    for stat in stats:
        below.setdefault(stat.ppid, []).append(stat)
    found: list[ProcessStat] = []
    parents = [root_pid]
    for parent in parents:
        children = below.get(parent, [])
        found += children
        parents += [child.pid for child in children]
    return found


def affinities(pid: int) -> dict[int, frozenset[int]]:
    """The allowed CPUs of each thread of the process, by thread id."""
    found = {}
    for thread in _threads(pid):
        try:
            found[thread] = frozenset(os.sched_getaffinity(thread))
        except ProcessLookupError:
            continue
    return found


def bind(pid: int, cpus: Iterable[int]) -> None:
    """Restricts every thread of the process to these CPUs; does nothing if it has ended.

    An unbound thread may start another one meanwhile, so this lists the threads again until none is new. Raises
    PermissionError for another user's process, and OSError (EINVAL) if none of the CPUs may be used.
    """
    wanted, bound = set(cpus), set[int]()
    for _ in range(_PASSES):  # a process that keeps starting threads has passed the binding on by then
        fresh = [thread for thread in _threads(pid) if thread not in bound]
        if not fresh:
            return
        for thread in fresh:
            try:
                os.sched_setaffinity(thread, wanted)
            except ProcessLookupError:
                continue
        bound.update(fresh)


def _threads(pid: int) -> list[int]:
    return _numbers_in(f"/proc/{pid}/task")


def _numbers_in(folder: str) -> list[int]:
    try:
        return [int(name) for name in os.listdir(folder) if name.isdigit()]  # noqa: PTH208 (Path costs three times as much)
    except _GONE:
        return []


def _read(path: str) -> bytes | None:
    """A small file of ``/proc``; None if its process has ended (noticed at open or at read) or is hidden."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except _GONE:
        return None
    try:
        content = chunk = os.read(descriptor, 65536)
        while len(chunk) == 65536:
            chunk = os.read(descriptor, 65536)
            content += chunk
    except _GONE:
        return None
    finally:
        os.close(descriptor)
    return content


_PID_FILE = 65536
"""The most bytes of a pid file that are read."""


def pids_in(path: Path | None) -> list[int]:
    """The pids in a pid file: one or several, with or without a final newline. Empty if there is no file."""
    if path is None:
        return []
    try:
        text = read_file(path, _PID_FILE)
    except OSError:
        return []
    return [int(number) for number in re.findall(rb"\d+", text)]
