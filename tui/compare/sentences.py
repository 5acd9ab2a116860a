"""What a comparison says in plain words."""

from __future__ import annotations

from collections.abc import Sequence

from tui.compare.quantities import QUANTITIES
from tui.compare.schema import Difference, QuantityName, Row

SECONDARY: tuple[QuantityName, ...] = ("memory", "p99", "rate", "cpu")
"""Quantities worth mentioning besides the primary one, in this order."""
MOST_SECONDARY = 2


def sentence(rows: Sequence[Row], place: int, labels: Sequence[str], *, same: bool) -> str:
    """One variant against the first; the primary quantity comes first. ``same``: both are the same thing."""
    primary = rows[0]
    found = primary.differences[place]
    first, label = labels[0], labels[place]
    if found is None or found.fraction is None:
        lacking = [labels[i] for i in (0, place) if primary.cells[i].median is None]
        if not lacking:
            return f"can't tell: {primary.title} is 0 in a run of {first}, so there is no percentage"
        return (
            f"can't tell: {' and '.join(lacking)} {'has' if len(lacking) == 1 else 'have'} no {primary.title}"
        )
    does = QUANTITIES[primary.quantity].does[found.fraction < 0]
    if found.outcome is None:
        if found.fraction == 0:
            return f"no verdict: {label} and {first} came out the same, from too few runs to tell"
        return f"no verdict: {label} {does.format(percent(found.fraction))} than {first}, from too few runs to tell"
    if same:
        return _noise_floor(found, first)
    secondary = _secondary(rows, place)
    difference, noise = percent(found.fraction, found), percent(_noise(found), found)
    if found.outcome == "can't tell":
        why = f"the noise (±{noise}) is larger than the difference ({difference})"
        if _noise(found) <= abs(found.fraction) or noise == difference:
            why = f"the difference ({difference}{between(found)}) may be chance"
        words = f"can't tell whether {first} or {label} {QUANTITIES[primary.quantity].asks}: {why}"
        return f"{words}; {label} comes with {secondary}" if secondary else words
    words = f"{label} {does.format(difference)} than {first}{between(found)}"
    return f"{words} with {secondary}" if secondary else words


def _noise_floor(found: Difference, label: str) -> str:
    floor = percent(max(abs(found.low or 0.0), abs(found.high or 0.0)), found)
    assert found.fraction is not None
    words = f"{label} differs from itself by {percent(found.fraction, found)}{between(found)}"
    if found.outcome != "can't tell":
        return f"{words}, which is more than chance: something on this machine changes between the runs"
    return f"{words}: a difference below about {floor} can't be detected here"


def _secondary(rows: Sequence[Row], place: int) -> str:
    parts = []
    for quantity in SECONDARY:
        row = next((row for row in rows[1:] if row.quantity == quantity), None)
        found = row.differences[place] if row is not None else None
        if found is None or found.fraction is None or found.outcome not in ("more", "less"):
            continue
        parts.append(QUANTITIES[quantity].has[found.outcome == "less"].format(percent(found.fraction, found)))
    return " and ".join(parts[:MOST_SECONDARY])


def _noise(found: Difference) -> float:
    """Half the width of the interval."""
    return ((found.high or 0.0) - (found.low or 0.0)) / 2


def _digits(fraction: float, found: Difference | None) -> int:
    return 0 if abs(fraction) >= 0.9995 or (found is not None and _noise(found) >= 0.02) else 1


def percent(fraction: float, found: Difference | None = None) -> str:
    """The size of a difference: in whole per cent if it is known no more precisely, else with one decimal."""
    amount = abs(fraction) * 100
    text = f"{amount:.{_digits(fraction, found)}f}"
    return (text.removesuffix(".0") if amount >= 10 else text) + " %"


def between(found: Difference) -> str:
    """`` (95 %: 15 to 21)``, in per cent, counted in the direction of the difference."""
    if found.low is None or found.high is None:
        return ""
    digits = _digits(found.fraction or 0.0, found)
    low, high = found.low * 100, found.high * 100
    if found.fraction is not None and found.fraction < 0:
        low, high = -high, -low
    shown = [f"{value:.{digits}f}" for value in (low, high)]
    return f" (95 %: {' to '.join('0' if each.strip('-0.') == '' else each for each in shown)})"
