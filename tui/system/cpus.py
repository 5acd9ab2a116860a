"""CPUs: readable lists, the usable CPUs, and how server and load share them.

The server and the load generator disturb each other if they share a CPU, and nearly as much if they share a
core through SMT, so "auto" assigns whole cores. Everything read here may be missing in a container or a small
virtual machine; then the answer is None, or every CPU counts as a separate core.
"""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tui.system.kernelfiles import read_text

_SYS_CPU = Path("/sys/devices/system/cpu")
_CGROUP = Path("/sys/fs/cgroup")
_OWN_GROUPS = Path("/proc/self/cgroup")
_MOST_CPUS = 8192  # the kernel's limit (NR_CPUS)
_PART = re.compile(r"(\d{1,5})(?:-(\d{1,5}))?", re.ASCII)


def parse_cpu_list(text: str) -> tuple[int, ...]:
    """Sorted, distinct CPU numbers from a list such as ``0-3,8``. Raises ValueError with a clear message."""
    numbers: set[int] = set()
    for part in text.split(","):
        match = _PART.fullmatch(part.strip())
        if match is None:
            raise ValueError(f"{text!r} is not a list of CPUs: write numbers and ranges, such as 0 or 0-3,8")
        first = int(match[1])
        last = int(match[2] or first)
        if last < first:
            raise ValueError(f"{text!r} is not a list of CPUs: the range {part.strip()} runs backwards")
        if last >= _MOST_CPUS:
            raise ValueError(f"{text!r} is not a list of CPUs: no machine has a CPU {last}")
        numbers.update(range(first, last + 1))
    return tuple(sorted(numbers))


def format_cpu_list(cpus: Iterable[int]) -> str:
    """The shortest list that ``parse_cpu_list`` reads as these CPUs; an empty string for none."""
    runs: list[list[int]] = []
    for cpu in sorted(set(cpus)):
        if runs and cpu == runs[-1][-1] + 1:
            runs[-1].append(cpu)
        else:
            runs.append([cpu])
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def usable_cpus() -> tuple[int, ...]:
    """The CPUs that processes started from here may use: the affinity mask within the cgroup's cpuset."""
    mask = os.sched_getaffinity(0)
    return tuple(sorted(mask & (_cgroup_cpus() or mask) or mask))


def _cgroup_cpus() -> set[int] | None:
    for line in (read_text(_OWN_GROUPS) or "").splitlines():
        _, controllers, group = line.split(":", 2)
        if "cpuset" in controllers.split(","):
            folder, name = _CGROUP / "cpuset", "cpuset.effective_cpus"
        elif not controllers:
            folder, name = _CGROUP, "cpuset.cpus.effective"
        else:
            continue
        # In a container the group's path may be the host's, and the mount shows the container's own group.
        for place in (folder / group.lstrip("/"), folder):
            if listed := read_text(place / name):
                return set(parse_cpu_list(listed))
    return None


@dataclass(frozen=True, slots=True)
class Cpu:
    """One logical CPU; ``siblings`` are all threads of its core, including itself."""

    number: int
    core: int
    package: int
    siblings: frozenset[int]


def topology(cpus: Iterable[int] | None = None, sys_cpu: Path = _SYS_CPU) -> dict[int, Cpu]:
    """Core and package of these CPUs (by default the usable ones), by number.

    If that can't be read, a CPU counts as a separate core in package 0.
    """
    found = {}
    for number in usable_cpus() if cpus is None else cpus:
        folder = sys_cpu / f"cpu{number}" / "topology"
        threads = read_text(folder / "thread_siblings_list")
        found[number] = Cpu(
            number=number,
            core=_number(folder / "core_id", number),
            package=_number(folder / "physical_package_id", 0),
            siblings=frozenset(parse_cpu_list(threads)) if threads else frozenset({number}),
        )
    return found


def thread_siblings(cpus: Iterable[int] | None = None) -> dict[int, frozenset[int]]:
    """The threads of the core that each of these CPUs (by default the usable ones) belongs to."""
    return {number: cpu.siblings for number, cpu in topology(cpus).items()}


class Share(NamedTuple):
    """Who gets which CPUs. ``shared`` is true if they had to share a CPU or a core."""

    server: tuple[int, ...]
    load: tuple[int, ...]
    shared: bool


def share_out(usable: Sequence[int], siblings: Mapping[int, frozenset[int]], workers: int) -> Share:
    """What "auto" means: whole cores, the first ones to the server, the last ones to the load generator.

    The load generator gets a quarter of the cores, at least one and at most one per worker of the server, since
    one of its cores saturates at least one worker; the server gets the rest. So with 2 cores, the server has
    CPU 0 and the load CPU 1; with 8 cores, the load has two. If there is a single core, each gets some of its
    threads; a single CPU goes to both.
    """
    if not usable:
        raise ValueError("there is no CPU to share out")
    cores = _cores(usable, siblings)
    if len(cores) > 1:
        for_load = max(1, min(len(cores) // 4, workers))
        server, load = cores[:-for_load], cores[-for_load:]
        return Share(_flat(server), _flat(load), shared=False)
    threads = cores[0]
    if len(threads) == 1:
        return Share(threads, threads, shared=True)
    return Share(threads[:-1], threads[-1:], shared=True)


def _cores(usable: Sequence[int], siblings: Mapping[int, frozenset[int]]) -> list[tuple[int, ...]]:
    cores = {tuple(sorted(siblings.get(cpu, frozenset({cpu})) & set(usable) | {cpu})) for cpu in usable}
    return sorted(cores)


def _flat(cores: Iterable[tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(sorted(cpu for core in cores for cpu in core))


@dataclass(frozen=True, slots=True)
class Overlap:
    """Where server and load disturb each other: one CPU, or two threads of one core (server's, load's)."""

    same: tuple[int, ...]
    siblings: tuple[tuple[int, int], ...]

    def __bool__(self) -> bool:
        return bool(self.same or self.siblings)


def overlap(
    server: Iterable[int], load: Iterable[int], siblings: Mapping[int, frozenset[int]] | None = None
) -> Overlap:
    """Compares two sets of CPUs; without ``siblings``, these are read from the machine."""
    server, load = set(server), set(load)
    threads = thread_siblings(server) if siblings is None else siblings
    pairs = {(mine, theirs) for mine in server for theirs in threads.get(mine, frozenset()) & load}
    return Overlap(tuple(sorted(server & load)), tuple(sorted(pair for pair in pairs if pair[0] != pair[1])))


def cpu_model() -> str | None:
    """The processor's name according to the kernel; None if it has none (many ARM machines)."""
    for line in (read_text(Path("/proc/cpuinfo")) or "").splitlines():
        name, _, value = line.partition(":")
        if name.strip() in ("model name", "Model", "cpu model") and value.strip():
            return value.strip()
    return None


def governors(cpus: Iterable[int] | None = None, sys_cpu: Path = _SYS_CPU) -> dict[int, str] | None:
    """The frequency governor of each of these CPUs; None if there is none (most virtual machines)."""
    found = {}
    for number in usable_cpus() if cpus is None else cpus:
        governor = read_text(sys_cpu / f"cpu{number}" / "cpufreq" / "scaling_governor")
        if governor:
            found[number] = governor
    return found or None


def _number(path: Path, otherwise: int) -> int:
    text = read_text(path)
    return int(text) if text else otherwise
