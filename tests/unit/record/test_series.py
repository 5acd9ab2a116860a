"""The older part of a long run gets coarser in the hands of who follows it, and loses no answer."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.support import recorded_runs as runs
from tui.record.series import RatePoint, thin, thin_rate
from tui.record.state import RunState, fold


def ticks(count: int, ticks_a_round: int = 1000) -> list[RatePoint]:
    """So many ticks of a quarter of a second; the first round is a warm-up."""
    return [
        RatePoint(i / 4, (i + 1) / 4, 100 + i % 7, i % 3, i // ticks_a_round or None, 101, 100)
        for i in range(count)
    ]


def followed(points: list[RatePoint], most: int) -> list[RatePoint]:
    kept: list[RatePoint] = []
    for point in points:
        kept.append(point)
        thin_rate(kept, most)
    return kept


@pytest.mark.parametrize("count", [10, 64, 65, 1000, 40_000])
def test_the_rate_stays_bounded_and_no_answer_is_lost(count: int) -> None:
    points = ticks(count)
    kept = followed(points, 64)
    assert len(kept) <= 64 + count // 1000  # what ends a round isn't joined with the next one's
    for field in ("good", "bad", "planned", "sent"):
        assert sum(getattr(p, field) for p in kept) == sum(getattr(p, field) for p in points)
    assert (kept[0].t0, kept[-1].t1) == (points[0].t0, points[-1].t1)
    assert all(before.t1 == after.t0 for before, after in pairwise(kept))


def test_no_point_belongs_to_two_rounds() -> None:
    points = ticks(5000, ticks_a_round=37)
    kept = followed(points, 512)
    for number in {point.round for point in points}:
        of_it = [point for point in points if point.round == number]
        assert sum(p.good for p in kept if p.round == number) == sum(p.good for p in of_it)
        assert min(p.t0 for p in kept if p.round == number) == of_it[0].t0


def test_the_newest_half_is_as_it_was() -> None:
    points = ticks(3000)
    assert followed(points, 64)[-30:] == points[-30:]


def test_a_series_keeps_its_first_and_its_newest_values() -> None:
    kept: list[int] = []
    for i in range(10_000):
        kept.append(i)
        thin(kept, 64)
    assert len(kept) <= 64
    assert kept[0] == 0
    assert kept[-30:] == list(range(9970, 10_000))
    assert kept == sorted(kept)


def test_who_follows_a_run_has_the_same_answers_in_fewer_points() -> None:
    whole, followed = fold(runs.finished()), RunState(most=16)
    for event in runs.finished():
        followed.apply(event)
    assert len(whole.rate) > 40
    assert len(followed.rate) < 24
    assert sum(point.good for point in followed.rate) == sum(point.good for point in whole.rate)
    for key, process in whole.processes.items():
        assert len(followed.processes[key].rss) <= 16 < len(process.rss)
        assert followed.processes[key].rss[-1] == process.rss[-1]
    assert followed.times("total").percentile(99) == whole.times("total").percentile(99)
