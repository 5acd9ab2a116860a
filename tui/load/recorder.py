"""What one load process has seen: counts and times, for the current tick and for the round.

A load process handles some ten thousand answers per second besides reading and writing, so times are gathered
in plain lists and go into sums and histograms in bulk. An answer that a single read returned whole on a kept
connection has a single time, which stands for waiting, processing and total.
"""

from __future__ import annotations

from collections import Counter
from operator import mul
from typing import Literal

from tui.load.histogram import Histogram
from tui.load.kinds import ERROR_KINDS, OTHER, TIME_KINDS, TimeKind
from tui.load.wire import TallyFields, TimesFields

BULK = 256  # times in a list before they are summed up: about 50 µs of work at once


class TimesCount:
    """The counting side of ``tui.load.result.Times``."""

    __slots__ = ("count", "histogram", "max", "min", "squares", "sum")

    def __init__(self) -> None:
        self.count = self.sum = self.squares = 0
        self.min: int | None = None
        self.max: int | None = None
        self.histogram = Histogram(3)

    def insert(self, times: list[int]) -> None:
        """Add times in ns; the histogram takes them rounded to µs."""
        self.count += len(times)
        self.sum += sum(times)
        self.squares += sum(map(mul, times, times))
        self._widen(min(times), max(times))
        self.histogram.record([(time + 500) // 1000 for time in times])

    def add(self, other: TimesCount) -> None:
        if other.min is None or other.max is None:
            return
        self.count += other.count
        self.sum += other.sum
        self.squares += other.squares
        self._widen(other.min, other.max)
        self.histogram.add(other.histogram)

    def _widen(self, low: int, high: int) -> None:
        self.min = low if self.min is None else min(self.min, low)
        self.max = high if self.max is None else max(self.max, high)

    def to_json(self, digits: Literal[2, 3] = 3) -> TimesFields:
        """The values for a report."""
        histogram = self.histogram if digits == 3 else self.histogram.coarse()
        return {
            "count": self.count,
            "min_ns": self.min,
            "max_ns": self.max,
            "sum_ns": self.sum,
            "squares_ns2": self.squares,
            "digits": digits,
            "counts": histogram.counts,
            "clamped": histogram.clamped,
        }


class Counts:
    """The counting side of ``tui.load.result.Tally``, with the same names."""

    def __init__(self) -> None:
        self.planned = self.sent = self.opened = self.reused = self.retried = 0
        self.bytes_received = self.body_bytes = self.bytes_sent = 0
        self.outcomes: Counter[str] = Counter()
        self.statuses: Counter[int] = Counter()
        self.errors: Counter[str] = Counter()

    def error(self, text: str) -> None:
        known = text in self.errors or len(self.errors) < ERROR_KINDS
        self.errors[text if known else OTHER] += 1

    def add(self, other: Counts) -> None:
        for name, value in other.__dict__.items():
            if isinstance(value, int):
                setattr(self, name, getattr(self, name) + value)
        self.outcomes.update(other.outcomes)
        self.statuses.update(other.statuses)
        for text, count in other.errors.items():
            known = text in self.errors or len(self.errors) < ERROR_KINDS
            self.errors[text if known else OTHER] += count

    def to_json(self) -> TallyFields:
        """The values for a report."""
        return {
            "planned": self.planned,
            "sent": self.sent,
            "outcomes": self.outcomes,
            "statuses": self.statuses,
            "opened": self.opened,
            "reused": self.reused,
            "retried": self.retried,
            "bytes_received": self.bytes_received,
            "body_bytes": self.body_bytes,
            "bytes_sent": self.bytes_sent,
            "errors": self.errors,
        }


class Recorder:
    """Counts and times of the tick, added to the round's when the tick ends.

    The lists hold times in ns: ``fast`` those of good answers that a single read returned whole on a kept
    connection, the others part by part.
    """

    def __init__(self, request_size: int) -> None:
        self.tick = Counts()
        self.known_size = self.known_body = self.known_status = 0
        self.fast: list[int] = []
        self.parts: dict[TimeKind, list[int]] = {kind: [] for kind in TIME_KINDS}
        self._request_size = request_size
        self._round = Counts()
        self._times = {kind: TimesCount() for kind in TIME_KINDS}
        self._fast_times = TimesCount()
        self._fast_tick, self._total_tick = TimesCount(), TimesCount()

    def gathered(self) -> int:
        """The number of requests with times in the lists."""
        return len(self.fast) + len(self.parts["total"]) + len(self.parts["bad"])

    def sum_up(self) -> None:
        """Add the lists to the sums."""
        if self.fast:
            count = len(self.fast)
            self.tick.outcomes["ok"] += count
            self.tick.statuses[self.known_status] += count
            self.tick.bytes_received += count * self.known_size
            self.tick.body_bytes += count * self.known_body
            self._fast_tick.insert(self.fast)
            self.fast.clear()
        for name, times in self.parts.items():
            if times:
                (self._total_tick if name == "total" else self._times[name]).insert(times)
                times.clear()

    def know(self, answer: bytes, status: int, body_length: int) -> None:
        """From now on, ``fast`` answers equal this one."""
        self.sum_up()
        self.known_size, self.known_status, self.known_body = len(answer), status, body_length

    def resent(self, count: int) -> None:
        """This many requests were sent on kept connections."""
        self.tick.sent += count
        self.tick.reused += count
        self.tick.bytes_sent += count * self._request_size

    def end_tick(self) -> tuple[TallyFields, TimesFields]:
        """The tick's tally and latency; the next one begins at zero."""
        self.sum_up()
        latency = TimesCount()
        latency.add(self._fast_tick)
        latency.add(self._total_tick)
        ended = self.tick.to_json(), latency.to_json(digits=2)
        self._round.add(self.tick)
        self._fast_times.add(self._fast_tick)
        self._times["total"].add(self._total_tick)
        self.tick = Counts()
        self._fast_tick, self._total_tick = TimesCount(), TimesCount()
        return ended

    def end_round(self) -> tuple[TallyFields, dict[TimeKind, TimesFields]]:
        """The round's tally and times, after the last ``end_tick``."""
        fast: tuple[TimeKind, ...] = ("waiting", "processing", "total")
        for kind in fast:
            self._times[kind].add(self._fast_times)
        return self._round.to_json(), {kind: times.to_json() for kind, times in self._times.items()}
