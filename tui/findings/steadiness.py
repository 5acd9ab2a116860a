"""Findings on whether the rounds reach a steady state and agree with each other.

Rounds shorter than a second are not judged, nor are fewer than three rounds. Rates of neighbouring seconds are not
independent, so a rank test alone would call any slow wave a trend; the change must also be large.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import ceil, erfc, sqrt
from statistics import fmean, median

from tui.findings.evidence import listed
from tui.load.result import RoundResult
from tui.record.events import RoundEnded
from tui.record.series import RatePoint
from tui.record.state import RunState
from tui.summary import units
from tui.summary.finding import OF_THE_LOAD, Finding

FEWEST_ROUNDS = 3
SHORTEST = 1.0
"""Seconds; a shorter round is not judged."""
SECOND = 0.9
"""Seconds of ticks per point of the rate over time: the last tick of a round is shorter than the others."""
FEWEST_POINTS = 8
"""From this many points, the normal approximation of Kendall's S holds (M. G. Kendall, Rank Correlation Methods)."""
MOST_POINTS = 600
"""Time and memory of the test grow with the square of the points: for half an hour's seconds, 150 MB."""
UNLIKELY = 0.01
"""A trend counts if it would arise by chance with a lower probability than this."""
MUCH = 0.1
"""A change by this share of the rate counts as drift."""
WIDE = 0.25
"""From this span over the median, the rounds' rates count as scattered."""
TAILS = 2.5
"""Factor by which the rounds' p99 may differ: the reference articles saw 2.6 between two runs."""


def _whole_rounds(state: RunState) -> list[tuple[RoundEnded, RoundResult]]:
    """The rounds that can be compared; none if there are too few."""
    whole = [
        (ended, ended.result)
        for ended in state.rounds
        if ended.result is not None and not ended.stopped and ended.result.seconds >= SHORTEST
    ]
    return whole if len(whole) >= FEWEST_ROUNDS else []


def unsteady(state: RunState) -> Iterator[Finding]:
    """Drift, or else scatter: rounds that drift differ too."""
    drifts = [*drift(state)]
    yield from drifts or scatter(state)


def drift(state: RunState) -> Iterator[Finding]:
    """The rate had not settled when the rounds began: it rises or falls, or the first round stands apart."""
    rounds = _whole_rounds(state)
    rates = [result.rate or 0.0 for _, result in rounds]
    if not rates or not median(rates):
        return
    by_round: defaultdict[int | None, list[RatePoint]] = defaultdict(list)
    for point in state.rate:
        by_round[point.round].append(point)
    points = [by_round[ended.round] for ended, _ in rounds]
    change = (
        _trend(_shortened([rate for each in points for rate in _per_second(each)]))
        or _first_apart(rates)
        or _within(points)
    )
    if change is None:
        return
    what, share = change
    yield Finding(
        code="drift",
        severity="warning",
        quantities=OF_THE_LOAD,
        text=f"no steady state: {what} by {units.share(abs(share))}",
        evidence=_by_round(rounds, [units.rate(rate) for rate in rates]) + " requests/s",
        remedy="lengthen load.warmup",
    )


def scatter(state: RunState) -> Iterator[Finding]:
    """The rounds differ from each other."""
    rounds = _whole_rounds(state)
    if not rounds:
        return
    rates = [result.rate or 0.0 for _, result in rounds]
    tails = [tail for _, result in rounds if (tail := result.total.percentile(99)) is not None]
    wide = max(rates) - min(rates) > WIDE * median(rates)
    apart = len(tails) == len(rounds) and max(tails) > TAILS * min(tails)
    if not wide and not apart:
        return
    names = [name for name, found in (("rate", wide), ("p99", apart)) if found]
    figures = [
        f"{units.rate(rate)} requests/s" + (f" p99 {units.duration(tails[place])}" if apart else "")
        for place, rate in enumerate(rates)
    ]
    yield Finding(
        code="scatter",
        severity="warning",
        quantities=("rate", "latency") if wide and apart else ("rate",) if wide else ("latency",),
        text=f"the rounds differ a lot in {' and '.join(names)}: a single one says little",
        evidence=_by_round(rounds, figures),
        remedy="run longer or more rounds, on a quiet machine",
    )


