"""The arithmetic of the charts, without any screen."""

from __future__ import annotations

import pytest

from tui.console.drawing.axes import (
    label_row,
    log_place,
    log_range,
    log_ticks,
    nice_above,
    shifted_labels,
    spread_labels,
    steady_top,
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


@pytest.mark.parametrize(
    ("value", "top"), [(0.7, 0.8), (1, 1), (1.2, 1.5), (4812, 5000), (5100, 6000), (9500, 10_000), (0, 1)]
)
def test_nice_above(value: float, top: float):
    assert nice_above(value) == pytest.approx(top)


def test_the_top_moves_seldom():
    top = steady_top(4800, 1.0)
    assert top == 6000
    assert [steady_top(value, top) for value in (4000, 5900, 2100)] == [6000] * 3
    assert steady_top(6100, top) == 8000
    assert steady_top(1900, top) == 2000


def test_a_slot_is_shared_out_over_columns_by_time():
    columns = rate_columns([RateBin(0, 2, 200, 20, False)], 0, 4, 4)
    assert [column.good for column in columns] == [100, 100, 0, 0]
    assert [column.bad for column in columns] == [10, 10, 0, 0]


def test_a_gap_between_rounds_does_not_lower_the_rate_beside_it():
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


def test_log_range_and_ticks():
    assert log_range(0.0007, 0.031) == pytest.approx((0.0005, 0.05))
    assert log_ticks(0.0005, 0.01) == pytest.approx([0.0005, 0.001, 0.002, 0.005, 0.01])


def test_log_range_of_values_that_are_ticks_does_not_widen():
    assert log_range(0.001, 0.01) == pytest.approx((0.001, 0.01))


def test_histogram_columns_share_out_every_count():
    buckets = [(0.001, 0.0011, 5), (0.0011, 0.002, 90), (0.002, 0.02, 5)]
    columns = histogram_columns(buckets, 0.001, 0.02, 31)
    assert sum(columns) == pytest.approx(100)
    assert max(columns) == columns[log_place(0.0015, 0.001, 0.02, 31)]


def test_a_wider_axis_leaves_the_marks_at_their_values():
    for low, high in ((0.001, 0.1), (0.0005, 1.0)):
        place = log_place(0.02, low, high, 60)
        edges = [low * (high / low) ** (x / 60) for x in (place, place + 1)]
        assert edges[0] <= 0.02 <= edges[1]


def test_sparkline_shows_growth_and_keeps_noise_flat():
    assert sparkline([10, 20, 30, 40], 4) == "▁▃▅▇"
    assert len(set(sparkline([100, 100.4, 100.1, 100.3], 4))) == 1
    assert sparkline([], 5) == ""


def test_the_newest_value_is_always_in_a_sparkline():
    assert sparkline([1.0] * 99 + [2.0], 8)[-1] == "▇"


def test_labels_never_touch():
    placed = spread_labels([(0, "p50"), (2, "p90"), (9, "p99"), (18, "max")], 20)
    assert placed == [(0, "p50"), (9, "p99"), (17, "max")]
    assert label_row([(0, "p50"), (9, "p99"), (18, "max")], 20) == "p50      p99     max"


def test_no_mark_is_lost_where_lines_are_close():
    close = [(10, "p50"), (11, "p90"), (11, "p99"), (19, "max")]
    assert shifted_labels(close, 40) == [(10, "p50"), (14, "p90"), (18, "p99"), (22, "max")]
    assert label_row(shifted_labels(close, 20), 20) == "     p50 p90 p99 max"
