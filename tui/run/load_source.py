"""What generates the load: load processes of ours, another generator's command, or nothing that we know of."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tui.load.arrivals import Arrivals
from tui.load.command import CommandRun
from tui.load.generator import LoadGenerator
from tui.load.result import RoundResult, Tick
from tui.plan.plan import Plan
from tui.profile.models import Profile
from tui.run import facts

TICK = 0.25


@dataclass(frozen=True, slots=True)
class Interval:
    """A coming interval of load; ``number`` is None for the warm-up."""

    number: int | None
    requests: int | None
    duration: float | None
    on_planned: Callable[[float, float | None], None]
    """Gets the exact start (seconds, CLOCK_MONOTONIC) and the length, if they are planned ahead."""


class LoadSource(Protocol):
    """One run's load, whatever generates it."""

    @property
    def pids(self) -> tuple[int, ...]:
        """Its live processes."""

    async def start(self) -> None:
        """Get ready."""

    async def run(self, interval: Interval, on_tick: Callable[[Tick], None]) -> RoundResult | None:
        """Run one interval; None if its requests aren't ours and so aren't counted. Raises LoadError if it breaks."""

    def stop(self) -> None:
        """End the current interval."""

    async def close(self) -> None:
        """End every process."""


class GeneratedLoad:
    """Our own load processes. The seed of an open loop's interval is its number, so a run can be repeated."""

    def __init__(self, profile: Profile, plan: Plan, logs: Path) -> None:
        self._generator = LoadGenerator(facts.load_spec(profile, plan), plan.load_cpus, log=logs / "load.err")
        self._load = profile.load

    @property
    def pids(self) -> tuple[int, ...]:
        return self._generator.pids

    async def start(self) -> None:
        await self._generator.start()

    async def run(self, interval: Interval, on_tick: Callable[[Tick], None]) -> RoundResult:
        rate = self._load.rate
        seed = interval.number or 0
        return await self._generator.round(
            requests=interval.requests,
            duration=interval.duration,
            arrivals=None if rate is None else Arrivals(rate, self._load.arrivals, seed),
            on_tick=on_tick,
            on_planned=lambda start: interval.on_planned(start, interval.duration),
            tick=TICK,
        )

    def stop(self) -> None:
        self._generator.stop_round()

    async def close(self) -> None:
        await self._generator.close()


class CommandLoad:
    """Another load generator, started anew for each interval; its output is kept in the record."""

    def __init__(self, plan: Plan, logs: Path, on_failure: Callable[[str], None]) -> None:
        self._argv = plan.load_command
        self._logs = logs
        self._on_failure = on_failure
        self._run: CommandRun | None = None

    @property
    def pids(self) -> tuple[int, ...]:
        return () if self._run is None else (self._run.pid,)

    async def start(self) -> None:
        """It is started for each interval."""

    async def run(self, interval: Interval, on_tick: Callable[[Tick], None]) -> None:
        name = f"round-{interval.number}" if interval.number else "warm-up"
        log = self._logs / f"load-{name}.txt"
        self._run = CommandRun(self._argv, log)
        try:
            ended = await self._run.wait(interval.duration)
        finally:
            self._run = None
        if ended.status is not None:
            said = f': "{ended.last[:120]}"' if ended.last else " and wrote nothing"
            self._on_failure(
                f"{Path(self._argv[0]).name} ended with {ended.status} in {name.replace('-', ' ', 1)}{said}"
            )

    def stop(self) -> None:
        if self._run is not None:
            self._run.stop()

    async def close(self) -> None:
        """Nothing to end: no process outlives its interval."""


class NoLoad:
    """No load of ours: the stack is watched, whoever sends requests to it."""

    pids: tuple[int, ...] = ()

    def __init__(self) -> None:
        self._stop = asyncio.Event()

    async def start(self) -> None:
        """There is nothing to start."""

    async def run(self, interval: Interval, on_tick: Callable[[Tick], None]) -> None:
        try:
            async with asyncio.timeout(interval.duration):
                await self._stop.wait()
        except TimeoutError:
            return

    def stop(self) -> None:
        self._stop.set()

    async def close(self) -> None:
        """There is nothing to close."""


def load_source_of(profile: Profile, plan: Plan, logs: Path, on_failure: Callable[[str], None]) -> LoadSource:
    """The load that a profile asks for. ``on_failure`` gets what went wrong with a command, in words."""
    match profile.load.kind:
        case "none":
            return NoLoad()
        case "command":
            return CommandLoad(plan, logs, on_failure)
        case _:
            return GeneratedLoad(profile, plan, logs)
