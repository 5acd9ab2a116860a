"""A suite's result as text for a terminal, as Markdown, and as JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Literal

from tui.formats.markdown import escaped, grid
from tui.formats.rows import Rows
from tui.formats.text import table as aligned
from tui.formats.text import wrapped
from tui.suite.cells import INVALID, cells, legend, notes
from tui.suite.schema import SuiteResult
from tui.summary.secrets import Secrets
from tui.system.text import printable

WIDTH = 100
QUESTIONS = "Questions, by the median over the rounds of each run"
LIST = 21
"""Columns that a list of rounds may take before it is wrapped."""
NARROWEST = 12
"""The fewest columns for the labels."""

FormatName = Literal["text", "markdown", "json"]
FORMATS: tuple[FormatName, ...] = ("text", "json", "markdown")


def render(result: SuiteResult, name: FormatName, secrets: Secrets | None = None) -> str:
    """The result in one of ``FORMATS``, without the ``secrets``; ends with a newline."""
    if secrets is not None:
        return secrets.mask(render(secrets.masked_model(result), name))
    if name == "json":
        return printable(result.model_dump_json(by_alias=True, indent=2)) + "\n"
    return printable(_markdown(result) if name == "markdown" else _text(result))


def _text(result: SuiteResult) -> str:
    parts = [
        "\n".join([f"{result.suite}: {result.title}", *([wrapped(result.source)] if result.source else [])])
    ]
    for table in result.tables:
        rows = cells(table)
        lines = [table.title]
        if len(rows) > 1:
            lines += [_folded(rows, lists=(1, 2) if table.kind == "rounds" else ()), ""]
            lines.append(wrapped(legend(table), "  ", "  "))
        lines += [wrapped(note, "  ", "     ") for note in notes(result, table)]
        parts.append("\n".join(lines))
    if result.answers:
        lines = [QUESTIONS]
        for answer in result.answers:
            lines += [f"  {answer.text}", wrapped(answer.sentence, "    ", "    ")]
        parts.append("\n".join(lines))
    parts.append("\n".join(_circumstances(result)))
    return "\n\n".join(parts) + "\n"


def _markdown(result: SuiteResult) -> str:
    parts = [f"## {escaped(result.suite)}: {escaped(result.title)}"]
    if result.source:
        parts.append(escaped(result.source))
    for table in result.tables:
        parts.append(f"### {escaped(table.title)}")
        rows = cells(table)
        if len(rows) > 1:
            parts += [grid(rows), f"{escaped(legend(table))}."]
        if found := notes(result, table):
            parts.append("\n".join(f"- {escaped(note)}" for note in found))
    if result.answers:
        parts.append(f"### {QUESTIONS}")
        parts.append(grid([["question", "answer"], *([each.text, each.sentence] for each in result.answers)]))
    parts.append("\n".join(f"- {escaped(line)}" for line in _circumstances(result)))
    return "\n\n".join(parts) + "\n"


def _circumstances(result: SuiteResult) -> list[str]:
    lines = []
    if result.state == "incomplete":
        lines.append(f"{INVALID} The suite didn't run to its end: figures may be missing.")
    if result.warnings:
        listed = ", ".join(f"{each.code} ({each.runs})" for each in result.warnings)
        lines.append(
            wrapped(f"▲ Warnings, with the number of runs: {listed}; `stackdyno export RUN` explains them.")
        )
    if (machine := result.machine) is not None:
        lines.append(
            wrapped(
                f"{machine.hostname}, {machine.cpu_model or 'CPU unknown'}, {len(machine.usable_cpus)} CPUs, kernel "
                f"{machine.kernel}, stackdyno {result.stackdyno}"
            )
        )
    return lines


def _evened(rows: Rows) -> Rows:
    """Puts marks to the right of the figures: cells without one are padded, so the figures stay aligned."""
    marked = [any(row[column].endswith(INVALID) for row in rows) for column in range(len(rows[0]))]
    return [
        [
            f"{cell}  " if column and marked[column] and not cell.endswith(INVALID) else cell
            for column, cell in enumerate(row)
        ]
        for row in rows
    ]


def _folded(rows: Rows, lists: Sequence[int] = ()) -> str:
    """A table at most ``WIDTH`` columns wide: the columns in ``lists``, and then the first column, are wrapped."""
    rows = _evened(rows)
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for column in lists:
        widths[column] = min(widths[column], LIST)
    widths[0] = max(min(widths[0], WIDTH - sum(widths[1:]) - 2 * len(widths)), NARROWEST)
    lines: Rows = []
    for row in rows:
        parts = [
            _lines(cell, width, indent="" if column else "  ") if len(cell) > width else [cell]
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        height = max(map(len, parts))
        lines += [[part[line] if line < len(part) else "" for part in parts] for line in range(height)]
    return aligned(lines, left=(0, *lists))


def _lines(cell: str, width: int, indent: str) -> list[str]:
    return textwrap.wrap(cell, width, subsequent_indent=indent, break_long_words=False)
