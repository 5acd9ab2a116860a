"""A comparison's schema: named and versioned, like the summary's.

A sample is one fresh run of a stack, since rounds of one run aren't independent. Times are seconds, memory is
bytes, differences are fractions (0.18 is 18 % more); what was not measured is null with its reason.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

SCHEMA = "stackdyno/comparison"
SCHEMA_VERSION = 1

QuantityName = Literal["rate", "p50", "p99", "cpu", "memory", "cold-start"]
Better = Literal["higher", "lower"]
Outcome = Literal["more", "less", "can't tell"]


@dataclass(frozen=True, slots=True)
class Sample:
    """One run of a stack: for each quantity, the median over its complete counted rounds."""

    record: str
    """The name of the run's folder."""
    profile: str
    title: str
    started: str
    """ISO 8601, UTC."""
    values: dict[QuantityName, float | None]
    reasons: dict[QuantityName, str]
    """Why a value is None: an invalid quantity of that run by its finding, or what wasn't measured."""
    traits: dict[str, str] = field(default_factory=dict)
    """What must be the same for a fair comparison, by name: "worker count", "kernel", "body length" ..."""
    identity: str = ""
    """The resolved profile in canonical form: equal for runs of the same thing."""
    allowed: tuple[str, ...] = ()
    """Codes of findings that would invalidate values but were allowed."""


@dataclass(frozen=True, slots=True)
class VariantSamples:
    """One of the things that are compared, with all its runs."""

    label: str
    samples: tuple[Sample, ...]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class VariantPart(_Part):
    """One variant, and the runs that its figures come from."""

    label: str
    title: str
    runs: int = Field(alias="starts")
    records: tuple[str, ...]


class Cell(_Part):
    """One quantity of one variant."""

    runs: int = Field(alias="starts")
    """How many runs have a value."""
    median: float | None
    low: float | None
    high: float | None
    """The ends of ``interval``."""
    interval: Literal["95 %", "range"]
    """95 %: bootstrap of the median, from six runs on; below that the smallest and the largest value."""
    values: tuple[float | None, ...]
    """The value of each run, in the order of the variant's records."""
    reason: str | None = None
    """Why there is no median, or why it covers fewer runs than there were."""


class Difference(_Part):
    """One quantity of one variant against the first variant."""

    fraction: float | None
    """(this - first) / first, of the medians."""
    low: float | None
    high: float | None
    """The ends of its 95 % bootstrap interval; null below six runs of each variant."""
    p: float | None
    """The p of the rank test, uncorrected; null below six runs of each variant."""
    p_corrected: float | None
    """The same p corrected for multiple tests; the primary quantity's only for the number of variants."""
    outcome: Outcome | None
    """Null where no verdict is given."""


class Row(_Part):
    """One quantity over all variants."""

    quantity: QuantityName
    title: str
    unit: Literal["requests/s", "s", "bytes"]
    better: Better
    primary: bool
    cells: tuple[Cell, ...]
    """In the order of the variants."""
    differences: tuple[Difference | None, ...]
    """In the order of the variants; the first variant's is null."""


class Comparison(_Part):
    """Several variants side by side. ``schema`` and ``schema_version`` name the form."""

    schema_name: str = Field(SCHEMA, alias="schema")
    schema_version: int = SCHEMA_VERSION
    stackdyno: str
    variants: tuple[VariantPart, ...] = Field(alias="sides")
    rows: tuple[Row, ...]
    """The primary quantity first."""
    sentences: tuple[str, ...]
    """One for each variant but the first: what the figures say in plain words."""
    warnings: tuple[str, ...]
    """Warnings that unlike things are compared, or that a variant has too few runs."""
    method: str
    """How the figures were obtained, in a few sentences."""
