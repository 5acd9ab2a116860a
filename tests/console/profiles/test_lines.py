"""Profiles as lines of a given width."""

from __future__ import annotations

from tui.console.drawing.lines import plain
from tui.console.profiles.lines import fact_lines, row_line


def test_a_profile_row_tells_state_without_colour(rows):
    texts = [plain(row_line(row, i + 1, 34, selected=i == 0, running=i == 1)) for i, row in enumerate(rows)]
    assert texts[0].startswith("▸1 gunicorn, sync")
    assert [text[-2] for text in texts] == [" ", "●", "▲", "✗"]
    assert {len(text) for text in texts} == {34}


def test_what_is_missing_comes_first(rows):
    lines = [plain(line) for line in fact_lines(rows[2], 38)]
    assert lines[0] == "▲ needs nginx: apt install nginx"
    assert any(line.startswith("stack") for line in lines)
