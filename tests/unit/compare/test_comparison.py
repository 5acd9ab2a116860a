"""Verdicts, their sentences and their warnings."""

from __future__ import annotations

import random

import pytest

from tests.support.samples import noisy, sample, variant
from tui.compare.comparison import compare
from tui.compare.schema import Comparison, QuantityName, VariantSamples
from tui.compare.statistics import difference_interval, rank_test
from tui.compare.words import gaps


def of(comparison: Comparison, quantity: QuantityName):  # type: ignore[no-untyped-def]
    return next(row for row in comparison.rows if row.quantity == quantity)


def test_more_requests_with_less_memory_in_one_sentence() -> None:
    rates = [990.0, 995.0, 1000.0, 1002.0, 1005.0, 1010.0]
    first = variant("A", rates, memory=264e6)
    other = variant("B", [rate * 1.18 for rate in rates], first_minute=1, memory=165e6)
    found = compare([first, other])
    assert found.sentences == (
        "B serves 18 % more requests than A (95 %: 16.9 to 19.2) with 37.5 % less memory",
    )
    rate = of(found, "rate")
    assert rate.primary and found.rows[0] is rate
    assert rate.cells[0].median == 1001.0 and rate.cells[0].interval == "95 %"
    assert rate.differences[0] is None and rate.differences[1].fraction == pytest.approx(0.18)
    assert rate.differences[1].p == rate.differences[1].p_corrected == pytest.approx(2 / 924)
    assert rate.differences[1].outcome == "more"
    memory = of(found, "memory")
    assert memory.differences[1].p_corrected == pytest.approx(5 * 2 / 924)
    assert memory.differences[1].outcome == "less"
    assert found.warnings == ()


def test_fewer_requests_and_a_longer_p99() -> None:
    found = compare(
        [
            variant("A", noisy(1000, 1), p99=0.010),
            variant("B", noisy(700, 2), first_minute=1, p99=0.013),
        ]
    )
    assert found.sentences[0].startswith("B serves ")
    assert "fewer requests than A" in found.sentences[0]
    assert found.sentences[0].endswith("with a 30 % longer p99")


def test_noise_larger_than_the_difference() -> None:
    found = compare(
        [variant("A", noisy(1000, 1, noise=0.04)), variant("B", noisy(1004, 2, noise=0.04), first_minute=1)]
    )
    assert found.sentences[0].startswith("can't tell whether A or B serves more requests: the noise (±")
    assert "is larger than the difference (" in found.sentences[0]
    assert of(found, "rate").differences[1].outcome == "can't tell"


def test_can_not_tell_but_memory_can() -> None:
    found = compare(
        [
            variant("A", noisy(1000, 1, noise=0.04), memory=2e8),
            variant("B", noisy(1004, 2, noise=0.04), first_minute=1, memory=1e8),
        ]
    )
    assert found.sentences[0].startswith("can't tell whether A or B serves more requests")
    assert found.sentences[0].endswith("; B comes with 50 % less memory")


def test_a_thing_against_itself_gives_the_noise_floor() -> None:
    found = compare(
        [
            variant("A", noisy(1000, 1), identity="x"),
            variant("A (2)", noisy(1000, 2), identity="x", first_minute=1),
        ]
    )
    assert found.sentences[0].startswith("A differs from itself by ")
    assert found.sentences[0].endswith(" can't be detected here")


@pytest.mark.parametrize(
    ("version", "first_minute"), [("23.0", 1), ("20.1", 30)], ids=["another version", "one after the other"]
)
def test_a_profile_before_and_after_a_change_is_a_comparison(version: str, first_minute: int) -> None:
    """The same profile on both variants, but not the same circumstances: the answer is wanted, not the noise floor."""
    before = variant("before", noisy(1000, 1), identity="x", traits={"version of gunicorn": "20.1"})
    after = variant(
        "after",
        noisy(1180, 2),
        identity="x",
        traits={"version of gunicorn": version},
        first_minute=first_minute,
    )
    found = compare([before, after])
    assert (
        found.sentences[0].startswith("after serves ") and "more requests than before" in found.sentences[0]
    )
    assert found.warnings


