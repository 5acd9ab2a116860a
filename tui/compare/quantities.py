"""The quantities that are compared, and how to put a difference of each into words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tui.compare.schema import Better, QuantityName


@dataclass(frozen=True, slots=True)
class Quantity:
    """One quantity in words. ``{}`` is the difference: "18 %"."""

    title: str
    unit: Literal["requests/s", "s", "bytes"]
    better: Better
    does: tuple[str, str]
    """What a variant does when it has more of it, and less."""
    has: tuple[str, str]
    """The same after "with"."""
    asks: str
    """What "can't tell whether A or B ..." asks: "serves more requests"."""


QUANTITIES: dict[QuantityName, Quantity] = {
    "rate": Quantity(
        "requests/s",
        "requests/s",
        "higher",
        ("serves {} more requests", "serves {} fewer requests"),
        ("{} more requests", "{} fewer requests"),
        "serves more requests",
    ),
    "p50": Quantity(
        "p50",
        "s",
        "lower",
        ("has a {} longer p50", "has a {} shorter p50"),
        ("a {} longer p50", "a {} shorter p50"),
        "has the shorter p50",
    ),
    "p99": Quantity(
        "p99",
        "s",
        "lower",
        ("has a {} longer p99", "has a {} shorter p99"),
        ("a {} longer p99", "a {} shorter p99"),
        "has the shorter p99",
    ),
    "cpu": Quantity(
        "CPU per request",
        "s",
        "lower",
        ("uses {} more CPU a request", "uses {} less CPU a request"),
        ("{} more CPU a request", "{} less CPU a request"),
        "uses less CPU a request",
    ),
    "memory": Quantity(
        "memory",
        "bytes",
        "lower",
        ("takes {} more memory", "takes {} less memory"),
        ("{} more memory", "{} less memory"),
        "takes less memory",
    ),
    "cold-start": Quantity(
        "cold start",
        "s",
        "lower",
        ("has a {} longer cold start", "has a {} shorter cold start"),
        ("a {} longer cold start", "a {} shorter cold start"),
        "starts sooner",
    ),
}
