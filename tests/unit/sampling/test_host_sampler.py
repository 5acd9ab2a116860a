"""The host's counters: what they say about the time between two looks."""

from pathlib import Path

import psutil
import pytest

from tui.sampling.host import CpuShares, HostSampler, MemoryPressure, average
from tui.system.procfs import PAGE

MEMINFO = """\
MemTotal:       1000 kB
MemFree:         100 kB
MemAvailable:    400 kB
Buffers:          50 kB
HugePages_Total:       0
SwapTotal:       200 kB
SwapFree:        150 kB
"""


def write(
    proc: Path, cpus: list[str], swap: tuple[int, int] = (0, 0), pressure: tuple[int, int] | None = None
) -> None:
    (proc / "stat").write_text("cpu  9 9 9 9 9 9 9 9 9 9\n" + "\n".join(cpus) + "\nintr 1 2 3\nctxt 4\n")
    (proc / "meminfo").write_text(MEMINFO)
    (proc / "vmstat").write_text(f"nr_free_pages 1\npswpin {swap[0]}\npswpout {swap[1]}\n")
    if pressure:
        (proc / "pressure").mkdir(exist_ok=True)
        lines = (
            f"{name} avg10=0.00 avg60=0.00 avg300=0.00 total={total}\n"
            for name, total in zip(("some", "full"), pressure, strict=True)
        )
        (proc / "pressure/memory").write_text("".join(lines))


def test_shares_between_two_looks(tmp_path: Path) -> None:
    write(tmp_path, ["cpu0 100 0 50 800 30 5 5 10 90 0", "cpu1 0 0 0 1000 0 0 0 0 0 0"])
    sampler = HostSampler(tmp_path)
    assert sampler.sample().cpus == {}
    # 20 user, 5 nice, 10 system, 3 irq, 2 softirq; 40 idle; 10 iowait; 10 steal. Guest time is within user.
    write(tmp_path, ["cpu0 120 5 60 840 40 8 7 20 105 0", "cpu1 0 0 0 1100 0 0 0 0 0 0"])
    shares = sampler.sample().cpus
    assert shares[0] == CpuShares(busy=0.4, iowait=0.1, steal=0.1, idle=0.4)
    assert shares[1] == CpuShares(busy=0.0, iowait=0.0, steal=0.0, idle=1.0)


def test_iowait_that_runs_backwards_is_no_negative_share(tmp_path: Path) -> None:
    write(tmp_path, ["cpu0 0 0 0 100 50 0 0 0 0 0"])
    sampler = HostSampler(tmp_path)
    sampler.sample()
    write(tmp_path, ["cpu0 10 0 0 130 48 0 0 0 0 0"])
    assert sampler.sample().cpus[0] == CpuShares(busy=0.25, iowait=0.0, steal=0.0, idle=0.75)


def test_a_cpu_without_a_tick_since_the_last_look_is_left_out(tmp_path: Path) -> None:
    write(tmp_path, ["cpu0 10 0 0 130 48 0 0 0 0 0"])
    sampler = HostSampler(tmp_path)
    sampler.sample()
    assert sampler.sample().cpus == {}


def test_the_servers_cpus_and_the_loads_are_averaged_apart() -> None:
    shares = {
        0: CpuShares(1.0, 0.0, 0.0, 0.0),
        1: CpuShares(0.5, 0.1, 0.1, 0.3),
        2: CpuShares(0.0, 0.0, 0.0, 1.0),
    }
    server, load = average(shares, (0, 1)), average(shares, (2,))
    assert server is not None
    assert (server.busy, server.idle) == (pytest.approx(0.75), pytest.approx(0.15))
    assert load == CpuShares(0.0, 0.0, 0.0, 1.0)
    assert average(shares, (2, 3)) is None
    assert average(shares, ()) is None


def test_memory_is_used_as_free_prints_it(tmp_path: Path) -> None:
    write(tmp_path, ["cpu0 10 0 0 130 48 0 0 0 0 0"])
    memory = HostSampler(tmp_path).sample().memory
    assert (memory.total, memory.available, memory.used) == (1000 * 1024, 400 * 1024, 600 * 1024)
    assert (memory.swap_total, memory.swap_used) == (200 * 1024, 50 * 1024)


def test_swap_traffic_and_pressure_are_since_the_last_look(tmp_path: Path) -> None:
    cpus = ["cpu0 10 0 0 130 48 0 0 0 0 0"]
    write(tmp_path, cpus, swap=(7, 9), pressure=(1_000_000, 500_000))
    sampler = HostSampler(tmp_path)
    first = sampler.sample()
    assert (first.swapped_in, first.pressure, first.pressure_missing) == (None, None, "first sample")
    write(tmp_path, cpus, swap=(7, 12), pressure=(3_500_000, 750_000))
    second = sampler.sample()
    assert (second.swapped_in, second.swapped_out) == (0, 3 * PAGE)
    assert (second.pressure, second.pressure_missing) == (MemoryPressure(some=2.5, full=0.25), None)


def test_processes_killed_for_memory_are_counted_since_the_last_look(tmp_path: Path) -> None:
    write(tmp_path, ["cpu0 10 0 0 130 48 0 0 0 0 0"])
    sampler = HostSampler(tmp_path)
    kills = []
    for count in (4, 4, 6):
        (tmp_path / "vmstat").write_text(f"pswpin 1\noom_kill {count}\n")
        kills.append(sampler.sample().memory_kills)
    assert kills == [None, 0, 2]


def test_a_kernel_without_pressure_and_swap_figures_has_none_with_the_reason(tmp_path: Path) -> None:
    write(tmp_path, ["cpu0 10 0 0 130 48 0 0 0 0 0"])
    (tmp_path / "vmstat").write_text("nr_free_pages 1\n")
    sampler = HostSampler(tmp_path)
    sampler.sample()
    sample = sampler.sample()
    assert (sample.swapped_in, sample.swapped_out, sample.pressure) == (None, None, None)
    assert sample.memory_kills is None
    assert sample.pressure_missing == "this kernel shows no memory pressure (PSI): No such file or directory"


def test_this_machine() -> None:
    sample = HostSampler().sample()
    theirs = psutil.virtual_memory()
    assert sample.memory.total == theirs.total
    assert sample.memory.available == pytest.approx(theirs.available, rel=0.2)
    assert sample.memory.used + sample.memory.available == sample.memory.total
