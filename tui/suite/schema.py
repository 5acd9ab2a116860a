"""A suite's result: its tables and answers, in a named and versioned schema.

Times are seconds, memory is bytes, rates are good answers per second; what was not measured is null, never 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from tui.compare.schema import Outcome
from tui.record.events import Machine
from tui.suite.models import Kind, Quantity
from tui.summary.schema import Summary

SCHEMA = "stackdyno/suite"
SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class Measured:
    """One variant with the summaries of its good runs, and why others are missing."""

    label: str
    summaries: tuple[Summary, ...] = ()
    lacking: str | None = None
    """"not run: needs nginx: apt install nginx", "1 of 2 runs failed: ..."."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Mark(_Part):
    """A finding that invalidates quantities of a variant; cells with those quantities carry its number."""

    number: int
    label: str
    code: str
    quantities: tuple[str, ...]
    text: str
    evidence: str
    runs: int = Field(alias="starts")
    """In how many of the variant's runs it was found; the evidence comes from the first."""
    allowed: bool
    """The suite shows it on purpose: the figures are still invalid, but it is no failure."""


class SingleRunRow(_Part):
    """One run of one variant: the contents of a row in the 2006 and 2008 articles."""

    label: str
    number: int = Field(alias="start")
    """From 1."""
    record: str
    workers: int | None
    requests: int | None
    """All answered requests, good answers or not."""
    rate: float | None
    """Good answers only."""
    mean: float | None
    median: float | None
    p99: float | None
    p99_reason: str | None
    """Why there is no 99th percentile."""
    max: float | None
    failed: int | None
    """Every answer that isn't good, including those with a wrong status."""
    non_2xx: int | None
    memory_idle: int | None
    memory_after: int | None
    host_idle: int | None
    host_after: int | None
    """The host's used memory, which the articles read with ``free``."""
    invalid: dict[str, tuple[int, ...]] = Field(alias="void")
    """Numbers of the marks, by the quantity that they invalidate."""


class RoundsRow(_Part):
    """One variant with the rounds of all its runs, as the 2009 article lists them."""

    label: str
    records: tuple[str, ...]
    workers: int | None
    memory: tuple[tuple[int | None, ...], ...]
    """After each round, for each run."""
    rate: tuple[tuple[float | None, ...], ...]
    memory_quoted: float | None
    rate_quoted: float | None
    """The median over the runs of the medians over their rounds."""
    host_quoted: float | None
    """The same for the host's used memory, minus what was used before the start: the article's method."""
    invalid: dict[str, tuple[int, ...]] = Field(alias="void")


class TableResult(_Part):
    """One printed table."""

    title: str
    kind: Kind
    rows: tuple[SingleRunRow | RoundsRow, ...]
    lacking: tuple[tuple[str, str], ...]
    """(label, why it has no row or lacks some runs)."""


class Answer(_Part):
    """One question with its figures."""

    text: str
    quantity: Quantity
    of: str
    over: str
    of_value: float | None
    over_value: float | None
    """The median over the runs, for each of the two."""
    fraction: float | None
    """(over - of) / over."""
    low: float | None
    high: float | None
    """The ends of the fraction's 95 % bootstrap interval; null below six runs of each variant."""
    p_corrected: float | None
    """The p of the rank test, corrected for the number of questions."""
    outcome: Outcome | None
    """Whether ``of`` has more or less than ``over``; null if there are too few runs for a verdict."""
    runs: tuple[int, int] = Field(alias="starts")
    """How many runs of each variant have a value."""
    sentence: str


class Warned(_Part):
    """A warning that affects figures without invalidating them."""

    code: str
    text: str
    runs: int = Field(alias="starts")


class SuiteResult(_Part):
    """Everything that a suite prints. ``schema`` and ``schema_version`` identify the form."""

    schema_name: str = Field(SCHEMA, alias="schema")
    schema_version: int = SCHEMA_VERSION
    stackdyno: str
    suite: str
    title: str
    source: str
    state: Literal["complete", "incomplete"]
    tables: tuple[TableResult, ...]
    answers: tuple[Answer, ...]
    marks: tuple[Mark, ...]
    warnings: tuple[Warned, ...]
    machine: Machine | None
    exit_status: int
    """0 if every variant that this machine can run ran well, and only what the suite shows on purpose is invalid."""
