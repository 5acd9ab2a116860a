"""One finding: what the reader of a result must know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["invalid", "warning", "note"]
Quantity = Literal["rate", "latency", "memory"]


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
    """It was allowed by its code (``--allow``): told, but it makes nothing invalid."""
