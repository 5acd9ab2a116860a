"""Findings on what the machine did to the run: stolen CPU time, changing clock rates, lack of memory.

An unreadable value is no finding: an unknown governor isn't a slow one.
"""

from __future__ import annotations

from collections.abc import Iterator

from tui.record.events import RoundEnded
from tui.record.state import RunState
from tui.summary import units
from tui.summary.finding import OF_THE_LOAD, QUANTITIES, Finding
from tui.system.cpus import format_cpu_list

MUCH_STEAL = 0.03
"""From this share of a CPU in a round, its loss to other virtual machines is reported."""
SHORTEST = 1.0
"""Seconds; in a shorter round, a share of CPU time means nothing, as the kernel counts ticks of 10 ms."""
MUCH_SWAPPED = 1_000_000
"""Bytes swapped over all rounds: a few pages move on any machine that has swap."""
MUCH_PRESSURE = 0.01
"""Share of a round's time in which some task waited for memory."""
STEADY = "performance"
"""The governor that keeps a CPU at its highest clock rate (admin-guide/pm/cpufreq.rst of the kernel)."""


def steal(state: RunState) -> Iterator[Finding]:
    """The hypervisor gave time of the run's CPUs to others."""
    taken = [
        (share, cpu, ended.round)
        for ended in state.rounds
        if ended.strain is not None and ended.length >= SHORTEST
        for cpu, share in ended.strain.steal.items()
    ]
    share, cpu, number = max(taken, default=(0.0, 0, None))
    if share >= MUCH_STEAL:
        yield Finding(
            code="steal",
            severity="warning",
            quantities=OF_THE_LOAD,
            text="the hypervisor gave time of the run's CPUs to other virtual machines",
            evidence=f"{units.share(share)} of CPU {cpu} in round {number} was stolen (steal in /proc/stat)",
            remedy="run again at another time, or on a machine with dedicated CPUs",
        )


def clock_rate(state: RunState) -> Iterator[Finding]:
    """The run's CPUs may have changed their clock rate."""
    if state.started is None or state.planned is None:
        return
    machine, facts = state.started.machine, state.planned.facts
    of_the_run = {*facts.server_cpus, *facts.load_cpus}
    slow: dict[str, list[int]] = {}
    for cpu, governor in machine.governors.items():
        if cpu in of_the_run and governor != STEADY:
            slow.setdefault(governor, []).append(cpu)
    if slow:
        yield Finding(
            code="governor",
            severity="warning",
            quantities=OF_THE_LOAD,
            text=f"the CPUs' frequency governor isn't {STEADY}: their clock rate follows the load",
            evidence="; ".join(
                f"{governor} on CPU {format_cpu_list(cpus)}" for governor, cpus in slow.items()
            ),
            remedy=f"cpupower frequency-set -g {STEADY}",
        )
    if machine.turbo:
        yield Finding(
            code="turbo",
            severity="note",
            quantities=(),
            text="turbo is on: the clock rate depends on the temperature and on how many CPUs are busy",
            evidence="from intel_pstate/no_turbo or cpufreq/boost in /sys/devices/system/cpu",
            remedy="",
        )


def swapping(state: RunState) -> Iterator[Finding]:
    """The machine swapped during the rounds."""
    came = sum(_swapped(ended, "swapped_in") for ended in state.rounds)
    went = sum(_swapped(ended, "swapped_out") for ended in state.rounds)
    if came + went < MUCH_SWAPPED:
        return
    last = state.memory_totals[-1] if state.memory_totals else None
    in_swap = sum(reading.swap_pss or 0 for reading in last.readings) if last else 0
    of_stack = "none of the stack was in swap at the last reading"
    if in_swap:
        of_stack = (
            f"{units.size(in_swap)} of the stack was in swap at the last reading, and counts as its memory"
        )
    yield Finding(
        code="swapping",
        severity="warning",
        quantities=QUANTITIES,
        text="the machine swapped while load was measured",
        evidence=f"{units.size(came)} in and {units.size(went)} out over all rounds; {of_stack}",
        remedy="use fewer workers, run less at the same time, or add memory",
    )


def _swapped(ended: RoundEnded, way: str) -> int:
    return (getattr(ended.strain, way) or 0) if ended.strain is not None else 0


def memory_pressure(state: RunState) -> Iterator[Finding]:
    """Tasks waited for memory during the rounds (PSI, Documentation/accounting/psi.rst of the kernel)."""
    waited = [
        (ended.strain.pressure / ended.length, ended.strain.pressure, ended.round)
        for ended in state.rounds
        if ended.strain is not None and ended.strain.pressure is not None and ended.length > 0
    ]
    share, seconds, number = max(waited, default=(0.0, 0.0, None))
    if share >= MUCH_PRESSURE:
        yield Finding(
            code="memory-pressure",
            severity="warning",
            quantities=QUANTITIES,
            text="tasks waited for memory while load was measured",
            evidence=(
                f"for {units.duration(seconds)} of round {number} ({units.share(share)}) some task on the machine "
                "waited (some in /proc/pressure/memory)"
            ),
            remedy="use fewer workers, raise their cgroup's memory limit, run less at the same time, or add memory",
        )
