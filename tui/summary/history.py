"""The kept runs, one row each, newest first.

A row comes from the run's summary, which costs a fraction of a millisecond. If there is none (the run is active or was
cut off), it comes from the first event. Nothing is folded here, and a damaged record never breaks the list.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from tui.record.control import is_running, runner_fault
from tui.record.events import RunStarted
from tui.record.folders import read_name
from tui.record.record import LONG_LINE, Record, list_records
from tui.summary.reading import Unreadable, read
from tui.summary.schema import FindingPart
from tui.summary.secrets import Secrets
from tui.system.regularfiles import read_regular
from tui.system.text_fields import Table, Text

Verdict = Literal["good", "invalid", "stopped", "failed", "cut off", "running", "unreadable"]

SETTLED: frozenset[Verdict] = frozenset({"good", "invalid", "stopped", "failed"})
"""Verdicts of runs with a summary: they no longer change."""


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run. Rates are per second, times in seconds, memory in bytes; None means not measured."""

    record: Record
    started: datetime | None
    """In local time."""
    profile: str
    title: str
    stack: str
    workers: int | None
    verdict: Verdict
    invalid: tuple[str, ...]
    """The quantities that must not be used."""
    sentence: str
    findings: tuple[FindingPart, ...]
    rate: float | None = None
    p50: float | None = None
    p99: float | None = None
    memory: int | None = None
    """Anonymous, shared-memory and swapped PSS after the last round."""
    rounds: int = 0
    elapsed: float | None = None
    settings: tuple[tuple[str, str], ...] = ()
    """The resolved profile without its title, key by key ("load.connections", "16"), to compare runs."""

    @property
    def words(self) -> str:
        """The verdict in a few words: "good, 2 warnings", "rate and latency invalid", "stopped"."""
        if self.verdict == "good":
            warnings = sum(each.severity == "warning" for each in self.findings)
            return "good" + (f", {warnings} warning{'' if warnings == 1 else 's'}" if warnings else "")
        if not self.invalid or self.verdict == "failed":
            return self.verdict
        invalid = f"{' and '.join(self.invalid)} invalid"
        return invalid if self.verdict == "invalid" else f"{self.verdict}, {invalid}"

    @property
    def subject(self) -> str:
        """The text to search."""
        return f"{self.stack} {self.profile} {self.title}"


def read_history(runs: Path, known: Iterable[RunRow] = ()) -> tuple[RunRow, ...]:
    """A row for every record below ``runs``, newest first.

    ``known`` are rows from an earlier read: those of settled runs are reused.

    Raises:
        UserError: The folder can't be read.
    """
    settled = {row.record: row for row in known if row.verdict in SETTLED}
    return tuple(settled.get(record) or _read(record) for record in list_records(runs))


class _Part(BaseModel):
    """The part of a summary that a row needs."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class _Stack(_Part):
    stack: Text
    workers: int | None


class _Percentile(_Part):
    percent: float
    seconds: float | None


class _Result(_Part):
    requests_per_second: float | None
    percentiles: tuple[_Percentile, ...] = ()

    def percentile(self, percent: float) -> float | None:
        return next((point.seconds for point in self.percentiles if point.percent == percent), None)


class _Memory(_Part):
    after: int | None


class _Finding(FindingPart):
    model_config = ConfigDict(extra="ignore")


class _Summary(_Part):
    profile_name: Text
    title: Text
    started: datetime
    elapsed: float
    verdict: Literal["good", "stopped", "failed", "cut off", "running"]
    sentence: Text
    findings: tuple[_Finding, ...]
    invalid: tuple[Text, ...]
    stack: _Stack | None
    profile: Table
    result: _Result | None
    other_load: _Result | None = None
    rounds: tuple[_Part, ...]
    memory: _Memory


def _read(record: Record) -> RunRow:
    """The row of one record, whatever its state."""
    alive = is_running(record)  # checked before reading: a runner writes the summary before it ends
    try:
        summary = read(record, _Summary)
    except Unreadable as error:
        if not alive:  # otherwise it is still being written
            return _unreadable(record, str(error))
        summary = None
    return _without_summary(record, running=alive) if summary is None else _from_summary(record, summary)


def _from_summary(record: Record, summary: _Summary) -> RunRow:
    result = summary.result or summary.other_load
    secrets = Secrets(summary.profile)
    stack = summary.stack
    return RunRow(
        record=record,
        started=summary.started.astimezone(),
        profile=summary.profile_name,
        title=secrets.mask(summary.title),
        stack=stack.stack if stack else str(summary.profile.get("stack", "")),
        workers=stack.workers if stack else None,
        verdict="invalid" if summary.verdict == "good" and summary.invalid else summary.verdict,
        invalid=summary.invalid,
        sentence=secrets.mask(summary.sentence),
        findings=tuple(map(secrets.masked_model, summary.findings)),
        rate=result.requests_per_second if result else None,
        p50=result.percentile(50.0) if result else None,
        p99=result.percentile(99.0) if result else None,
        memory=summary.memory.after,
        rounds=len(summary.rounds),
        elapsed=summary.elapsed,
        settings=tuple(sorted(_settings(summary.profile))),
    )


def _settings(table: dict[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _settings(value, f"{above}{key}.")
        elif above or key not in ("name", "title"):
            yield f"{above}{key}", str(value)


def _without_summary(record: Record, *, running: bool) -> RunRow:
    """The row of an active or cut-off run: its first event says what it is."""
    try:
        line, *_ = read_regular(record.events_path, limit=LONG_LINE).split(b"\n", 1)
        started = RunStarted.model_validate_json(line) if line or not running else None
    except OSError as error:
        return _unreadable(record, f"events.jsonl can't be read ({error.strerror})")
    except ValidationError:
        if not line:
            return _unreadable(record, "nothing was recorded: the runner ended before the first event")
        return _unreadable(record, "the first line of events.jsonl is damaged, or of another version")
    started_by_name, name = read_name(record.name)
    return RunRow(
        record=record,
        started=datetime.fromtimestamp(started.wall).astimezone() if started else started_by_name,
        profile=started.profile_name if started else name,
        title=Secrets(started.profile).mask(started.profile_title) if started else name,
        stack=str(started.profile.get("stack", "")) if started else "",
        workers=None,
        verdict="running" if running else "cut off",
        invalid=(),
        sentence="Running."
        if running
        else f"Cut off: the runner ended without a summary; what it had recorded can be opened{_doubt(record)}.",
        findings=(),
    )


def _doubt(record: Record) -> str:
    """Why nobody can tell whether the runner still lives."""
    fault = runner_fault(record)
    return f" ({fault}, so it may still be running)" if fault else ""


def _unreadable(record: Record, reason: str) -> RunRow:
    started_by_name, name = read_name(record.name)
    return RunRow(
        record=record,
        started=started_by_name,
        profile=name,
        title=name,
        stack="",
        workers=None,
        verdict="unreadable",
        invalid=(),
        sentence=f"Unreadable: {reason}.",
        findings=(),
    )
