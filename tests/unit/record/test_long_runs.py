"""What folding a long run holds: neither the whole record nor the histograms of all its rounds."""

from __future__ import annotations

import pickle
import random
import tracemalloc
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path

import pytest

from tests.support import recorded_runs, story
from tui.findings.judge import judge
from tui.load.result import RoundResult, Times
from tui.record.events import Event, RoundEnded
from tui.record.record import EventWriter, create_record, read_events, read_state
from tui.record.settled import KEPT, settled
from tui.record.state import RunState, fold

KINDS = ("connect", "waiting", "processing", "total")


@cache
def spread_out(seed: int) -> Times:
    """5,000 times from 0.1 ms to a second: more than a thousand buckets."""
    numbers = random.Random(seed)
    return recorded_runs.times([round(10 ** numbers.uniform(2, 6)) for _ in range(5000)], 3)


def round_ended(t: float, number: int, **times: Times) -> RoundEnded:
    """A round with these kinds of times."""
    ended = story.round_ended(t, number)
    assert ended.result is not None
    return ended.model_copy(update={"result": ended.result.model_copy(update=times)})


def rounds(count: int) -> Iterator[Event]:
    """Rounds of four seconds, whose kinds of times all have full histograms."""
    yield from story.run(rounds=0, ended=False)
    for number in range(1, count + 1):
        t = 3.0 + 4 * number
        for i in range(16):
            yield story.tick(t + i / 4, number)
        times = {kind: deepcopy(spread_out(number % 4)) for kind in KINDS}
        yield round_ended(t + 4, number, **times)


def size_after(count: int) -> int:
    """Bytes of a follower's state after so many rounds."""
    state = RunState(most=64)
    for event in rounds(count):
        state.apply(event)
    return len(pickle.dumps(state))


def test_a_round_that_has_ended_takes_little() -> None:
    assert (size_after(60) - size_after(20)) / 40 < 8_000  # bytes a round; its histograms alone take 50,000


def test_a_settled_round_has_the_percentiles_that_are_told_of_it() -> None:
    ended = round_ended(5.0, 1, total=spread_out(3), bad=recorded_runs.times([7] * 30, 3))
    small = settled(ended)
    assert isinstance(ended.result, RoundResult) and isinstance(small.result, RoundResult)
    for kind in ("total", "bad", "connect"):
        before, after = getattr(ended.result, kind), getattr(small.result, kind)
        for percent in KEPT:
            assert after.percentile(percent) == before.percentile(percent)
            assert after.percentile_gap(percent) == before.percentile_gap(percent)
        assert (after.count, after.min, after.mean, after.max) == (
            before.count,
            before.min,
            before.mean,
            before.max,
        )
        assert sum(after.counts.values()) == before.count
    assert len(small.result.total.counts) <= len(KEPT) + 1 < len(ended.result.total.counts)


def test_what_a_settled_round_no_longer_has_is_refused() -> None:
    result = settled(round_ended(5.0, 1, total=spread_out(3))).result
    assert result is not None
    with pytest.raises(ValueError, match="p95 of a single round"):
        result.total.percentile(95)
    with pytest.raises(TypeError, match="single rounds"):
        result.total + Times()


def test_the_percentiles_of_all_rounds_come_from_their_full_histograms() -> None:
    events = list(rounds(5))
    state = fold(events)
    merged = Times()
    for event in events:
        if isinstance(event, RoundEnded) and event.round is not None and event.result is not None:
            merged += event.result.total
    assert merged.count == 25_000
    assert state.times("total") == merged
    assert state.times("total").percentile(99.9) == merged.percentile(99.9)


def test_a_record_is_read_without_being_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.record.jsonlines.BLOCK", 1 << 16)
    record = create_record(tmp_path, "hello")
    writer = EventWriter(record)
    for event in rounds(30):
        writer.write(event)
    writer.close()
    size = record.events_path.stat().st_size
    tracemalloc.start()
    try:
        for _ in read_events(record):
            pass
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert size > 1_200_000
    assert peak < 2_500_000  # the events of this record take four times that
    assert len(read_state(record).rounds) == 30


def test_judging_half_an_hour_takes_no_more_than_judging_minutes() -> None:
    state, t = fold(story.run(rounds=0, ended=False)), 3.0
    for number in range(1, 5):
        for _ in range(4 * 450):  # the rate rises all the time: a trend whose size has to be found
            t += 0.25
            state.apply(story.tick(t, number, good=100 + round(t / 20)))
        state.apply(story.round_ended(t, number, seconds=450.0))
    tracemalloc.start()
    try:
        found = judge(state).findings
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert "over the rounds the rate rose by" in next(each.text for each in found if each.code == "drift")
    assert peak < 50_000_000
