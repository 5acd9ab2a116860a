"""The questions of a suite: how much one variant saves over another, or how much faster it is.

The statistics are those of a comparison: a run is a sample, and with six samples of each variant there is an interval
and a verdict. All questions of a suite use the same runs, so their p values are corrected for their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from tui.compare.comparison import Tested, difference
from tui.compare.sample import TOUCHED, sample_of
from tui.compare.schema import Difference
from tui.compare.sentences import between, percent
from tui.compare.statistics import FEWEST, difference_interval, holm, rank_test, relative
from tui.suite.cells import megabytes
from tui.suite.models import Quantity, SuiteQuestion
from tui.suite.schema import Answer, Measured
from tui.summary import units
from tui.summary.schema import Summary

_SAVED = ("saved", "more")
_WORDS: dict[Quantity, tuple[str, str]] = {
    "memory": _SAVED,
    "idle-memory": _SAVED,
    "cpu": _SAVED,
    "p50": ("shorter", "longer"),
    "p99": ("shorter", "longer"),
    "cold-start": ("shorter", "longer"),
}
"""The words for less of it and for more of it."""

Values = list[float]


def answers(questions: Sequence[SuiteQuestion], measured: Sequence[Measured]) -> tuple[Answer, ...]:
    """An answer to each question, or in plain words why there is none."""
    known = {each.label: each for each in measured}
    variants = [
        [
            _values(known.get(label, Measured(label)), question.quantity)
            for label in (question.of, question.over)
        ]
        for question in questions
    ]
    tests = [
        rank_test(over, of) if min(len(of), len(over)) >= FEWEST else None for (of, _), (over, _) in variants
    ]
    corrected = iter(holm([p for p in tests if p is not None]))
    return tuple(
        _answer(question, variant, p, None if p is None else next(corrected))
        for question, variant, p in zip(questions, variants, tests, strict=True)
    )


def _values(each: Measured, quantity: Quantity) -> tuple[Values, str | None]:
    """The values of the runs that have one, and why the others have none."""
    if not each.summaries and (each.lacking is None or each.lacking.startswith("not run")):
        return [], f"{each.label} was not run"
    values, reasons = [], [each.lacking] if each.lacking else []
    for summary in each.summaries:
        value, reason = _value(summary, quantity)
        if value is None:
            reasons.append(reason or "not measured")
        else:
            values.append(value)
    return values, f"{each.label}: {'; '.join(dict.fromkeys(reasons))}" if reasons else None


def _value(summary: Summary, quantity: Quantity) -> tuple[float | None, str | None]:
    touched = "memory" if quantity == "idle-memory" else TOUCHED.get(quantity)
    invalid = [
        each.code for each in summary.findings if each.severity == "invalid" and touched in each.quantities
    ]
    if invalid:
        return None, f"{touched} invalid: {', '.join(dict.fromkeys(invalid))}"
    if quantity == "idle-memory":
        return summary.memory.idle, None
    sample = sample_of(summary)
    return sample.values.get(quantity), sample.reasons.get(quantity)


def _answer(
    question: SuiteQuestion,
    variants: Sequence[tuple[Values, str | None]],
    p: float | None,
    corrected: float | None,
) -> Answer:
    (of, of_reason), (over, over_reason) = variants
    found: Difference | None = None
    if of and over and min(over) > 0:  # there is no percentage of nothing
        interval = difference_interval(over, of) if p is not None else None
        found = difference(Tested(relative(median(over), median(of)), interval, p), corrected)
    reasons = dict.fromkeys(reason for reason in (of_reason, over_reason) if reason)
    return Answer(
        text=question.text,
        quantity=question.quantity,
        of=question.of,
        over=question.over,
        of_value=median(of) if of else None,
        over_value=median(over) if over else None,
        fraction=_saved(found.fraction) if found else None,
        low=_saved(found.high) if found else None,
        high=_saved(found.low) if found else None,
        p_corrected=corrected,
        outcome=found.outcome if found else None,
        runs=(len(of), len(over)),
        sentence=_sentence(question.quantity, found, of, over)
        if found
        else f"no answer: {'; '.join(reasons) or 'it is 0 in a run of ' + question.over}",
    )


def _saved(fraction: float | None) -> float | None:
    """(over - of) / over from (of - over) / over."""
    return None if fraction is None else -fraction + 0.0


def _sentence(quantity: Quantity, found: Difference, of: Values, over: Values) -> str:
    against = f"{shown(quantity, median(of))} against {shown(quantity, median(over))}"
    sentence = f"{_size(quantity, found, median(of), median(over))}{between(found)}: {against}"
    if found.outcome is None:
        fewest = min(len(of), len(over))
        return f"{sentence}; {fewest} run{'' if fewest == 1 else 's'} per variant, so no verdict"
    return f"can't tell, this may be chance: {sentence}" if found.outcome == "can't tell" else sentence


def _size(quantity: Quantity, found: Difference, of: float, over: float) -> str:
    assert found.fraction is not None
    if found.fraction == 0:
        return "no difference"
    if quantity == "rate":
        word = "faster" if found.fraction > 0 else "slower"
        times = f", {of / over:.2f} times the rate" if over else ""
        return f"{percent(found.fraction, found)} {word}{times}"
    less, more = _WORDS[quantity]
    return f"{percent(found.fraction, found)} {less if found.fraction < 0 else more}"


def shown(quantity: Quantity, value: float) -> str:
    """A value with its unit."""
    if quantity == "rate":
        return f"{units.rate(value)} req/s"
    return f"{megabytes(value)} MB" if quantity in ("memory", "idle-memory") else units.duration(value)
