"""A suite's result as text for a terminal, as Markdown, and as JSON."""

from __future__ import annotations

import textwrap
from typing import Literal

from tui.report.markdown import grid
from tui.report.rows import Rows
from tui.report.text import table as aligned
from tui.suite.cells import VOID, cells, legend, notes
from tui.suite.schema import SuiteResult

WIDTH = 100
_WIDEST = (26, 99, 21, 21, 99, 99, 99)
"""Columns of a table of rounds are folded beyond these widths."""

Form = Literal["text", "markdown", "json"]


def render(result: SuiteResult, form: Form) -> str:
    """The result in a form; ends with a newline."""
    if form == "json":
        return result.model_dump_json(by_alias=True, indent=2) + "\n"
    return _markdown(result) if form == "markdown" else _text(result)


def _text(result: SuiteResult) -> str:
    parts = [
        "\n".join([f"{result.suite}: {result.title}", *([_wrapped(result.source)] if result.source else [])])
    ]
    for table in result.tables:
        rows = cells(table)
        lines = [table.title]
        if len(rows) > 1:
            lines += [_folded(rows) if table.kind == "rounds" else aligned(_evened(rows)), ""]
            lines.append(_wrapped(legend(table), "  ", "  "))
        lines += [_wrapped(note, "  ", "     ") for note in notes(result, table)]
        parts.append("\n".join(lines))
    if result.answers:
        lines = ["Questions"]
        for answer in result.answers:
            lines += [f"  {answer.text}", _wrapped(answer.sentence, "    ", "    ")]
        parts.append("\n".join(lines))
    parts.append("\n".join(_circumstances(result)))
    return "\n\n".join(parts) + "\n"


def _markdown(result: SuiteResult) -> str:
    parts = [f"## {_plain(result.suite)}: {_plain(result.title)}"]
    if result.source:
        parts.append(_plain(result.source))
    for table in result.tables:
        parts.append(f"### {_plain(table.title)}")
        rows = cells(table)
        if len(rows) > 1:
            parts += [grid(rows), f"{_plain(legend(table))}."]
        if found := notes(result, table):
            parts.append("\n".join(f"- {_plain(note)}" for note in found))
    if result.answers:
        parts.append("### Questions")
        parts.append(grid([["question", "answer"], *([each.text, each.sentence] for each in result.answers)]))
    parts.append("\n".join(f"- {_plain(line)}" for line in _circumstances(result)))
    return "\n\n".join(parts) + "\n"


def _circumstances(result: SuiteResult) -> list[str]:
    lines = []
    if result.state == "incomplete":
        lines.append(f"{VOID} The suite didn't run to its end: figures may be lacking.")
    if result.warnings:
        told = ", ".join(f"{each.code} ({each.starts})" for each in result.warnings)
        lines.append(
            _wrapped(f"▲ Warnings, with the number of runs: {told}; `stackdyno export RUN` tells them.")
        )
    if (machine := result.machine) is not None:
        lines.append(
            _wrapped(
                f"{machine.hostname}, {machine.cpu_model or 'CPU unknown'}, {len(machine.usable_cpus)} CPUs, kernel "
                f"{machine.kernel}, stackdyno {result.stackdyno}"
            )
        )
    return lines


def _evened(rows: Rows) -> Rows:
    """Marks to the right of the figures: cells without one are padded, so that the figures stay aligned."""
    evened = [list(row) for row in rows]
    for column in range(1, len(rows[0])):
        marks = [row[column].partition(f" {VOID}") for row in rows]
        longest = max(len(sign) + len(number) for _, sign, number in marks)
        for row, (figure, sign, number) in zip(evened, marks, strict=True):
            row[column] = figure + (sign + number).ljust(longest)
    return evened


def _folded(rows: Rows) -> str:
    """A table whose long cells take several lines."""
    lines: Rows = []
    for row in _evened(rows):
        parts = [
            textwrap.wrap(cell, most, break_long_words=False) or [""] if cell.strip() else [cell]
            for cell, most in zip(row, _WIDEST, strict=True)
        ]
        height = max(map(len, parts))
        lines += [[part[line] if line < len(part) else "" for part in parts] for line in range(height)]
    return aligned(lines, left=(0, 2, 3))


def _wrapped(text: str, first: str = "", others: str = "") -> str:
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=others,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _plain(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")
