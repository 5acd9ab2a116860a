"""Workers, charts and rounds as lines of a given width."""

from __future__ import annotations

from dataclasses import replace

import pytest
from textual.app import App

from tests.support import recorded_runs as runs
from tests.support.console import frame_after
from tui.console.drawing.lines import plain, width_of
from tui.console.run.load_lines import latency_lines, rate_lines, rate_words, round_lines, section_row
from tui.console.run.panels import RoundTable
from tui.console.run.stack_lines import columns_for, table_lines, totals_line
from tui.console.run.stack_view import Workers

WIDTHS = (36, 58, 78, 98, 118, 198)


@pytest.mark.parametrize("width", WIDTHS)
def test_workers_never_leave_their_width(width: int):
    lines = table_lines(frame_after(runs.running()).workers, width)
    assert len(lines) == 7
    assert all(width_of(line) <= width for line in lines)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("height", [1, 3, 6, 9, 30])
def test_charts_fill_their_room_and_no_more(width: int, height: int):
    frame = frame_after(runs.running())
    assert frame.latency is not None
    for lines in (rate_lines(frame.rate, 6000, width, height), latency_lines(frame.latency, width, height)):
        assert len(lines) <= height
        assert all(width_of(line) <= width for line in lines)


def test_columns_go_when_the_room_does():
    assert set(columns_for(118)) > set(columns_for(78)) > set(columns_for(40))
    assert {"pid", "role", "cpu", "rss", "pss", "uss", "bar"} <= set(columns_for(78))


def test_the_bar_shows_private_and_shared_on_one_scale():
    workers = frame_after(runs.finished()).workers
    lines = [plain(line) for line in table_lines(workers, 118)[1:]]
    scale = max(row.private + row.shared for row in workers.rows)
    room = max(line.count("█") + line.count("░") for line in lines)
    for row, line in zip(workers.rows, lines, strict=True):
        assert line.count("█") == max(1, round(row.private / scale * room))
        assert line.count("█") + line.count("░") == round((row.private + row.shared) / scale * room)


def test_a_replaced_worker_is_seen_at_both_sizes():
    for width in (78, 118):
        text = "\n".join(plain(line) for line in table_lines(frame_after(runs.running()).workers, width))
        assert "worker new" in text and "worker SIGKILL" in text


def test_only_the_rows_on_the_page_are_laid_out_and_on_the_same_scale():
    workers = frame_after(runs.finished()).workers
    assert table_lines(workers, 118, slice(2, 4))[1:] == table_lines(workers, 118)[3:5]


def served(workers: Workers) -> Workers:
    """The same with a status page of the workers, and one of a front."""
    rows = tuple(replace(row, requests="14,280") for row in workers.rows)
    busy, others = ("busy 3 of 4",), ("38 of 50 connections busy",)
    return replace(workers, rows=rows, counted=True, busy=busy, others=others)


def test_requests_are_a_column_only_where_something_counts_them():
    workers = frame_after(runs.finished()).workers
    assert "requests" not in plain(table_lines(workers, 118)[0])
    head, first, *_ = (plain(line) for line in table_lines(served(workers), 118))
    assert head.endswith(" requests") and first.endswith(" 14,280")


@pytest.mark.parametrize("width", WIDTHS)
def test_workers_with_requests_never_leave_their_width(width: int):
    assert all(
        width_of(line) <= width for line in table_lines(served(frame_after(runs.running()).workers), width)
    )


def test_who_is_busy_stands_with_who_is_alive():
    text = plain(totals_line(served(frame_after(runs.finished()).workers)))
    assert text.startswith("4 of 4 · busy 3 of 4 · memory ")
    assert text.endswith(" · 38 of 50 connections busy")


def test_totals():
    text = plain(totals_line(frame_after(runs.finished()).workers))
    assert text.startswith("4 of 4 · memory ")
    assert "sharing saves" in text and "idle" in text
    assert "memory n/a (of another user: needs root)" in plain(
        totals_line(frame_after(runs.external(), running=True).workers)
    )


def test_missing_workers_are_marked():
    workers = replace(frame_after(runs.finished()).workers, alive=3)
    assert totals_line(workers)[0] == ("warning", "3 of 4")


def test_errors_have_a_glyph_in_words_and_in_the_chart():
    rate = frame_after(runs.running(bad=900)).rate
    text = [plain(line) for line in rate_lines(rate, 6000, 60, 20)]
    assert "× " in text[0] and "errors" in text[0]
    assert any("×" in line for line in text[1:])


def test_words_shrink_before_they_are_cut():
    latency = frame_after(runs.finished()).latency
    assert latency is not None
    wide, narrow = (plain(latency_lines(latency, width, 1)[0]) for width in (60, 36))
    assert "p99 6.16 ms" in wide
    assert narrow.rstrip().endswith("ms") and "p99 6.2" in narrow


def test_an_invalid_quantity_says_so():
    rate = replace(frame_after(runs.finished()).rate, invalid="the load generator was the limit")
    assert plain(rate_words(rate, 60)).startswith(" ✗ ")
    assert "invalid: the load generator was the limit" in plain(rate_lines(rate, 6000, 60, 20)[1])


def test_sections_stand_below_their_bars():
    rate = frame_after(runs.finished()).rate
    row = plain(section_row(rate, 100))
    assert len(row) == 100
    for section in rate.sections:
        start = round((section.start - rate.start) / (rate.end - rate.start) * 100)
        assert start <= row.index(section.label) <= start + 3


@pytest.mark.parametrize("width", [78, 98, 118, 198])
def test_rounds_never_leave_their_width_and_lose_their_columns_in_order(width: int):
    head, *rows = [
        plain(line) for line in round_lines(frame_after(runs.finished()).rounds, width, 9, external=False)
    ]
    assert len(rows) == 4
    assert max(map(len, [head, *rows])) <= width
    kept = ["req/s", "errors", "p50", "p90", "p99"]
    assert head.split()[: len(kept)] == kept
    assert ("load CPU" in head) == (width >= 118)


async def test_a_round_table_that_is_drawn_drops_the_columns_of_answers_with_an_external_load():
    app: App[None] = App()
    async with app.run_test(size=(160, 9)) as pilot:
        table = RoundTable()
        await app.mount(table)
        table.rounds = frame_after(runs.finished()).rounds
        await pilot.pause()
        before = "".join(part.text for part in table.render_line(0))
        table.external = True
        await pilot.pause()
        after = "".join(part.text for part in table.render_line(0))
    assert "p99" in before and "errors" in before
    assert "p99" not in after and "errors" not in after and "req/s" in after
