"""Text of others can be shown, and nothing of it is obeyed."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from tests.support.hostile import HOSTILE, assert_harmless
from tui.system.text import LONGEST, bounded, in_one_line, printable


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("plain text, ümläute, 日本語, 👩‍💻", "plain text, ümläute, 日本語, 👩‍💻"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[2Jcleared", "␛[2Jcleared"),
        ("\x1b]0;title\x07", "␛]0;title␇"),
        ("\x9b2J", "�2J"),
        ("abc\u202egpj", "abc�gpj"),
        ("a\tb", "a       b"),
        ("one\r\ntwo\rthree", "one\ntwo␍three"),
        ("\x7f\x00", "␡␀"),
        ("\ud800\udcff", "��"),
    ],
)
def test_what_is_shown(raw: str, shown: str) -> None:
    assert printable(raw) == shown


def test_no_character_that_commands_is_left() -> None:
    everything = "".join(map(chr, range(sys.maxunicode + 1)))
    shown = printable(everything)
    assert_harmless(shown)
    kept = {unicodedata.category(character) for character in shown if not character.isprintable()}
    assert not kept & {"Cc", "Cs", "Zl", "Zp"} - {"Cc"} and "\x1b" not in shown
    assert_harmless(printable(HOSTILE))


def test_it_can_be_shown_again() -> None:
    assert printable(printable(HOSTILE)) == printable(HOSTILE)


def test_a_name_begins_no_line_of_its_own() -> None:
    assert in_one_line("worker\nstackdyno: good") == "worker␊stackdyno: good"


def test_lines_are_bounded() -> None:
    short, long = bounded("a\n" + "b" * (LONGEST + 1)).split("\n")
    assert (short, len(long), long[-1]) == ("a", LONGEST, "…")