def _by_round(rounds: Sequence[tuple[RoundEnded, RoundResult]], figures: Sequence[str]) -> str:
    return listed(
        [f"round {ended.round} {figure}" for (ended, _), figure in zip(rounds, figures, strict=True)]
    )


def _per_second(points: Sequence[RatePoint]) -> list[float]:
    """The rate of good answers in each second of a round, without a shorter rest at its end."""
    rates: list[float] = []
    good, since = 0, None
    for point in points:
        since = point.t0 if since is None else since
        good += point.good
        if point.t1 - since >= SECOND:
            rates.append(good / (point.t1 - since))
            good, since = 0, None
    return rates


def _shortened(rates: Sequence[float]) -> Sequence[float]:
    """The means of as many neighbouring seconds as it takes to have at most ``MOST_POINTS``."""
    together = ceil(len(rates) / MOST_POINTS)
    return (
        rates if together <= 1 else [fmean(rates[i : i + together]) for i in range(0, len(rates), together)]
    )


def _trend(rates: Sequence[float]) -> tuple[str, float] | None:
    """A rise or fall over all rounds, found by Mann and Kendall's test; Theil and Sen's slope gives its size."""
    if len(rates) < FEWEST_POINTS or trend_probability(rates) > UNLIKELY:
        return None
    pairs = [(i, j) for i in range(len(rates)) for j in range(i + 1, len(rates))]
    slope = median((rates[j] - rates[i]) / (j - i) for i, j in pairs)
    share = slope * (len(rates) - 1) / median(rates) if median(rates) else 0.0
    if abs(share) < MUCH:
        return None
    return f"over the rounds the rate {'rose' if share > 0 else 'fell'}", share


def trend_probability(values: Sequence[float]) -> float:
    """Two-sided probability of such a monotone trend by chance: Mann and Kendall's test, corrected for ties."""
    count = len(values)
    score = sum(
        (values[j] > values[i]) - (values[j] < values[i]) for i in range(count) for j in range(i + 1, count)
    )
    ties = [values.count(value) for value in set(values)]
    variance = _weight(count) - sum(_weight(tied) for tied in ties)
    if not score or variance <= 0:
        return 1.0
    return erfc((abs(score) - 1) / sqrt(2 * variance))


def _weight(count: int) -> float:
    return count * (count - 1) * (2 * count + 5) / 18


def _first_apart(rates: Sequence[float]) -> tuple[str, float] | None:
    """The first round differs from all later ones by more than they differ from each other."""
    first, later = rates[0], rates[1:]
    nearest = min(later) if first < min(later) else max(later)
    share = nearest / first - 1 if first else 1.0
    if min(later) <= first <= max(later) or abs(share) < MUCH:
        return None
    if max(later) - min(later) > abs(first - nearest) / 2:
        return None
    return f"after the first round the rate {'rose' if share > 0 else 'fell'}", share


def _within(points: Sequence[Sequence[RatePoint]]) -> tuple[str, float] | None:
    """In every round, the rate changes between the halves, always in the same direction."""
    shares = []
    for each in points:
        if not each or each[-1].t1 - each[0].t0 < 2 * SHORTEST:
            return None
        middle = (each[0].t0 + each[-1].t1) / 2
        before, after = (
            [p for p in each if p.t1 <= middle],
            [p for p in each if p.t1 > middle],
        )
        first, second = _rate_of(before), _rate_of(after)
        if not first:
            return None
        shares.append(second / first - 1)
    if min(map(abs, shares)) < MUCH or not (min(shares) > 0 or max(shares) < 0):
        return None
    typical = median(shares)
    return (
        f"in every round the rate {'rises' if typical > 0 else 'falls'} between its halves",
        typical,
    )


def _rate_of(points: Sequence[RatePoint]) -> float:
    seconds = sum(point.t1 - point.t0 for point in points)
    return sum(point.good for point in points) / seconds if seconds else 0.0
