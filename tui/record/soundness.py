"""Whether an event can be true. One flipped bit often leaves a line readable that no runner would have written."""

from __future__ import annotations

from collections.abc import Iterator

from tui.load.histogram import HIGHEST, index_of
from tui.load.result import RoundResult, Tally, Times
from tui.record.events import Event, LoadTick, RoundEnded

LONGEST = 10 * 366 * 86_400.0
"""Seconds: no run takes ten years."""
_BUCKETS = {digits: index_of(HIGHEST, digits) for digits in (2, 3)}


def is_sound(event: Event) -> bool:
    """Whether its times are possible and its counts agree with each other."""
    if not 0 <= event.t <= LONGEST:
        return False
    if isinstance(event, LoadTick):
        tick = event.tick
        in_time = 0 <= tick.t1 - tick.t0 <= LONGEST and 0 <= tick.lag <= LONGEST
        return in_time and _counts(tick.tally) and _times(tick.latency)
    if isinstance(event, RoundEnded):
        if event.round is not None and not 1 <= event.round <= 1_000_000:
            return False
        if not 0 <= event.length <= LONGEST:
            return False
        return event.result is None or _result(event.result)
    return True


def _result(result: RoundResult) -> bool:
    tally = result.tally
    whole = _counts(tally) and (result.stopped or tally.sent == tally.outcomes.total)
    return whole and all(map(_times, _all_times(result)))


def _all_times(result: RoundResult) -> Iterator[Times]:
    yield from (value for _, value in result if isinstance(value, Times))


def _counts(tally: Tally) -> bool:
    return min(tally.outcomes.__dict__.values()) >= 0 and min(tally.sent, tally.planned) >= 0


def _times(times: Times) -> bool:
    """The histogram holds as many values as were counted, and their sums are those of real numbers."""
    if not times.count:
        return not times.counts
    low, high = times.min_ns, times.max_ns
    if low is None or high is None or not 0 <= low <= high:
        return False
    most, counts = _BUCKETS[times.digits], times.counts.as_dict()
    return (
        all(0 <= index <= most and count > 0 for index, count in counts.items())
        and sum(counts.values()) == times.count
        and low * times.count <= times.sum_ns <= high * times.count
        and times.count * times.squares_ns2 >= times.sum_ns**2
    )
