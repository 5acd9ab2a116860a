"""What the machine's counters did over one interval of load, read exactly at its start and end.

Otherwise a round that is planned for 30 ms from now, and whose result is merged 20 ms after its end, would look as if
the server's CPUs had been idle for a twentieth of a second of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from tui.plan.plan import Plan
from tui.record.events import Strain
from tui.sampling.host import HostSample, HostSampler, average


@dataclass(frozen=True, slots=True)
class Since:
    """What the counters did over an interval of load."""

    stack_cpu: float | None
    """None if the stack is on another machine."""
    server_idle: float | None
    load_idle: float | None
    strain: Strain


class IntervalReader:
    """Reads the counters of one run's intervals. ``stack_cpu`` gives the CPU seconds of the stack so far."""

    def __init__(self, plan: Plan, stack_cpu: Callable[[], float]) -> None:
        self._plan = plan
        self._stack_cpu = stack_cpu
        self._host = HostSampler()
        self._cpu_then = 0.0
        self._ended: Since | None = None
        self._timers: list[asyncio.TimerHandle] = []

    def planned(self, start: float, duration: float | None) -> None:
        """It will begin at ``start`` (seconds, CLOCK_MONOTONIC) and end ``duration`` later, if that is known."""
        loop = asyncio.get_running_loop()
        self._timers = [loop.call_at(start, self._begin)]
        if duration is not None:
            self._timers.append(loop.call_at(start + duration, self.end))

    def begin(self) -> None:
        """The interval begins now, if no start is planned."""
        self._ended = None
        self._begin()

    def _begin(self) -> None:
        self._host.sample()
        self._cpu_then = self._stack_cpu()

    def end(self) -> Since:
        """What happened from its start until now or the planned end, whichever was earlier."""
        if self._ended is None:
            for timer in self._timers:
                timer.cancel()
            host = self._host.sample()
            self._ended = self._since(host, self._stack_cpu() - self._cpu_then)
        return self._ended

    def _since(self, host: HostSample, stack_cpu: float) -> Since:
        server = average(host.cpus, self._plan.server_cpus)
        load = average(host.cpus, self._plan.load_cpus)
        of_the_run = sorted({*self._plan.server_cpus, *self._plan.load_cpus})
        return Since(
            stack_cpu=stack_cpu if self._plan.server_cpus else None,
            server_idle=server.idle if server else None,
            load_idle=load.idle if load else None,
            strain=Strain(
                steal={cpu: host.cpus[cpu].steal for cpu in of_the_run if cpu in host.cpus},
                swapped_in=host.swapped_in,
                swapped_out=host.swapped_out,
                pressure=None if host.pressure is None else host.pressure.some,
            ),
        )
