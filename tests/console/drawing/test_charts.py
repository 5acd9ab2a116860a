"""The arithmetic of the charts, without any screen."""

from __future__ import annotations

import pytest

from tui.console.drawing.axes import (
    log_place,
)
from tui.console.drawing.charts import (
    Column,
    RateBin,
    block_rows,
    compact,
    histogram_columns,
    rate_columns,
    rate_rows,
    sparkline,
)


def test_block_rows_draw_eighths_from_below():
    assert block_rows([0.0, 0.25, 0.5, 1.0], 2) == ["   █", " ▄██"]


def test_something_is_never_drawn_as_nothing():
    assert block_rows([0.0001], 3)[-1] == "▁"
    assert block_rows([0.0], 3)[-1] == " "


def test_a_slot_is_shared_out_over_columns_by_time():
    columns = rate_columns([RateBin(0, 2, 200, 20, False)], 0, 4, 4)
    assert [column.good for column in columns] == [100, 100, 0, 0]
    assert [column.bad for column in columns] == [10, 10, 0, 0]


def test_a_gap_between_rounds_does_not_lower_the_rate_next_to_it():
    columns = rate_columns([RateBin(0, 1.5, 150, 0, False), RateBin(1.9, 2.9, 100, 0, False)], 0, 3, 3)
    assert [column.good for column in columns] == pytest.approx([100, 100, 100])


def test_answers_are_neither_lost_nor_made_by_drawing():
    bins = [RateBin(i * 0.25, (i + 1) * 0.25, 17 * i, i % 3, False) for i in range(40)]
    columns = rate_columns(bins, 0, 10, 37)
    assert sum(column.good for column in columns) * 10 / 37 == pytest.approx(sum(each.good for each in bins))


def test_errors_are_crosses_on_top_of_the_good_answers():
    rows = rate_rows([Column(50, 0, False), Column(50, 50, False), Column(0, 100, False)], 100, 4)
    assert ["".join(row[x] for row in rows) for x in range(3)] == ["  ██", "××██", "××××"]


def test_a_single_error_is_seen():
    assert "×" in "".join(rate_rows([Column(1000, 0.1, False)], 1000, 5))
    assert "×" in "".join(rate_rows([Column(400, 0.1, False)], 1000, 5))


def test_compact_keeps_every_answer_and_never_mixes_the_warm_up_in():
    bins = [RateBin(i / 4, (i + 1) / 4, i, 1, i < 100) for i in range(1000)]
    merged = compact(bins, 100)
    assert len(merged) <= 110
    assert sum(each.good for each in merged if each.warm) == sum(range(100))
    assert sum(each.good + each.bad for each in merged) == sum(range(1000)) + 1000


def test_histogram_columns_share_out_every_count():
    buckets = [(0.001, 0.0011, 5), (0.0011, 0.002, 90), (0.002, 0.02, 5)]
    columns = histogram_columns(buckets, 0.001, 0.02, 31)
    assert sum(columns) == pytest.approx(100)
    assert max(columns) == columns[log_place(0.0015, 0.001, 0.02, 31)]


def test_sparkline_shows_growth_and_keeps_noise_flat():
    assert sparkline([10, 20, 30, 40], 4) == "▁▃▅▇"
    assert len(set(sparkline([100, 100.4, 100.1, 100.3], 4))) == 1
    assert sparkline([], 5) == ""


def test_the_newest_value_is_always_in_a_sparkline():
    assert sparkline([1.0] * 99 + [2.0], 8)[-1] == "▇"
