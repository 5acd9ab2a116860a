"""The tables of a suite as cells, header first: what the text and the Markdown share."""

from __future__ import annotations

from collections.abc import Sequence

from tui.formats.rows import TOO_FEW, Rows
from tui.suite.schema import Mark, RoundsRow, SingleRunRow, SuiteResult, TableResult
from tui.summary import units

INVALID = "✗"
"""Marks a figure that a finding invalidates; the finding is listed below the table."""


def cells(table: TableResult) -> Rows:
    """One table; in its lists, semicolons separate rounds and bars separate runs.

    A prefix that all labels share, up to a colon ("Rails: "), isn't repeated in each row.
    """
    head, *rows = _cells(table)
    prefix = common_prefix([row.label for row in table.rows])
    return [head, *([name.removeprefix(prefix), *figures] for name, *figures in rows)]


def common_prefix(labels: Sequence[str]) -> str:
    """``Rails: `` if several labels all begin with it, else nothing."""
    first, colon, _ = labels[0].partition(": ") if labels else ("", "", "")
    prefix = first + colon
    same = all(label.startswith(prefix) and label != prefix for label in labels)
    return prefix if colon and same and len(set(labels)) > 1 else ""


def _cells(table: TableResult) -> Rows:
    if table.kind == "rounds":
        return [
            ["", "MB after each round", "req/s of each round", "quoted MB", "req/s", "host's MB"],
            *(_rounds(row) for row in table.rows if isinstance(row, RoundsRow)),
        ]
    runs = [row for row in table.rows if isinstance(row, SingleRunRow)]
    if table.kind == "speed":
        head = ["", "workers", "requests", "req/s", "median", "99 %", "max", "failed", "non-2xx"]
        return [head, *map(_speed, runs)]
    head = ["", "workers", "idle", "req/s", "mean", "after", "host idle", "host after"]
    return [head, *map(_memory, runs)]


def _name(row: SingleRunRow) -> str:
    return row.label if row.number == 1 else f"  run {row.number}"


def _workers(row: SingleRunRow | RoundsRow) -> str:
    return units.UNKNOWN if row.workers is None else str(row.workers)


def _marked(text: str, row: SingleRunRow | RoundsRow, quantity: str) -> str:
    return f"{text} {INVALID}" if row.invalid.get(quantity) else text


def _speed(row: SingleRunRow) -> list[str]:
    def latency(value: float | None) -> str:
        return _marked(TOO_FEW if value is None else units.duration(value), row, "latency")

    return [
        _name(row),
        _workers(row),
        units.count(row.requests),
        _marked(units.rate(row.rate), row, "rate"),
        latency(row.median),
        latency(row.p99),
        latency(row.max),
        units.count(row.failed),
        units.count(row.non_2xx),
    ]


def _memory(row: SingleRunRow) -> list[str]:
    return [
        _name(row),
        _workers(row),
        _marked(units.size(row.memory_idle), row, "memory"),
        _marked(units.rate(row.rate), row, "rate"),
        _marked(units.duration(row.mean), row, "latency"),
        _marked(units.size(row.memory_after), row, "memory"),
        units.size(row.host_idle),
        units.size(row.host_after),
    ]


def _rounds(row: RoundsRow) -> list[str]:
    return [
        row.label,
        _listed([[megabytes(value) for value in run] for run in row.memory]),
        _listed([[units.rate(value) for value in run] for run in row.rate]),
        _marked(megabytes(row.memory_quoted), row, "memory"),
        _marked(units.rate(row.rate_quoted), row, "rate"),
        megabytes(row.host_quoted),
    ]


def _listed(runs: Sequence[Sequence[str]]) -> str:
    return " | ".join("; ".join(run) for run in runs)


def megabytes(amount: float | None) -> str:
    """Bytes as a number of MB, with one decimal below 100 MB."""
    if amount is None:
        return units.UNKNOWN
    return f"{amount / 1e6:,.0f}" if abs(amount) >= 99.95e6 else f"{amount / 1e6:.1f}"


def notes(result: SuiteResult, table: TableResult) -> list[str]:
    """The lines below a table: the findings behind its marks, blanks, and variants without figures."""
    numbers = {number for row in table.rows for each in row.invalid.values() for number in each}
    found = [mark_words(mark) for mark in result.marks if mark.number in numbers]
    blanks: dict[str, list[str]] = {}
    if table.kind == "speed":
        for row in table.rows:
            if isinstance(row, SingleRunRow) and row.p99 is None and row.p99_reason:
                blanks.setdefault(row.p99_reason, []).append(row.label)
    found += [
        f"{TOO_FEW} 99 %: {reason} ({', '.join(dict.fromkeys(labels))})" for reason, labels in blanks.items()
    ]
    lacking: dict[str, list[str]] = {}
    for label, why in table.lacking:
        lacking.setdefault(why, []).append(label)
    return [*found, *(f"{'; '.join(labels)}: {why}" for why, labels in lacking.items())]


def mark_words(mark: Mark) -> str:
    """``✗ nginx: rate and latency invalid, unexpected-status: ...; shown on purpose``."""
    quantities = " and ".join(mark.quantities)
    shown = "; shown on purpose" if mark.allowed else ""
    several = f"; in {mark.runs} runs" if mark.runs > 1 else ""
    return f"{INVALID} {mark.label}: {quantities} invalid, {mark.code}: {mark.text}: {mark.evidence}{several}{shown}"


def legend(table: TableResult) -> str:
    """What the columns mean."""
    if table.kind == "speed":
        return "requests: all that were answered; req/s and times: good answers only"
    if table.kind == "memory":
        return (
            "idle, after: memory of the stack's processes alone (anonymous + shared + swapped PSS), before any load "
            "and after the last round; host: the whole machine's used memory, which the article read with free"
        )
    return (
        f"{_worker_counts(table)}; MB: the stack's processes alone (anonymous + shared + swapped PSS) after each "
        "round; quoted: the median; "
        "host's MB: the whole machine's used memory minus that before the start, the article's method, which is noisy"
    )


def _worker_counts(table: TableResult) -> str:
    """``8 workers each``; if the counts differ, which makes the comparison unfair, the count of every variant."""
    counts = {row.label: _workers(row) for row in table.rows}
    if len(set(counts.values())) == 1:
        return f"workers: {next(iter(counts.values()))} each"
    return f"{INVALID} unequal workers: {', '.join(f'{label} {count}' for label, count in counts.items())}"
