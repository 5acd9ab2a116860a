"""What is read again and again, over time; and how a long run's older part gets coarser, so that it stays bounded.

The record keeps everything. Only who follows a run live for hours has no use for each quarter of a second of its
beginning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

Value = TypeVar("Value")

MOST = 4096
"""Points of a series in the hands of who follows a run: 17 minutes of ticks in full, twice the time with its older
half at half of the resolution, and so on."""


@dataclass(frozen=True, slots=True)
class RatePoint:
    """One tick's contribution to the rate over time."""

    t0: float
    t1: float
    good: int
    bad: int
    round: int | None
    """None while warming up."""
    planned: int = 0
    sent: int = 0
    """What an open loop planned in this time, and what it sent."""

    @property
    def rate(self) -> float:
        """Good answers per second."""
        return self.good / (self.t1 - self.t0) if self.t1 > self.t0 else 0.0

    @property
    def bad_rate(self) -> float:
        return self.bad / (self.t1 - self.t0) if self.t1 > self.t0 else 0.0


def thin(points: list[Value], most: int = MOST) -> None:
    """Drop every other value of the older half when there are more than ``most``; the first one stays."""
    if len(points) > most:
        del points[1 : len(points) // 2 : 2]


def thin_rate(points: list[RatePoint], most: int = MOST) -> None:
    """Join the points of the older half in pairs when there are more than ``most``: no answer is lost."""
    if len(points) > most:
        half = len(points) // 2
        points[:half] = _in_pairs(points[:half])


def _in_pairs(points: Sequence[RatePoint]) -> Iterator[RatePoint]:
    """Never across the end of a round."""
    waiting: RatePoint | None = None
    for point in points:
        if waiting is None:
            waiting = point
        elif waiting.round == point.round:
            yield _joined(waiting, point)
            waiting = None
        else:
            yield waiting
            waiting = point
    if waiting is not None:
        yield waiting


def _joined(first: RatePoint, second: RatePoint) -> RatePoint:
    return replace(
        first,
        t1=second.t1,
        good=first.good + second.good,
        bad=first.bad + second.bad,
        planned=first.planned + second.planned,
        sent=first.sent + second.sent,
    )
