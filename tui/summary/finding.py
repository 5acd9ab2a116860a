"""What a run is judged by: findings, the quantities that they make invalid, and the bottleneck."""

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
    """One thing that the reader of a result must know."""

    code: str
    severity: Severity
    quantities: tuple[Quantity, ...]
    text: str
    evidence: str
    remedy: str
    allowed: bool = False
    """It was allowed by its code (``--allow``): it is reported, and makes nothing invalid."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """All that :mod:`tui.findings` has to say about a run so far."""

    findings: tuple[Finding, ...] = ()
    """The gravest first."""
    bottleneck: Bottleneck | None = None

    @property
    def invalid(self) -> tuple[Quantity, ...]:
        """The quantities that must not be used, in a fixed order."""
        grave = [each for each in self.findings if each.severity == "invalid" and not each.allowed]
        touched = {quantity for each in grave for quantity in each.quantities}
        return tuple(quantity for quantity in QUANTITIES if quantity in touched)