def test_a_trait_that_is_not_known_of_a_variant_makes_it_no_other_thing() -> None:
    ours = variant("A", noisy(1000, 1), identity="x", traits={"kernel": "6.1", "body length": "14"})
    found = compare([ours, variant("A (2)", noisy(1000, 2), identity="x", first_minute=1)])
    assert found.sentences[0].startswith("A differs from itself by ")


def test_a_difference_from_itself_beyond_chance_is_told_as_that() -> None:
    found = compare(
        [
            variant("A", noisy(1000, 1), identity="x"),
            variant("A (2)", noisy(1100, 2), identity="x", first_minute=1),
        ]
    )
    assert found.sentences[0].endswith(
        "which is more than chance: something on this machine changes between the runs"
    )


@pytest.mark.parametrize("primary", ["rate", "cpu"])
def test_of_nothing_there_is_no_share(primary: QuantityName) -> None:
    """A short round's CPU time can be less than the kernel's tick."""
    first = variant("A", noisy(1000, 1), cpu=0.0)
    found = compare([first, variant("B", noisy(1180, 2), first_minute=1, cpu=0.0004)], primary)
    difference = of(found, "cpu").differences[1]
    assert difference.fraction is difference.p is difference.outcome is None
    assert "inf" not in found.sentences[0]
    assert gaps(found) == ["difference in CPU per request: it is 0 in a run of A, so there is no percentage"]
    if primary == "cpu":
        assert (
            found.sentences[0] == "can't tell: CPU per request is 0 in a run of A, so there is no percentage"
        )
    assert Comparison.model_validate_json(found.model_dump_json(by_alias=True)) == found


def test_a_figure_and_its_interval_are_rounded_alike() -> None:
    less, more = [131e6, 131.4e6, 131.2e6, 131.1e6, 131.3e6, 131.2e6], [453e6, 453.4e6, 453.1e6] * 2
    variants = [
        VariantSamples(
            label,
            tuple(sample(label, nth, memory=value, minute=2 * nth + at) for nth, value in enumerate(of_it)),
        )
        for at, (label, of_it) in enumerate((("A", less), ("B", more)))
    ]
    assert compare(variants, "memory").sentences == ("B takes 245 % more memory than A (95 %: 245 to 246)",)


def test_what_was_allowed_is_reported() -> None:
    variants = [
        variant("A", noisy(1000, 1)),
        variant("B", noisy(1180, 2), first_minute=1, allowed=("generator-saturated",)),
    ]
    assert compare(variants).warnings == (
        "B: generator-saturated was allowed, so what it invalidates in 6 of 6 runs still counts",
    )


def test_other_overrides_of_a_profile_are_not_the_same_thing() -> None:
    found = compare(
        [variant("A", noisy(1000, 1), identity="x"), variant("A,workers=4", noisy(1000, 2), identity="y")]
    )
    assert "itself" not in found.sentences[0]


def test_no_verdict_below_six_starts_a_variant() -> None:
    found = compare([variant("A", noisy(1000, 1, 6)), variant("B", noisy(2000, 2, 5), first_minute=1)])
    rate = of(found, "rate")
    assert rate.differences[1].outcome is None and rate.differences[1].p is None
    assert rate.cells[1].interval == "range"
    assert (rate.cells[1].low, rate.cells[1].high) == (min(rate.cells[1].values), max(rate.cells[1].values))
    assert found.sentences[0].startswith("no verdict: B serves ")
    assert found.sentences[0].endswith("more requests than A, from too few runs to tell")
    assert found.warnings == ("no verdict with fewer than six runs of each variant: B has 5",)


