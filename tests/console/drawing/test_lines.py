"""Text that is fitted, cut and wrapped."""

from __future__ import annotations

from tui.console.drawing.lines import clip, fit, joined, plain, right, shorten, spread, width_of, wrapped


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
