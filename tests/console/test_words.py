"""Numbers and facts in words."""

from __future__ import annotations

from typing import Any

import pytest

from tui.console.words import age, clock, load_words, megabytes, rounds_words, time_words, two_digits
from tui.profile.models import Load


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


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"connections": 16, "requests": 50}, "16 connections, closed loop, no keep-alive"),
        (
            {"connections": 1, "requests": 5, "rate": 1500, "arrivals": "poisson", "keepalive": True},
            "1 connection, open loop at 1,500 req/s (Poisson), keep-alive",
        ),
        ({"mode": "none", "duration": "3s"}, "none: the stack is only watched"),
        ({"command": ["wrk", "-c4"]}, "external generator: wrk -c4"),
    ],
)
def test_a_load_in_words(keys: dict[str, Any], words: str) -> None:
    assert load_words(Load.model_validate(keys)) == words


def test_rounds_of_a_command_have_no_bound() -> None:
    assert rounds_words(3, None, None) == "3 rounds"
    assert rounds_words(1, None, 2.0) == "1 round of 2 s"
