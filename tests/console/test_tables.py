"""Workers, charts and profiles as lines of a given width."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.console.conftest import picture
from tests.support import recorded_runs as runs
from tui.console.drawing.axes import short_number, tick_label
from tui.console.drawing.lines import plain, width_of
from tui.console.profiles.lines import fact_lines, row_line
from tui.console.run.load_lines import latency_lines, rate_lines, rate_words, section_row
from tui.console.run.stack_lines import columns_for, table_lines, totals_line
from tui.console.run.stack_view import Workers

WIDTHS = (36, 58, 78, 98, 118, 198)


@pytest.mark.parametrize("width", WIDTHS)
def test_workers_never_leave_their_width(width: int):
    lines = table_lines(picture(runs.running()).workers, width)
    assert len(lines) == 7
    assert all(width_of(line) <= width for line in lines)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("height", [1, 3, 6, 9, 30])
def test_charts_fill_their_room_and_no_more(width: int, height: int):
    frame = picture(runs.running())
    assert frame.latency is not None
    for lines in (rate_lines(frame.rate, 6000, width, height), latency_lines(frame.latency, width, height)):
        assert len(lines) <= height
        assert all(width_of(line) <= width for line in lines)


def test_columns_go_when_the_room_does():
    assert set(columns_for(118)) > set(columns_for(78)) > set(columns_for(40))
    assert {"pid", "role", "cpu", "rss", "pss", "uss", "bar"} <= set(columns_for(78))


def test_the_bar_shows_private_and_shared_on_one_scale():
    workers = picture(runs.finished()).workers
    lines = [plain(line) for line in table_lines(workers, 118)[1:]]
    scale = max(row.private + row.shared for row in workers.rows)
    room = max(line.count("█") + line.count("░") for line in lines)
    for row, line in zip(workers.rows, lines, strict=True):
        assert line.count("█") == max(1, round(row.private / scale * room))
        assert line.count("█") + line.count("░") == round((row.private + row.shared) / scale * room)


def test_a_replaced_worker_is_seen_at_both_sizes():
    for width in (78, 118):
        text = "\n".join(plain(line) for line in table_lines(picture(runs.running()).workers, width))
        assert "worker new" in text and "worker SIGKILL" in text


def test_only_the_rows_on_the_page_are_laid_out_and_on_the_same_scale():
    workers = picture(runs.finished()).workers
    assert table_lines(workers, 118, slice(2, 4))[1:] == table_lines(workers, 118)[3:5]


def served(workers: Workers) -> Workers:
    """The same with a status page of the workers, and one of a front."""
    rows = tuple(replace(row, requests="14,280") for row in workers.rows)
    busy, beside = ("busy 3 of 4",), ("38 of 50 connections busy",)
    return replace(workers, rows=rows, counted=True, busy=busy, beside=beside)


def test_requests_are_a_column_only_where_something_counts_them():
    workers = picture(runs.finished()).workers
    assert "requests" not in plain(table_lines(workers, 118)[0])
    head, first, *_ = (plain(line) for line in table_lines(served(workers), 118))
    assert head.endswith(" requests") and first.endswith(" 14,280")


@pytest.mark.parametrize("width", WIDTHS)
def test_workers_with_requests_never_leave_their_width(width: int):
    assert all(
        width_of(line) <= width for line in table_lines(served(picture(runs.running()).workers), width)
    )


def test_who_is_busy_stands_beside_who_lives():
    text = plain(totals_line(served(picture(runs.finished()).workers)))
    assert text.startswith("4 of 4 · busy 3 of 4 · memory ")
    assert text.endswith(" · 38 of 50 connections busy")


def test_totals():
    text = plain(totals_line(picture(runs.finished()).workers))
    assert text.startswith("4 of 4 · memory ")
    assert "sharing saves" in text and "idle" in text
    assert "memory n/a (of another user: needs root)" in plain(
        totals_line(picture(runs.external(), running=True).workers)
    )


def test_missing_workers_are_marked():
    workers = replace(picture(runs.finished()).workers, alive=3)
    assert totals_line(workers)[0] == ("warning", "3 of 4")


def test_errors_have_a_glyph_in_words_and_in_the_chart():
    rate = picture(runs.running(bad=900)).rate
    text = [plain(line) for line in rate_lines(rate, 6000, 60, 20)]
    assert "× " in text[0] and "errors" in text[0]
    assert any("×" in line for line in text[1:])


def test_words_shrink_before_they_are_cut():
    latency = picture(runs.finished()).latency
    assert latency is not None
    wide, narrow = (plain(latency_lines(latency, width, 1)[0]) for width in (60, 36))
    assert "p99 6.16 ms" in wide
    assert narrow.rstrip().endswith("ms") and "p99 6.2" in narrow


def test_an_invalid_quantity_says_so():
    rate = replace(picture(runs.finished()).rate, void="the load generator was the limit")
    assert plain(rate_words(rate, 60)).startswith(" ✗ ")
    assert "invalid: the load generator was the limit" in plain(rate_lines(rate, 6000, 60, 20)[1])


def test_sections_stand_below_their_bars():
    rate = picture(runs.finished()).rate
    row = plain(section_row(rate, 100))
    assert len(row) == 100
    for section in rate.sections:
        start = round((section.start - rate.start) / (rate.end - rate.start) * 100)
        assert start <= row.index(section.label) <= start + 3


def test_axis_labels():
    assert [short_number(value) for value in (500, 1500, 6000, 2_000_000)] == ["500", "1.5k", "6k", "2M"]
    assert [tick_label(value) for value in (5e-6, 0.0005, 0.02, 5)] == ["5 µs", "0.5 ms", "20 ms", "5 s"]


def test_a_profile_row_tells_state_without_colour(rows):
    texts = [plain(row_line(row, i + 1, 34, selected=i == 0, running=i == 1)) for i, row in enumerate(rows)]
    assert texts[0].startswith("▸1 gunicorn, sync")
    assert [text[-2] for text in texts] == [" ", "●", "▲", "✗"]
    assert {len(text) for text in texts} == {34}


def test_what_is_missing_comes_first(rows):
    lines = [plain(line) for line in fact_lines(rows[2], 38)]
    assert lines[0] == "▲ needs nginx: apt install nginx"
    assert any(line.startswith("stack") for line in lines)