def test_starts_without_a_value_are_left_out_with_the_reason() -> None:
    void = {"rate": "rate invalid: errors"}
    other = variant("B", [None, *noisy(1200, 2, 6)], first_minute=1)
    other = VariantSamples(
        "B", (variant("B", [None], first_minute=1, reasons=void).samples[0], *other.samples[1:])
    )
    found = compare([variant("A", noisy(1000, 1, 7)), other])
    cell = of(found, "rate").cells[1]
    assert cell.runs == 6 and cell.values[0] is None
    assert cell.reason == "1 of 7 runs without: rate invalid: errors"
    assert of(found, "rate").differences[1].outcome == "more"


def test_a_variant_without_any_value_gives_no_verdict() -> None:
    void = {"rate": "rate invalid: no-good-answer"}
    found = compare([variant("A", noisy(1000, 1)), variant("B", [None] * 6, first_minute=1, reasons=void)])
    assert found.sentences == ("can't tell: B has no requests/s",)
    assert of(found, "rate").cells[1].reason == "rate invalid: no-good-answer"
    assert found.warnings == ("no verdict with fewer than six runs of each variant: B has 0 of 6 usable",)


def test_the_primary_quantity_is_the_first_row_and_the_subject() -> None:
    found = compare(
        [variant("A", noisy(1000, 1), memory=2e8), variant("B", noisy(1000, 2), first_minute=1, memory=1e8)],
        "memory",
    )
    assert found.rows[0].quantity == "memory" and found.rows[0].primary
    assert found.sentences[0].startswith("B takes 50 % less memory than A")
    assert of(found, "memory").differences[1].p_corrected == pytest.approx(2 / 924)


def test_several_variants_are_corrected_for_being_several() -> None:
    found = compare(
        [
            variant(name, noisy(rate, seed))
            for seed, (name, rate) in enumerate((("A", 1000.0), ("B", 1100.0), ("C", 1200.0)))
        ]
    )
    assert len(found.sentences) == 2
    assert [each.p_corrected for each in of(found, "rate").differences[1:]] == pytest.approx([4 / 924] * 2)
    assert of(found, "rate").differences[0] is None


def test_unlike_things_are_reported() -> None:
    ours = {"worker count": "2", "kernel": "6.1", "body length": "14", "version of nginx": "1.22"}
    theirs = {"worker count": "4", "kernel": "6.1", "body length": "14", "version of puma": "5.6"}
    found = compare(
        [
            variant("A", noisy(1000, 1), traits=ours),
            variant("B", noisy(1000, 2), traits=theirs, first_minute=1),
        ]
    )
    assert found.warnings == ("the variants differ in worker count: 2 (A), 4 (B)",)


def test_starts_of_one_variant_that_differ_are_reported() -> None:
    parts = [variant("A", [1000.0] * 3, traits={"kernel": kernel}).samples for kernel in ("6.1", "6.2")]
    found = compare(
        [VariantSamples("A", (*parts[0], *parts[1])), variant("B", noisy(1000, 2), traits={"kernel": "6.1"})]
    )
    assert "A: its runs differ in kernel: 6.1, 6.2" in found.warnings


def test_variants_in_a_row_are_reported() -> None:
    found = compare([variant("A", noisy(1000, 1)), variant("B", noisy(1000, 2), first_minute=30)])
    assert found.warnings == (
        "the variants were measured one after the other: a change of the machine meanwhile affects one of them",
    )


def test_a_verdict_needs_the_rank_test_and_the_interval() -> None:
    source = random.Random(4)
    for _ in range(8):
        first = [1000 * source.lognormvariate(0, 0.02) for _ in range(6)]
        other = [1025 * source.lognormvariate(0, 0.02) for _ in range(6)]
        low, high = difference_interval(first, other)
        told = rank_test(first, other) < 0.05 and not low <= 0 <= high
        found = of(compare([variant("A", first), variant("B", other, first_minute=1)]), "rate").differences[1]
        assert (found.outcome != "can't tell") == told
