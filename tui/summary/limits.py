"""Limits for scripts: ``--fail-if "p99 > 50ms"``."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass

from tui.profile.types import parse_duration, parse_size
from tui.summary import units
from tui.summary.schema import Summary
from tui.system.errors import UserError

_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_READERS: dict[str, Callable[[str], float]] = {"time": parse_duration, "size": parse_size, "number": float}
_WRITTEN = re.compile(r"\s*([a-z_][a-z_0-9.]*)\s*(<=|>=|<|>)\s*(\S.*?)\s*")


def _percentile(percent: float) -> Callable[[Summary], float | None]:
    def value(summary: Summary) -> float | None:
        points = summary.result.percentiles if summary.result else ()
        return next((point.seconds for point in points if point.percent == percent), None)

    return value


def _of_result(name: str) -> Callable[[Summary], float | None]:
    return lambda summary: getattr(summary.result, name) if summary.result else None


def _error_share(summary: Summary) -> float | None:
    result = summary.result
    if result is None or not result.good + result.bad:
        return None
    return 100 * result.bad / (result.good + result.bad)


def _cpu_per_request(summary: Summary) -> float | None:
    if summary.stack_cpu is None or summary.result is None or not summary.result.good:
        return None
    return summary.stack_cpu / summary.result.good


QUANTITIES: dict[str, tuple[str, Callable[[Summary], float | None]]] = {
    "rate": ("number", _of_result("requests_per_second")),
    "mean": ("time", lambda summary: summary.result.total.mean if summary.result else None),
    "p50": ("time", _percentile(50)),
    "p90": ("time", _percentile(90)),
    "p95": ("time", _percentile(95)),
    "p99": ("time", _percentile(99)),
    "p99.9": ("time", _percentile(99.9)),
    "max": ("time", lambda summary: summary.result.total.max if summary.result else None),
    "errors": ("number", _of_result("bad")),
    "error_percent": ("number", _error_share),
    "memory": ("size", lambda summary: summary.memory.after),
    "memory_per_worker": ("size", lambda summary: summary.memory.per_worker),
    "cold_start": ("time", lambda summary: summary.cold_start),
    "cpu_per_request": ("time", _cpu_per_request),
}
"""The quantities that can be limited: the kind of each, and its value in a summary."""


@dataclass(frozen=True, slots=True)
class Limit:
    """One condition under which a run fails."""

    text: str
    quantity: str
    comparison: str
    bound: float

    def broken_by(self, summary: Summary) -> str | None:
        """Why the run fails; None if it passes. A quantity that was not measured breaks its limit."""
        kind, read = QUANTITIES[self.quantity]
        value = read(summary)
        if value is None:
            return f"--fail-if {self.text!r}: {self.quantity} was not measured"
        if _COMPARISONS[self.comparison](value, self.bound):
            shown = {"time": units.duration, "size": units.size, "number": units.rate}[kind](value)
            return f"--fail-if {self.text!r}: {self.quantity} is {shown}"
        return None


def parse_limit(text: str) -> Limit:
    """Read a condition such as ``p99 > 50ms`` or ``rate < 2000``.

    Raises:
        UserError: It isn't QUANTITY COMPARISON VALUE, or the value doesn't fit the quantity.
    """
    found = _WRITTEN.fullmatch(text)
    if found is None or found[1] not in QUANTITIES:
        known = ", ".join(QUANTITIES)
        raise UserError(
            f'--fail-if "{text}": write QUANTITY < or > VALUE, such as "p99 > 50ms"; quantities: {known}'
        )
    quantity, comparison, value = found.groups()
    kind = QUANTITIES[quantity][0]
    try:
        bound = float(_READERS[kind](value))
    except ValueError as error:
        wanted = {"time": "a time such as 50ms", "size": "a size such as 100MB", "number": "a number"}[kind]
        raise UserError(f'--fail-if "{text}": "{value}" is not {wanted}') from error
    return Limit(text, quantity, comparison, bound)
