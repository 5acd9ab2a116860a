"""Numbers for engineers: three significant digits, a unit, no false precision."""

from __future__ import annotations

UNKNOWN = "n/a"
"""Replaces a value that was not measured. Never 0."""


def duration(seconds: float | None) -> str:
    """``0.0019`` → ``1.9 ms``, ``12.3`` → ``12.3 s``, ``125`` → ``2 min 5 s``."""
    if seconds is None:
        return UNKNOWN
    if seconds < 0.001:
        return f"{seconds * 1e6:.0f} µs"
    if seconds < 1:
        return f"{_three(seconds * 1e3)} ms"
    if seconds < 60:
        return f"{_three(seconds)} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min"


def size(amount: float | None) -> str:
    """Bytes with decimal units: ``41_300_000`` → ``41.3 MB``."""
    if amount is None:
        return UNKNOWN
    sign, amount = ("-", -amount) if amount < 0 else ("", amount)
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if amount >= scale * 0.9995:
            return f"{sign}{_three(amount / scale)} {unit}"
    return f"{sign}{amount:.0f} B"


def rate(value: float | None) -> str:
    """A rate with thousands separators: ``4812.4`` → ``4,812``, ``9.684`` → ``9.68``."""
    if value is None:
        return UNKNOWN
    return _three(value) if value < 999.5 else f"{value:,.0f}"


def share(value: float | None) -> str:
    """A share as a percentage: ``0.213`` → ``21 %``."""
    if value is None:
        return UNKNOWN
    return f"{value * 100:.0f} %"


def count(value: int | None) -> str:
    """``57120`` → ``57,120``."""
    return UNKNOWN if value is None else f"{value:,}"


def _three(value: float) -> str:
    """Three significant digits without an exponent; no decimals from 100 on."""
    if value >= 99.95:
        return f"{value:.0f}"
    if value >= 9.995:
        return f"{value:.1f}"
    return f"{value:.2f}"
