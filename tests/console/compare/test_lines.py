"""What a comparison says in words and figures, and its charts, as plain text."""

from __future__ import annotations

import pytest

from tests.support import comparisons
from tui.compare import words
from tui.compare.evidence import VariantEvidence
from tui.compare.schema import Cell
from tui.console.compare.charts import bars_lines, curve, latency_lines, memory_lines, rate_lines
from tui.console.compare.lines import (
    answer_lines,
    head_line,
    page_line,
    table_lines,
    table_title,
    whole_text,
)
from tui.console.drawing.lines import Line, plain, width_of
from tui.load.result import Times

WIDTHS = (30, 78, 110, 156)


def text(lines: list[Line]) -> str:
    return "\n".join(map(plain, lines))


def pieces(lines: list[Line], style: str) -> list[str]:
    return [text.strip() for line in lines for name, text in line if name == style]


def row_of(lines: list[Line], title: str) -> str:
    return next(plain(line) for line in lines if plain(line).startswith(title))


def test_two_variants_are_side_by_side_with_their_difference() -> None:
    lines = table_lines(comparisons.comparison(2), 156)
    assert row_of(lines, "requests/s").split() == (
        [
            "requests/s",
            "4,812",
            "4,716–4,908",
            "5,678",
            "5,565–5,792",
            "✓",
            "better",
            "+18",
            "%",
            "+16",
            "to",
            "+20",
        ]
    )
    assert plain(lines[0]).split() == ["A", "gunicorn-sync", "B", "gunicorn-preload", "B", "against", "A"]


def test_better_and_worse_are_told_by_a_sign_and_not_by_more_or_less() -> None:
    lines = table_lines(comparisons.comparison(3), 78)
    good, bad = pieces(lines, "good"), pieces(lines, "warning")
    assert "✓   +18 %" in good, "more requests are better"
    assert "✓   −15 %" in good, "a shorter p99 is better"
    assert "▼  −9.0 %" in bad, "fewer requests are worse"
    assert "▼  +9.9 %" in bad, "a longer p99 is worse"


def test_what_cannot_be_told_is_quiet() -> None:
    lines = table_lines(comparisons.comparison(4), 156)
    assert "≈  +0.5 %" in pieces(lines, "quiet")


def test_below_six_runs_there_is_a_range_and_no_verdict() -> None:
    made = comparisons.comparison(2, runs=3)
    lines = table_lines(made, 156)
    assert "no verdict" in row_of(lines, "requests/s")
    assert not {"✓", "▼", "≈"} & set(text(lines))
    assert table_title(made) == "Median of 3 runs per variant, with range"


def test_a_blank_cell_has_its_reason_below() -> None:
    lines = table_lines(comparisons.comparison(2, invalid=True), 156)
    assert "–¹" in row_of(lines, "p99")
    assert "–¹" in row_of(lines, "p50")
    assert "412 ms²" in row_of(lines, "cold start")
    assert plain(lines[-2]) == "¹ p50, p99 of B: latency invalid: the load generator used 97 % of its CPU"
    assert plain(lines[-1]) == "² cold start of A: 5 of 6 runs: one had no cold start"


@pytest.mark.parametrize("variants", [2, 3, 4, 5])
@pytest.mark.parametrize("width", WIDTHS)
def test_every_width_has_all_variants_and_quantities(variants: int, width: int) -> None:
    made = comparisons.comparison(variants, warnings=["unlike kernels"], invalid=True)
    lines = table_lines(made, width)
    assert max(map(width_of, [*lines, *answer_lines(made, width, 40), head_line(made, width)])) <= width
    if width >= 78:
        assert all(letter in plain(lines[0]) for letter in "ABCDE"[:variants])
        assert all(row.title in text(lines) for row in made.rows)
        medians = ["4,812", "5,678", "4,379", "4,836", "6,833"][:variants]
        assert all(median in text(lines) for median in medians)


def test_the_answer_comes_first_with_its_sign_then_the_warnings() -> None:
    lines = answer_lines(comparisons.comparison(4, warnings=["unlike kernels"]), 150, 20)
    assert [plain(line)[:1] for line in lines] == ["✓", "▼", "≈", "▲"]
    few = answer_lines(comparisons.comparison(4, warnings=["unlike kernels"]), 150, 3)
    assert plain(few[-1]) == "  … 2 more lines: i shows them"
    assert len(few) == 3


def test_words_have_everything() -> None:
    made = comparisons.comparison(3, warnings=["unlike kernels"])
    said = whole_text(made)
    assert all(part in said for part in (*made.sentences, "▲ unlike kernels", made.method, "run-2-5"))


def test_numbers() -> None:
    assert [words.per_cent(value) for value in (0.1, -0.008, 0.0003, 1.5)] == [
        "+10 %",
        "−0.8 %",
        "0.0 %",
        "+150 %",
    ]
    cell = Cell(runs=6, median=1e-3, low=980e-6, high=1.02e-3, interval="95 %", values=())
    assert words.interval(cell, "s") == "980 µs–1.02 ms"


