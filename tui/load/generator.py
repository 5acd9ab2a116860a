"""The load generator for the runner: load processes that are started once, run rounds, and are closed.

This process makes no load. It plans a common start, hands out the permits, and merges the load processes'
reports, about four times a second.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter_ns as clock

from tui.load.arrivals import Arrivals
from tui.load.child import LoadProcess
from tui.load.merging import TickMerger, merge_results
from tui.load.permits import shared_permits
from tui.load.result import LoadError, RoundResult, Tick
from tui.load.spec import LoadSpec
from tui.load.wire import LoadCommand, RoundCommand, RoundReport
from tui.system.errors import UserError

_LEAD = 0.03  # seconds from planning a round to its start, so that each process gets the command in time
_SILENCE = 5.0  # seconds, or four ticks, after which a silent load process counts as lost
_PATIENCE = 2.0  # seconds in which a load process should end by itself


class LoadGenerator:
    """Load on one server, from one process per CPU; never more processes than connections.

    Any other number of ``processes`` is distributed over the CPUs in turn. ``log`` gets the load processes'
    stderr. Use it from one event loop, in a thread that lives as long as the load: the kernel ends a load
    process together with the thread that started it.
    """

    def __init__(
        self, spec: LoadSpec, cpus: Sequence[int], *, processes: int | None = None, log: Path | None = None
    ) -> None:
        if not cpus:
            raise UserError("load: no CPU is given for the load generator")
        count = min(processes or len(cpus), spec.connections)
        self._spec = spec
        self._cpus = [cpus[number % len(cpus)] for number in range(count)]
        self._log = log
        self._processes: list[LoadProcess] = []

    @property
    def processes(self) -> int:
        """The number of load processes, also before ``start``."""
        return len(self._cpus)

    @property
    def pids(self) -> tuple[int, ...]:
        """The pids of the load processes that were started and not closed."""
        return tuple(process.pid for process in self._processes)

    async def start(self) -> None:
        """Start the load processes and wait until they are ready. Raises LoadError if one doesn't come up; then
        none is left.
        """
        family, address = await asyncio.to_thread(self._spec.target)
        load: LoadCommand = {
            "kind": "load",
            "spec": self._spec.to_json(),
            "family": family,
            "address": address if isinstance(address, str) else list(address),
        }
        try:
            for cpu in self._cpus:
                self._processes.append(LoadProcess(cpu, self._log))
            for process in self._processes:
                process.send(load)
            answers = await asyncio.gather(*(process.receive(_SILENCE) for process in self._processes))
        except BaseException:
            await self.close()
            raise
        if None in answers:
            failed = self._processes[answers.index(None)]
            await self.close()
            raise LoadError(f"the load didn't start: {failed.exit_reason()}")

    async def round(
        self,
        *,
        requests: int | None,
        duration: float | None,
        on_tick: Callable[[Tick], None],
        on_planned: Callable[[float], None] | None = None,
        arrivals: Arrivals | None = None,
        tick: float = 0.25,
    ) -> RoundResult:
        """Run one round: ``requests`` in total, or ``duration`` seconds, or whichever comes first. With
        ``arrivals`` it is an open loop, otherwise a closed one.

        ``on_tick`` is called about every ``tick`` seconds and once at the end; the ticks add up to the
        result. ``on_planned`` gets the planned start of the round (seconds). Raises LoadError with the
        partial result if a load process died. After that, or if the round was cancelled, only call
        ``close``.
        """
        if requests is None and duration is None:
            raise ValueError("a round needs a number of requests or a duration")
        if not self._processes:
            raise RuntimeError("the load generator isn't started")
        permits, reserve, own = self._permits(None if arrivals else requests)
        start = clock() + int(_LEAD * 1e9)
        if on_planned is not None:
            on_planned(start / 1e9)
        merger = TickMerger(self.processes, start, on_tick)
        silence = max(_SILENCE, 4 * tick)
        try:
            for number, share in enumerate(self._shares()):
                command: RoundCommand = {
                    "kind": "round",
                    "start": start,
                    "duration": None if duration is None else int(duration * 1e9),
                    "tick": int(tick * 1e9),
                    "requests": own,
                    "connections": share,
                    "reserved": share * reserve,
                    "schedule": None if arrivals is None else arrivals.part(number, self.processes, requests),
                }
                self._processes[number].send(command, permits)
            results = await asyncio.gather(
                *(self._follow(number, merger, silence) for number in range(self.processes))
            )
        except BaseException:
            for process in self._processes:
                process.kill()
            raise
        finally:
            for descriptor in permits:
                os.close(descriptor)
        return await self._conclude(start, results, arrivals, requests)

    def _permits(self, requests: int | None) -> tuple[list[int], bool, int | None]:
        """The descriptor shared by several processes, if any; whether a permit is reserved for each connection's first
        request, if there are enough; and each process's number of private permits.
        """
        if requests is None:
            return [], False, None
        connections = self._spec.connections
        reserve = requests >= connections
        rest = requests - connections * reserve
        return ([], reserve, rest) if self.processes == 1 else ([shared_permits(rest)], reserve, 0)

    def stop_round(self) -> None:
        """End the current round now; ``round`` returns the result so far. Without a round it does nothing."""
        for process in self._processes:
            process.send({"kind": "stop"})

    async def close(self) -> None:
        """End the load processes. None is left afterwards, whatever their state."""
        await asyncio.gather(*(process.end(_PATIENCE) for process in self._processes))
        self._processes = []

    def _shares(self) -> list[int]:
        count, rest = divmod(self._spec.connections, len(self._processes))
        return [count + (number < rest) for number in range(len(self._processes))]

    async def _follow(self, number: int, merger: TickMerger, silence: float) -> RoundReport | None:
        while report := await self._processes[number].receive(silence):
            if report["kind"] == "tick":
                merger.add(number, report)
            elif report["kind"] == "result":
                merger.finish(number, report["last_tick"])
                return report
        merger.finish(number, None)
        self.stop_round()
        return None

    async def _conclude(
        self, start: int, results: list[RoundReport | None], arrivals: Arrivals | None, requests: int | None
    ) -> RoundResult:
        whole = [result for result in results if result is not None]
        merged = None
        if whole:
            merged = merge_results(start, self._spec.connections, whole, arrivals, requests)
        if merged is not None and len(whole) == len(results):
            return merged
        dead = self._processes[results.index(None)]
        await self.close()
        raise LoadError(f"the round was broken off: {dead.exit_reason()}", merged)
