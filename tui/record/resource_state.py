"""The fold's part for what may run out: descriptors, the client's ports, memory."""

from __future__ import annotations

from dataclasses import dataclass, field

from tui.record.events import DescriptorReading, Descriptors, GroupKilled, TimeWait

Key = tuple[int, int]


@dataclass(frozen=True, slots=True)
class MemoryKills:
    """How many processes the kernel killed between two readings, including ones unrelated to the run."""

    since: float
    until: float
    kills: int
    groups: tuple[GroupKilled, ...]


@dataclass(slots=True)
class Resources:
    """What was used, in the rounds only; kills are counted at any time."""

    of_stack: dict[Key, DescriptorReading] = field(default_factory=dict)
    """Each process at the moment when it was nearest to its limit."""
    of_load: dict[Key, DescriptorReading] = field(default_factory=dict)
    time_waits: list[TimeWait] = field(default_factory=list)
    """After each round."""
    kills: list[MemoryKills] = field(default_factory=list)
    kills_are_counted: bool = False
    _last_count: float = 0.0

    def descriptors(self, event: Descriptors, *, in_round: bool) -> None:
        """Fold in a look at descriptors."""
        if in_round:
            _keep_nearest(self.of_stack, event.stack)
            _keep_nearest(self.of_load, event.load)

    def time_wait(self, event: TimeWait) -> None:
        """Fold in a count after an interval of load."""
        if event.round is not None:
            self.time_waits.append(event)

    def memory_kills(self, t: float, kills: int | None, groups: tuple[GroupKilled, ...]) -> None:
        """Fold in what was killed since the last reading of the machine; None if it isn't counted."""
        if kills is not None:
            self.kills_are_counted = True
            if kills:
                self.kills.append(MemoryKills(self._last_count, t, kills, groups))
        self._last_count = t


def _keep_nearest(kept: dict[Key, DescriptorReading], readings: tuple[DescriptorReading, ...]) -> None:
    for reading in readings:
        key = reading.pid, reading.start
        known = kept.get(key)
        if known is None or used(reading) >= used(known):
            kept[key] = reading


def used(reading: DescriptorReading) -> float:
    """The share of its limit that a process has used; 0 if either is unknown."""
    return reading.open / reading.limit if reading.open is not None and reading.limit else 0.0
