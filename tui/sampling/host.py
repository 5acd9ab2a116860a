"""The machine during a run: which CPUs were idle, what took them away, how much memory was used.

Whether the server's CPUs or the load generator's were busy decides what a rate means, so the shares are kept per CPU
and averaged over a set.
"""

import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tui.system.procfs import PAGE


@dataclass(frozen=True, slots=True)
class CpuShares:
    """Parts of the time since the last sample, together 1. ``steal`` went to other virtual machines."""

    busy: float
    iowait: float
    steal: float
    idle: float


def average(shares: Mapping[int, CpuShares], cpus: Iterable[int]) -> CpuShares | None:
    """The mean over a set of CPUs; None if one of them wasn't measured or the set is empty."""
    wanted = sorted(set(cpus))
    if not wanted or any(cpu not in shares for cpu in wanted):
        return None
    chosen = [shares[cpu] for cpu in wanted]
    return CpuShares(
        busy=sum(each.busy for each in chosen) / len(chosen),
        iowait=sum(each.iowait for each in chosen) / len(chosen),
        steal=sum(each.steal for each in chosen) / len(chosen),
        idle=sum(each.idle for each in chosen) / len(chosen),
    )


@dataclass(frozen=True, slots=True)
class HostMemory:
    """Bytes. ``used`` is what ``free`` prints (procps 4: total minus available), as in the articles.

    It counts the whole machine and is noisy: page cache, other programs and our own processes move it.
    """

    total: int
    available: int
    used: int
    swap_total: int
    swap_used: int


@dataclass(frozen=True, slots=True)
class MemoryPressure:
    """Seconds since the last sample in which some, or all, runnable processes waited for memory (PSI)."""

    some: float
    full: float


@dataclass(frozen=True, slots=True)
class HostSample:
    """One look at the machine at the time ``at`` (seconds, CLOCK_MONOTONIC).

    Shares, swap traffic (bytes), processes that the OOM killer killed, and pressure are since the last look. At
    the first look, and if the machine doesn't say, they are None (``cpus`` is empty), and
    ``pressure_missing`` says why there is no pressure.
    """

    at: float
    cpus: dict[int, CpuShares]
    memory: HostMemory
    swapped_in: int | None
    swapped_out: int | None
    memory_kills: int | None
    pressure: MemoryPressure | None
    pressure_missing: str | None
    load: tuple[float, float, float]


_VM_COUNTS = ("pswpin", "pswpout", "oom_kill")
"""In /proc/vmstat: pages read from swap and written to it, and processes that the OOM killer killed."""


class HostSampler:
    """Reads the machine's counters and derives what happened between two looks."""

    def __init__(self, proc: Path = Path("/proc"), clock: Callable[[], float] = time.monotonic) -> None:
        self._proc = proc
        self._clock = clock
        self._cpu_times: dict[int, tuple[int, ...]] = {}
        self._counted: dict[str, int] = {}
        self._pressure: tuple[float, float] | None = None

    def sample(self) -> HostSample:
        """Costs about half a millisecond."""
        before, self._counted = self._counted, self._vm_counts()
        swapped_in, swapped_out, kills = (self._more(name, before) for name in _VM_COUNTS)
        pressure, pressure_missing = self._memory_pressure()
        return HostSample(
            at=self._clock(),
            cpus=self._cpu_shares(),
            memory=self._memory(),
            swapped_in=None if swapped_in is None else swapped_in * PAGE,
            swapped_out=None if swapped_out is None else swapped_out * PAGE,
            memory_kills=kills,
            pressure=pressure,
            pressure_missing=pressure_missing,
            load=os.getloadavg(),
        )

    def _cpu_shares(self) -> dict[int, CpuShares]:
        before, self._cpu_times = self._cpu_times, self._read_cpu_times()
        shares = {}
        for cpu, times in self._cpu_times.items():
            # Idle and iowait may run backwards by a little (proc_stat(5)).
            spent = [max(0, now - then) for now, then in zip(times, before.get(cpu, times), strict=True)]
            if total := sum(spent):
                busy, iowait, steal, idle = (part / total for part in spent)
                shares[cpu] = CpuShares(busy, iowait, steal, idle)
        return shares

    def _read_cpu_times(self) -> dict[int, tuple[int, ...]]:
        """Busy, iowait, steal and idle ticks of each CPU. The time of guests is part of user and nice."""
        found: dict[int, tuple[int, ...]] = {}
        for line in self._lines("stat"):
            name, *ticks = line.split()
            if name.startswith("cpu") and name != "cpu":
                user, nice, system, idle, iowait, irq, softirq, steal = map(int, ticks[:8])
                found[int(name[3:])] = (user + nice + system + irq + softirq, iowait, steal, idle)
        return found

    def _memory(self) -> HostMemory:
        words = (line.split() for line in self._lines("meminfo"))
        value = {name.rstrip(":"): int(kilobytes) * 1024 for name, kilobytes, *_ in words}
        return HostMemory(
            total=value["MemTotal"],
            available=value["MemAvailable"],
            used=value["MemTotal"] - value["MemAvailable"],
            swap_total=value["SwapTotal"],
            swap_used=value["SwapTotal"] - value["SwapFree"],
        )

    def _vm_counts(self) -> dict[str, int]:
        counts = dict(line.split() for line in self._lines("vmstat"))
        return {name: int(counts[name]) for name in _VM_COUNTS if name in counts}

    def _more(self, name: str, before: dict[str, int]) -> int | None:
        return self._counted[name] - before[name] if name in before and name in self._counted else None

    def _memory_pressure(self) -> tuple[MemoryPressure | None, str | None]:
        try:
            lines = self._lines("pressure/memory")
        except OSError as error:
            return None, f"this kernel shows no memory pressure (PSI): {error.strerror}"
        some, full = (int(line.rpartition("total=")[2]) / 1e6 for line in lines)
        before, self._pressure = self._pressure, (some, full)
        if before is None:
            return None, "first sample"
        return MemoryPressure(some - before[0], full - before[1]), None

    def _lines(self, name: str) -> list[str]:
        return (self._proc / name).read_text(encoding="ascii").splitlines()
