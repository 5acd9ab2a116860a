"""A run's judgement: its findings, the quantities they invalidate, and the bottleneck."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tui.summary.schema import Bottleneck

Severity = Literal["invalid", "warning", "note"]
Quantity = Literal["rate", "latency", "memory"]
QUANTITIES: tuple[Quantity, ...] = ("rate", "latency", "memory")
OF_THE_LOAD: tuple[Quantity, ...] = ("rate", "latency")


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that a reader of the result must know."""

    code: str
    severity: Severity
    quantities: tuple[Quantity, ...]
    text: str
    evidence: str
    remedy: str
    allowed: bool = False
    """Its code was allowed (``--allow``): it is reported, but invalidates nothing."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The judgement of :mod:`tui.findings` on a run so far."""

    findings: tuple[Finding, ...] = ()
    """The most severe first."""
    bottleneck: Bottleneck | None = None

    @property
    def invalid(self) -> tuple[Quantity, ...]:
        """The quantities that must not be used, in a fixed order."""
        grave = [each for each in self.findings if each.severity == "invalid" and not each.allowed]
        touched = {quantity for each in grave for quantity in each.quantities}
        return tuple(quantity for quantity in QUANTITIES if quantity in touched)