def test_the_page_that_is_shown_is_set_off() -> None:
    assert [name for style, name in page_line(("table", "bars"), 1, 78) if style == "chosen"] == [" 2 bars "]


@pytest.mark.parametrize("variants", [2, 3, 4, 5])
@pytest.mark.parametrize("width", [60, 74, 156])
def test_bars_start_at_zero_and_carry_their_interval(variants: int, width: int) -> None:
    lines = bars_lines(comparisons.comparison(variants), width, 17)
    assert max(map(width_of, lines)) <= width
    assert len(lines) <= 18
    for title in ("requests/s", "p50", "p99", "CPU per request", "memory", "cold start"):
        assert title in text(lines)


def test_a_bar_is_as_long_as_its_median_and_a_whisker_as_its_interval() -> None:
    lines = bars_lines(comparisons.comparison(2), 60, 40)
    first = next(i for i, line in enumerate(lines) if plain(line).startswith("cold start"))
    slower = plain(lines[first + 2])
    whisker = slower[slower.index("├") : slower.index("┤") + 1]
    assert whisker.count("┼") == 1
    room = 60 - 12
    assert slower.index("┼") - 2 == pytest.approx(room * 549.3 / 659.2, abs=1)
    assert slower.index("├") - 2 == pytest.approx(room * 439.5 / 659.2, abs=1)


def test_a_variant_without_a_value_has_no_bar() -> None:
    lines = bars_lines(comparisons.comparison(2, invalid=True), 60, 40)
    first = next(i for i, line in enumerate(lines) if plain(line).startswith("p99"))
    assert plain(lines[first + 2]).split() == ["B", "–"]


def test_latencies_lie_over_each_other_each_with_its_own_line() -> None:
    lines = latency_lines(comparisons.evidence(3), 76, 18)
    assert len(lines) == 18
    legend = text(lines[:3])
    assert "━━━ A p50 1.93 ms" in legend and "─── B p50 1.62 ms" in legend and "═══ C p50" in legend
    drawn = text(lines[3:-2])
    assert {"┃", "│", "║"} <= set(drawn)
    assert "1 ms" in plain(lines[-1])


def test_the_tallest_of_each_variant_is_about_as_high() -> None:
    """As a share of its answers: a variant with few answers isn't flattened by one with many."""
    few, many = comparisons.evidence(2)
    weighted = VariantEvidence(
        many.label, many.latency + many.latency + many.latency, many.rates, 0, many.workers
    )
    assert text(latency_lines((few, weighted), 76, 18)[2:]) == text(latency_lines((few, many), 76, 18)[2:])


def test_a_curve_joins_its_levels() -> None:
    cells = dict(curve([0, 0.5, 1.0, 1.0, 0.5, 0], 3, "─│╭╮╰╯"))
    rows = ["".join(cells.get((x, y), " ") for x in range(6)) for y in (2, 1, 0)]
    assert rows == ["  ╭─╮ ", " ╭╯ ╰╮", " │   │"]


def test_without_an_answer_there_is_a_word_for_it() -> None:
    none = VariantEvidence("a", Times(), (), 0, ())
    for draw in (latency_lines, rate_lines, memory_lines):
        (line,) = draw((none, none), 70, 10)
        assert plain(line).strip()
    mixed = (*comparisons.evidence(1), none)
    assert "no valid latency" in text(latency_lines(mixed, 76, 16))
    assert rate_lines(mixed, 76, 16) and memory_lines(mixed, 76, 16)


def test_rates_are_on_one_scale_with_the_pauses_between_rounds() -> None:
    lines = rate_lines(comparisons.evidence(2), 76, 17)
    heads = [plain(line).strip() for line in lines if "run" in plain(line)]
    assert heads == ["A gunicorn-sync  run 4 of 6", "B gunicorn-preload  run 4 of 6"]
    tops = [plain(line).split()[0] for line in lines if "┤" in plain(line)]
    assert len(set(tops)) == 1 and len(tops) == 2
    floor = plain(lines[-3])[6:]
    assert floor.strip("█").count(" ") > 0, "there is a pause"


def test_processes_stand_variant_by_variant_on_one_scale() -> None:
    lines = memory_lines(comparisons.evidence(2), 76, 12)
    assert "A gunicorn-sync  PSS" in plain(lines[0]) and "B gunicorn-preload  PSS" in plain(lines[0])
    master = plain(lines[1])
    assert master.startswith("master") and "█" in master and "░" in master


def test_processes_that_have_no_room_are_counted() -> None:
    lines = memory_lines(comparisons.evidence(2), 76, 4)
    assert plain(lines[-1]).split() == ["…", "3", "more", "…", "3", "more"]


def test_memory_that_could_not_be_read_is_not_zero() -> None:
    variant = VariantEvidence("a", Times(), (), 0, (("worker", 1, None, None, None),))
    assert plain(memory_lines((variant, variant), 76, 4)[1]).split() == ["worker", "n/a", "n/a"] * 2
