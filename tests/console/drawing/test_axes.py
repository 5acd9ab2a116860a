"""Where axes end, and where their ticks and labels stand."""

from __future__ import annotations

import pytest

from tui.console.drawing.axes import (
    label_row,
    log_place,
    log_range,
    log_ticks,
    nice_above,
    shifted_labels,
    short_number,
    spread_labels,
    steady_top,
    tick_label,
)


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


def test_axis_labels():
    assert [short_number(value) for value in (500, 1500, 6000, 2_000_000)] == ["500", "1.5k", "6k", "2M"]
    assert [tick_label(value) for value in (5e-6, 0.0005, 0.02, 5)] == ["5 µs", "0.5 ms", "20 ms", "5 s"]


def test_log_range_and_ticks():
    assert log_range(0.0007, 0.031) == pytest.approx((0.0005, 0.05))
    assert log_ticks(0.0005, 0.01) == pytest.approx([0.0005, 0.001, 0.002, 0.005, 0.01])


def test_log_range_of_values_that_are_ticks_does_not_widen():
    assert log_range(0.001, 0.01) == pytest.approx((0.001, 0.01))


def test_a_wider_axis_leaves_the_marks_at_their_values():
    for low, high in ((0.001, 0.1), (0.0005, 1.0)):
        place = log_place(0.02, low, high, 60)
        edges = [low * (high / low) ** (x / 60) for x in (place, place + 1)]
        assert edges[0] <= 0.02 <= edges[1]


def test_labels_never_touch():
    placed = spread_labels([(0, "p50"), (2, "p90"), (9, "p99"), (18, "max")], 20)
    assert placed == [(0, "p50"), (9, "p99"), (17, "max")]
    assert label_row([(0, "p50"), (9, "p99"), (18, "max")], 20) == "p50      p99     max"


def test_no_mark_is_lost_where_lines_are_close():
    close = [(10, "p50"), (11, "p90"), (11, "p99"), (19, "max")]
    assert shifted_labels(close, 40) == [(10, "p50"), (14, "p90"), (18, "p99"), (22, "max")]
    assert label_row(shifted_labels(close, 20), 20) == "     p50 p90 p99 max"
