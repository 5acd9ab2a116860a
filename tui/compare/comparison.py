"""Variants side by side: every variant against the first one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from tui import __version__
from tui.compare.quantities import QUANTITIES
from tui.compare.schema import (
    Cell,
    Comparison,
    Difference,
    Outcome,
    QuantityName,
    Row,
    VariantPart,
    VariantSamples,
)
from tui.compare.sentences import sentence
from tui.compare.statistics import (
    FEWEST,
    Interval,
    difference_interval,
    holm,
    median_interval,
    rank_test,
    relative,
)
from tui.compare.unlike import in_a_row, same, unlike

SIGNIFICANT = 0.05
METHOD = (
    "A sample is one fresh run of a stack: the median over its rounds. From six runs of each variant on, intervals are "
    "95 % bootstrap intervals (of the medians, and of their relative difference); below that they are the range. A "
    "verdict of more or less needs a rank test's p below 0.05 (Mann-Whitney, two-sided, corrected by Holm: the primary "
    "quantity over the variants, the others over all of them) and an interval of the difference without 0."
)


@dataclass(frozen=True, slots=True)
class Tested:
    """One quantity of two variants, compared without any correction."""

    fraction: float | None = None
    interval: Interval | None = None
    p: float | None = None


def compare(variants: Sequence[VariantSamples], primary: QuantityName = "rate") -> Comparison:
    """Compare two or more variants, each with the first. Differences are fractions, of medians."""
    order = [primary, *(name for name in QUANTITIES if name != primary)]
    tests = {name: [_test(variants[0], variant, name) for variant in variants[1:]] for name in order}
    corrected = _corrected(tests, primary)
    rows = tuple(
        Row(
            quantity=name,
            title=QUANTITIES[name].title,
            unit=QUANTITIES[name].unit,
            better=QUANTITIES[name].better,
            primary=name == primary,
            cells=tuple(_cell(variant, name) for variant in variants),
            differences=(
                None,
                *(difference(test, p) for test, p in zip(tests[name], corrected[name], strict=True)),
            ),
        )
        for name in order
    )
    labels = [variant.label for variant in variants]
    return Comparison(
        stackdyno=__version__,
        variants=tuple(_variant(variant) for variant in variants),
        rows=rows,
        sentences=tuple(
            sentence(rows, place, labels, same=same(variants[0], variants[place]))
            for place in range(1, len(variants))
        ),
        warnings=(*_short(variants, rows[0]), *_allowed(variants), *in_a_row(variants), *unlike(variants)),
        method=METHOD,
    )


def _variant(variant: VariantSamples) -> VariantPart:
    titles = dict.fromkeys(sample.title for sample in variant.samples)
    return VariantPart(
        label=variant.label,
        title=", ".join(titles),
        runs=len(variant.samples),
        records=tuple(sample.record for sample in variant.samples),
    )


def _known(variant: VariantSamples, quantity: QuantityName) -> list[float]:
    return [value for sample in variant.samples if (value := sample.values.get(quantity)) is not None]


def _cell(variant: VariantSamples, quantity: QuantityName) -> Cell:
    known = _known(variant, quantity)
    enough = len(known) >= FEWEST
    low, high = (None, None) if not known else median_interval(known) if enough else (min(known), max(known))
    reasons = dict.fromkeys(
        sample.reasons[quantity] for sample in variant.samples if quantity in sample.reasons
    )
    missing = len(variant.samples) - len(known)
    reason = None
    if missing:
        reason = "; ".join(reasons) or "not measured"
        if known:
            reason = f"{missing} of {len(variant.samples)} runs without: {reason}"
    return Cell(
        runs=len(known),
        median=median(known) if known else None,
        low=low,
        high=high,
        interval="95 %" if enough else "range",
        values=tuple(sample.values.get(quantity) for sample in variant.samples),
        reason=reason,
    )


def _test(first: VariantSamples, other: VariantSamples, quantity: QuantityName) -> Tested:
    ours, theirs = _known(first, quantity), _known(other, quantity)
    if not ours or not theirs:
        return Tested()
    if min(ours) == 0:
        return Tested()  # no percentage of nothing
    fraction = relative(median(ours), median(theirs))
    if min(len(ours), len(theirs)) < FEWEST:
        return Tested(fraction)
    return Tested(fraction, difference_interval(ours, theirs), rank_test(ours, theirs))


def _corrected(
    tests: dict[QuantityName, list[Tested]], primary: QuantityName
) -> dict[QuantityName, list[float | None]]:
    """Every p: those of the primary quantity are corrected as one family, all others as another."""
    corrected: dict[QuantityName, list[float | None]] = {
        name: [None] * len(tested) for name, tested in tests.items()
    }
    for family in ([primary], [name for name in tests if name != primary]):
        made = [
            (name, place, test.p)
            for name in family
            for place, test in enumerate(tests[name])
            if test.p is not None
        ]
        for (name, place, _), p in zip(made, holm([p for _, _, p in made]), strict=True):
            corrected[name][place] = p
    return corrected


def difference(test: Tested, corrected: float | None) -> Difference:
    """The verdict: more or less needs both a corrected p below ``SIGNIFICANT`` and an interval without 0."""
    outcome: Outcome | None = None
    if test.fraction is not None and test.interval is not None and corrected is not None:
        low, high = test.interval
        certain = corrected < SIGNIFICANT and not low <= 0 <= high
        outcome = "can't tell" if not certain else "more" if test.fraction > 0 else "less"
    return Difference(
        fraction=test.fraction,
        low=test.interval[0] if test.interval else None,
        high=test.interval[1] if test.interval else None,
        p=test.p,
        p_corrected=corrected,
        outcome=outcome,
    )


def _short(variants: Sequence[VariantSamples], primary: Row) -> list[str]:
    """A line if a variant has too few runs for a verdict."""
    few = []
    for variant, cell in zip(variants, primary.cells, strict=True):
        if cell.runs < FEWEST:
            of = f" of {len(variant.samples)} usable" if cell.runs < len(variant.samples) else ""
            few.append(f"{variant.label} has {cell.runs}{of}")
    return [f"no verdict with fewer than six runs of each variant: {', '.join(few)}"] if few else []


def _allowed(variants: Sequence[VariantSamples]) -> list[str]:
    """A line for each finding that would have invalidated values of a variant."""
    lines = []
    for variant in variants:
        for code in dict.fromkeys(code for sample in variant.samples for code in sample.allowed):
            starts = sum(code in sample.allowed for sample in variant.samples)
            of = f"{starts} of {len(variant.samples)} runs"
            lines.append(f"{variant.label}: {code} was allowed, so what it invalidates in {of} still counts")
    return lines
