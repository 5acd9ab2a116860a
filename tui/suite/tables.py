"""From the summaries of a suite's runs to its tables. Nothing is averaged: a row is one run, or lists all rounds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median

from tui import __version__
from tui.suite.answers import answers
from tui.suite.models import Suite, SuiteTable
from tui.suite.schema import (
    Mark,
    Measured,
    RoundsRow,
    SingleRunRow,
    SuiteResult,
    TableResult,
    Warned,
)
from tui.summary.schema import FindingPart, RoundRow, Summary

QUANTITIES = ("rate", "latency", "memory")


def suite_result(name: str, suite: Suite, measured: Sequence[Measured], *, complete: bool) -> SuiteResult:
    """The tables and answers of a suite from the variants measured so far, whether or not it has ended."""
    summaries = [summary for each in measured for summary in each.summaries]
    marks = {each.label: _Marks(each.label) for each in measured}
    for each in measured:
        marks[each.label].gather(each.summaries, sum(len(known.found) for known in marks.values()))
    well = complete and all(summary.exit_status == 0 for summary in summaries) and bool(summaries)
    failed = any(each.lacking and not each.lacking.startswith("not run") for each in measured)
    return SuiteResult(
        stackdyno=__version__,
        suite=name,
        title=suite.title,
        source=suite.source,
        state="complete" if complete else "incomplete",
        tables=tuple(_table(table, suite, measured, marks) for table in suite.table),
        answers=answers(suite.question, measured),
        marks=tuple(mark for known in marks.values() for mark in known.marks()),
        warnings=_warnings(summaries),
        machine=summaries[0].machine if summaries else None,
        exit_status=0 if well and not failed else 1,
    )


@dataclass
class _Marks:
    """The findings that invalidate figures of one variant."""

    label: str
    found: dict[str, list[FindingPart]] = field(default_factory=dict)
    """By code, one finding for each run that has it."""
    numbers: dict[str, int] = field(default_factory=dict)

    def gather(self, summaries: Iterable[Summary], before: int) -> None:
        """Number the findings of the variant's runs, starting after the marks of other variants."""
        for summary in summaries:
            for code, finding in {each.code: each for each in invalid(summary)}.items():
                self.found.setdefault(code, []).append(finding)
                self.numbers.setdefault(code, before + len(self.found))

    def marks(self) -> Iterable[Mark]:
        for code, findings in self.found.items():
            first = findings[0]
            yield Mark(
                number=self.numbers[code],
                label=self.label,
                code=code,
                quantities=first.quantities,
                text=first.text,
                evidence=first.evidence,
                runs=len(findings),
                allowed=all(each.allowed for each in findings),
            )

    def numbers_of(self, *summaries: Summary) -> dict[str, tuple[int, ...]]:
        """The numbers of the marks of these runs, by quantity."""
        pairs = [
            (quantity, self.numbers[finding.code])
            for summary in summaries
            for finding in invalid(summary)
            for quantity in finding.quantities
        ]
        return {
            name: tuple(sorted({number for quantity, number in pairs if quantity == name}))
            for name in QUANTITIES
            if any(quantity == name for quantity, _ in pairs)
        }


def invalid(summary: Summary) -> list[FindingPart]:
    """The findings that invalidate quantities, even if they are allowed: that makes a figure no truer."""
    return [each for each in summary.findings if each.severity == "invalid" and each.quantities]


def _table(
    table: SuiteTable, suite: Suite, measured: Sequence[Measured], marks: dict[str, _Marks]
) -> TableResult:
    wanted = table.variants or tuple(variant.label for variant in suite.variant)
    known = {each.label: each for each in measured}
    rows: list[SingleRunRow | RoundsRow] = []
    lacking = []
    for label in wanted:
        each = known.get(label, Measured(label, lacking="not run"))
        if each.summaries and table.kind == "rounds":
            rows.append(_rounds_row(each, marks[label]))
        elif each.summaries:
            rows += [
                _single_run_row(label, number, summary, marks[label])
                for number, summary in enumerate(each.summaries, start=1)
            ]
        if each.lacking:
            lacking.append((label, each.lacking))
    return TableResult(title=table.title, kind=table.kind, rows=tuple(rows), lacking=tuple(lacking))


def _single_run_row(label: str, number: int, summary: Summary, marks: _Marks) -> SingleRunRow:
    result, memory = summary.result, summary.memory
    points = {each.percent: each for each in result.percentiles} if result else {}
    p99 = points.get(99.0)
    passes = {each.label: each for each in memory.passes}
    idle = passes.get("idle")
    return SingleRunRow(
        label=label,
        number=number,
        record=summary.record,
        workers=summary.stack.workers if summary.stack else None,
        requests=result.good + result.bad if result else None,
        rate=result.requests_per_second if result else None,
        mean=result.total.mean if result else None,
        median=points[50.0].seconds if 50.0 in points else None,
        p99=p99.seconds if p99 else None,
        p99_reason=p99.reason if p99 else None,
        max=result.total.max if result else None,
        failed=result.bad if result else None,
        non_2xx=_non_2xx(result.statuses) if result else None,
        memory_idle=memory.idle,
        memory_after=memory.after,
        host_idle=idle.host_used if idle else None,
        host_after=memory.host_after,
        invalid=marks.numbers_of(summary),
    )


def _non_2xx(statuses: dict[int, int]) -> int:
    return sum(number for status, number in statuses.items() if not 200 <= status < 300)


def _rounds_row(each: Measured, marks: _Marks) -> RoundsRow:
    whole = [[row for row in summary.rounds if not row.stopped] for summary in each.summaries]
    befores = [summary.memory.host_before for summary in each.summaries]
    return RoundsRow(
        label=each.label,
        records=tuple(summary.record for summary in each.summaries),
        workers=each.summaries[0].stack.workers if each.summaries[0].stack else None,
        memory=tuple(tuple(row.memory for row in rows) for rows in whole),
        rate=tuple(tuple(row.requests_per_second for row in rows) for rows in whole),
        memory_quoted=_quoted([[row.memory for row in rows] for rows in whole]),
        rate_quoted=_quoted([[row.requests_per_second for row in rows] for rows in whole]),
        host_quoted=_quoted([_grown(rows, before) for rows, before in zip(whole, befores, strict=True)]),
        invalid=marks.numbers_of(*each.summaries),
    )


def _grown(rows: Sequence[RoundRow], before: int | None) -> list[float | None]:
    return [None if row.host_used is None or before is None else row.host_used - before for row in rows]


def _quoted(runs: Sequence[Sequence[float | None]]) -> float | None:
    """The median over the runs of the medians over their rounds; None if a value is missing."""
    medians = [
        median([v for v in values if v is not None]) for values in runs if values and None not in values
    ]
    return median(medians) if medians and len(medians) == len(runs) else None


def _warnings(summaries: Sequence[Summary]) -> tuple[Warned, ...]:
    found: dict[str, list[str]] = {}
    for summary in summaries:
        for code, text in {
            each.code: each.text for each in summary.findings if each.severity == "warning"
        }.items():
            found.setdefault(code, []).append(text)
    return tuple(Warned(code=code, text=texts[0], runs=len(texts)) for code, texts in found.items())
