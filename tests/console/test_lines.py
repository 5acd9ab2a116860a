"""Text that is fitted, cut and wrapped."""

from __future__ import annotations

import pytest

from tui.console.drawing.lines import clip, fit, joined, plain, right, shorten, spread, width_of, wrapped
from tui.console.words import age, clock, megabytes, time_words, two_digits


def test_fit_is_exact():
    assert fit("abc", 5) == "abc  "
    assert fit("abcdef", 5) == "abcd…"
    assert fit("abc", 0) == ""


def test_wide_characters_count_twice():
    assert width_of((("plain", fit("日本語です", 7)),)) == 7
    assert right("日本", 6) == "  日本"


def test_clip_says_that_something_is_missing():
    line = (("plain", "good"), ("quiet", " answers"))
    assert plain(clip(line, 12)) == "good answers"
    assert plain(clip(line, 8)) == "good an…"
    assert plain(clip((("plain", "abcd"), ("quiet", "ef")), 4)) == "abc…"


def test_spread_keeps_the_right_end():
    line = spread((("plain", "a long title"),), (("quiet", "4 %"),), 12)
    assert plain(line) == "a long … 4 %"


def test_wrapped_never_leaves_its_width():
    lines = wrapped("one twothree_is_a_very_long_word four", 10, first="- ", rest="  ")
    assert all(width_of(line) <= 10 for line in lines)
    assert "".join("".join(plain(line).split()) for line in lines) == "-onetwothree_is_a_very_long_wordfour"


def test_joined_leaves_out_what_is_empty():
    assert plain(joined(((("plain", "a"),), (), (("plain", "b"),)))) == "a · b"


def test_shorten_leaves_short_text_alone():
    assert shorten("abc", 9) == "abc"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(9, "9 s"), (125, "125 s"), (1020, "17 min"), (11_520, "3.2 h"), (1_036_800, "12 d")],
)
def test_age_fits_six_cells(seconds: float, words: str):
    assert age(seconds) == words
    assert len(words) <= 6


def test_times_in_words():
    assert time_words(2.0) == "2 s"
    assert time_words(0.5) == "500 ms"
    assert time_words(2.5) == "2.5 s"
    assert clock(9.84) == "9.8 s"
    assert clock(125) == "2 min 5 s"
    assert [two_digits(value) for value in (0.0019, 0.031, 1.234, 12.3, 0.00005)] == [
        "1.9 ms",
        "31 ms",
        "1.2 s",
        "12 s",
        "50 µs",
    ]


def test_memory_has_one_unit_and_says_when_it_was_not_measured():
    assert megabytes(1_234_500_000) == "1,234.5 MB"
    assert megabytes(None) == "n/a"
