"""Writes a folded run in any of the formats."""

from __future__ import annotations

from pathlib import Path

from tui.findings.judge import judge
from tui.findings.judged import summarise, summary_beside
from tui.formats import csv, hgrm, html, markdown, text
from tui.record.record import Record, read_state
from tui.record.state import RunState
from tui.summary.reading import as_json, kept_summary
from tui.summary.schema import Summary
from tui.system.errors import UserError
from tui.system.text import printable
from tui.system.wholefiles import write_export

FORMATS: dict[str, str] = {
    "text": ".txt",
    "json": ".json",
    "markdown": ".md",
    "csv": ".csv",
    "hgrm": ".hgrm",
    "html": ".html",
}
"""The formats and their file extensions."""
OF_A_SUMMARY = ("text", "json", "markdown")
"""Those that show nothing but the summary."""


def render_record(record: Record, format_name: str) -> str:
    """A kept run in one of ``FORMATS``. If its events can't be read, its summary is used where that is whole.

    Raises:
        UserError: There is no such format, or the record is too damaged for it.
    """
    try:
        state = read_state(record)
    except UserError as error:
        kept = kept_summary(record)
        if kept is None:
            raise
        if format_name not in OF_A_SUMMARY:
            formats = " or ".join((", ".join(OF_A_SUMMARY[:-1]), OF_A_SUMMARY[-1]))
            raise UserError(f"{error}; its summary is whole: export it as {formats}") from error
        return printable(_render_summary(summary_beside(kept, str(error)), format_name))
    return render(record, state, format_name)


def render(record: Record, state: RunState, format_name: str) -> str:
    """A run in one of ``FORMATS``; raises UserError for any other."""
    if format_name not in FORMATS:
        raise UserError(f'there is no format "{format_name}"; known: {", ".join(FORMATS)}')
    return printable(_render(record, state, format_name))  # names of folders are kept raw until here


def _render(record: Record, state: RunState, format_name: str) -> str:
    match format_name:
        case "html":
            return html.render(summarise(record, state), state)
        case "csv":
            return csv.render(state, _invalid(record, state))
        case "hgrm":
            invalid = "latency" in _invalid(record, state)
            return hgrm.render(state.times("total"), invalid=invalid, lost=state.lost)
        case _:
            return _render_summary(summarise(record, state), format_name)


def _invalid(record: Record, state: RunState) -> tuple[str, ...]:
    """What must not be used of what is made from the events: a whole summary doesn't mend those."""
    return summarise(record, state).invalid if state.lost is None else judge(state).invalid


def _render_summary(summary: Summary, format_name: str) -> str:
    match format_name:
        case "text":
            return text.render(summary)
        case "markdown":
            return markdown.render(summary)
        case _:
            return as_json(summary)


def export(record: Record, format_name: str, path: Path) -> Path:
    """Write a run to ``path`` and return the absolute path.

    A folder gets a file named after the run. Raises UserError for an unknown format or a path that can't be written.
    """
    content = render_record(record, format_name)
    path = path.expanduser().absolute()
    if path.is_dir():
        path = path / f"{record.name}{FORMATS[format_name]}"
    write(content, path)
    return path


def write(text: str, path: Path) -> None:
    """Write an export whole or not at all; raises UserError if that isn't possible."""
    write_export(path, text)
