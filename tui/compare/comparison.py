"""Sides beside each other: every side against the first one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from tui import __version__
from tui.compare.quantities import QUANTITIES
from tui.compare.schema import (
    SCHEMA,
    Cell,
    Comparison,
    Difference,
    Outcome,
    QuantityName,
    Row,
    Side,
    SidePart,
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
    "A sample is one fresh start of a stack: the median over its rounds. From six starts a side on, intervals are 95 % "
    "bootstrap intervals (of the medians, and of their relative difference), below that the range. More and less are "
    "told when the rank test's p (Mann-Whitney, two-sided, corrected by Holm: the primary quantity over the sides, the "
    "others over all of them) is below 0.05 and the interval of the difference doesn't hold 0."
)


@dataclass(frozen=True, slots=True)
class Tested:
    """One quantity of one side against another's, before any correction."""

    fraction: float | None = None
    interval: Interval | None = None
    p: float | None = None


def compare(sides: Sequence[Side], primary: QuantityName = "rate") -> Comparison:
    """Compare two sides or more, each with the first. Differences are of medians, and fractions."""
    order = [primary, *(name for name in QUANTITIES if name != primary)]
    tests = {name: [_test(sides[0], side, name) for side in sides[1:]] for name in order}
    corrected = _corrected(tests, primary)
    rows = tuple(
        Row(
            quantity=name,
            title=QUANTITIES[name].title,
            unit=QUANTITIES[name].unit,
            better=QUANTITIES[name].better,
            primary=name == primary,
            cells=tuple(_cell(side, name) for side in sides),
            differences=(
                None,
                *(difference(test, p) for test, p in zip(tests[name], corrected[name], strict=True)),
            ),
        )
        for name in order
    )
    labels = [side.label for side in sides]
    return Comparison(
        schema=SCHEMA,
        stackdyno=__version__,
        sides=tuple(_side(side) for side in sides),
        rows=rows,
        sentences=tuple(
            sentence(rows, place, labels, same=same(sides[0], sides[place])) for place in range(1, len(sides))
        ),
        warnings=(*_short(sides, rows[0]), *_allowed(sides), *in_a_row(sides), *unlike(sides)),
        method=METHOD,
    )


def _side(side: Side) -> SidePart:
    titles = dict.fromkeys(sample.title for sample in side.samples)
    return SidePart(
        label=side.label,
        title=", ".join(titles),
        starts=len(side.samples),
        records=tuple(sample.record for sample in side.samples),
    )


def _known(side: Side, quantity: QuantityName) -> list[float]:
    return [value for sample in side.samples if (value := sample.values.get(quantity)) is not None]


def _cell(side: Side, quantity: QuantityName) -> Cell:
    known = _known(side, quantity)
    enough = len(known) >= FEWEST
    low, high = (None, None) if not known else median_interval(known) if enough else (min(known), max(known))
    reasons = dict.fromkeys(sample.reasons[quantity] for sample in side.samples if quantity in sample.reasons)
    missing = len(side.samples) - len(known)
    reason = None
    if missing:
        reason = "; ".join(reasons) or "not measured"
        if known:
            reason = f"{missing} of {len(side.samples)} starts without: {reason}"
    return Cell(
        starts=len(known),
        median=median(known) if known else None,
        low=low,
        high=high,
        interval="95 %" if enough else "range",
        values=tuple(sample.values.get(quantity) for sample in side.samples),
        reason=reason,
    )


def _test(first: Side, other: Side, quantity: QuantityName) -> Tested:
    ours, theirs = _known(first, quantity), _known(other, quantity)
    if not ours or not theirs:
        return Tested()
    if min(ours) == 0:
        return Tested()  # a share of nothing
    fraction = relative(median(ours), median(theirs))
    if min(len(ours), len(theirs)) < FEWEST:
        return Tested(fraction)
    return Tested(fraction, difference_interval(ours, theirs), rank_test(ours, theirs))


def _corrected(
    tests: dict[QuantityName, list[Tested]], primary: QuantityName
) -> dict[QuantityName, list[float | None]]:
    """Every p, the primary quantity's corrected among themselves and all others among themselves."""
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


def _short(sides: Sequence[Side], primary: Row) -> list[str]:
    """A line where a side has too few starts for a verdict."""
    few = []
    for side, cell in zip(sides, primary.cells, strict=True):
        if cell.starts < FEWEST:
            of = f" of {len(side.samples)} usable" if cell.starts < len(side.samples) else ""
            few.append(f"{side.label} has {cell.starts}{of}")
    return [f"no verdict with fewer than six starts a side: {', '.join(few)}"] if few else []


def _allowed(sides: Sequence[Side]) -> list[str]:
    """A line for each finding that would have made values of a side void."""
    lines = []
    for side in sides:
        for code in dict.fromkeys(code for sample in side.samples for code in sample.allowed):
            starts = sum(code in sample.allowed for sample in side.samples)
            of = f"{starts} of {len(side.samples)} starts"
            lines.append(
                f"{side.label}: {code} was allowed, so what it makes void in {of} counts all the same"
            )
    return lines
