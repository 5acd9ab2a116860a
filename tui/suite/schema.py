"""A suite's result: its tables and answers, in a named and versioned form.

Times are seconds, memory is bytes, rates are good answers a second; what was not measured is null, never 0.
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
    """One variant with the summaries of its good runs, and why others are lacking."""

    label: str
    summaries: tuple[Summary, ...] = ()
    lacking: str | None = None
    """"not run: needs nginx: apt install nginx", "1 of 2 runs failed: ..."."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Mark(_Part):
    """A finding that makes quantities of a variant invalid; cells of those quantities carry its number."""

    number: int
    label: str
    code: str
    quantities: tuple[str, ...]
    text: str
    evidence: str
    runs: int = Field(alias="starts")
    """In how many runs of the variant it was found; the evidence is of the first."""
    allowed: bool
    """The suite shows it on purpose: invalid all the same, but no failure."""


class SingleRunRow(_Part):
    """One run of one variant: what a row of the 2006 and of the 2008 article has."""

    label: str
    number: int = Field(alias="start")
    """From 1."""
    record: str
    workers: int | None
    requests: int | None
    """Answered, well or badly."""
    rate: float | None
    """Good answers only."""
    mean: float | None
    median: float | None
    p99: float | None
    p99_reason: str | None
    """Why there is no 99th percentile."""
    max: float | None
    failed: int | None
    """Every answer that isn't a good one, those with a wrong status among them."""
    non_2xx: int | None
    memory_idle: int | None
    memory_after: int | None
    host_idle: int | None
    host_after: int | None
    """The host's used memory, as the articles read it with ``free``."""
    invalid: dict[str, tuple[int, ...]] = Field(alias="void")
    """Numbers of the marks, by the quantity that they make invalid."""


class RoundsRow(_Part):
    """One variant with the rounds of all its runs, as the 2009 article lists them."""

    label: str
    records: tuple[str, ...]
    workers: int | None
    memory: tuple[tuple[int | None, ...], ...]
    """After each round, of each run."""
    rate: tuple[tuple[float | None, ...], ...]
    memory_quoted: float | None
    rate_quoted: float | None
    """The median over the runs of the medians over their rounds."""
    host_quoted: float | None
    """The same of the host's used memory, less what was used before the start: the article's method."""
    invalid: dict[str, tuple[int, ...]] = Field(alias="void")


class TableResult(_Part):
    """One printed table."""

    title: str
    kind: Kind
    rows: tuple[SingleRunRow | RoundsRow, ...]
    lacking: tuple[tuple[str, str], ...]
    """(label, why it has no row or not all its runs)."""


class Answer(_Part):
    """One question with its figures."""

    text: str
    quantity: Quantity
    of: str
    over: str
    of_value: float | None
    over_value: float | None
    """Medians over the runs."""
    fraction: float | None
    """(over - of) / over."""
    low: float | None
    high: float | None
    """The ends of the fraction's 95 % bootstrap interval; null below six runs of each variant."""
    p_corrected: float | None
    """Of the rank test, corrected for the number of questions."""
    outcome: Outcome | None
    """Whether ``of`` has more or less than ``over``; null where too few runs give no verdict."""
    runs: tuple[int, int] = Field(alias="starts")
    """How many runs of each variant have a value."""
    sentence: str


class Warned(_Part):
    """A warning that touches figures without making them invalid."""

    code: str
    text: str
    runs: int = Field(alias="starts")


class SuiteResult(_Part):
    """Everything that a suite prints. ``schema`` and ``schema_version`` name the form."""

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
    """0 when every variant that this machine can run ran well, and only what the suite shows on purpose is invalid."""
