"""The fold's part for listen queues: each socket's newest reading, and what each round did to it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from tui.record.events import ListenQueues, QueueReading


@dataclass(slots=True)
class QueueRound:
    """One socket in one round. None stands for what was not counted."""

    longest: int = 0
    drops: int | None = None
    refusals: int | None = None


@dataclass(slots=True)
class QueueState:
    """One listening socket since the stack was ready."""

    reading: QueueReading
    longest: int = 0
    rounds: dict[int, QueueRound] = field(default_factory=dict)

    @property
    def longest_measured(self) -> int | None:
        """The longest queue seen in any round; None before the first round."""
        return max((each.longest for each in self.rounds.values()), default=None)

    @property
    def drops(self) -> int | None:
        """In all rounds; None if they weren't counted, or before the first round."""
        return _total(each.drops for each in self.rounds.values())

    @property
    def refusals(self) -> int | None:
        """In all rounds; None if they weren't counted, or before the first round."""
        return _total(each.refusals for each in self.rounds.values())


@dataclass(slots=True)
class Queues:
    """All listening sockets seen in the stack, by inode, in the order of the newest look."""

    sockets: dict[int, QueueState] = field(default_factory=dict)
    latest: ListenQueues | None = None
    """The newest look; None before the stack was ready."""
    refused_elsewhere: int = 0
    """Connections refused in the rounds whose log lines name none of the sockets."""

    def apply(self, event: ListenQueues, round: int | None) -> None:
        """Fold in one look; ``round`` is the current one."""
        if round is not None:
            before = self.latest.refused_elsewhere if self.latest else 0
            self.refused_elsewhere += event.refused_elsewhere - before
        self.latest = event
        there = {reading.inode: self._socket(reading, round) for reading in event.sockets}
        closed = {inode: each for inode, each in self.sockets.items() if inode not in there}
        self.sockets = there | closed

    def _socket(self, reading: QueueReading, round: int | None) -> QueueState:
        known = self.sockets.get(reading.inode)
        if known is None:
            known = QueueState(reading.model_copy(update={"drops": 0, "refusals": 0}))
        before, known.reading = known.reading, reading
        known.longest = max(known.longest, reading.queue)
        if round is not None:
            counted = known.rounds.setdefault(round, QueueRound())
            counted.longest = max(counted.longest, reading.queue)
            counted.drops = _more(counted.drops, before.drops, reading.drops)
            counted.refusals = _more(counted.refusals, before.refusals, reading.refusals)
        return known


def _more(so_far: int | None, before: int | None, now: int | None) -> int | None:
    return so_far if now is None else (so_far or 0) + now - (before or 0)


def _total(parts: Iterable[int | None]) -> int | None:
    known = [part for part in parts if part is not None]
    return sum(known) if known else None
