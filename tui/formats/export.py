"""Writes a folded run in any of the formats."""

from __future__ import annotations

from pathlib import Path

from tui.findings.judged import summarise
from tui.formats import csv, hgrm, html, markdown, text
from tui.record.record import Record, read_state
from tui.record.state import RunState
from tui.summary.reading import as_json
from tui.system.errors import UserError

FORMATS: dict[str, str] = {
    "text": ".txt",
    "json": ".json",
    "markdown": ".md",
    "csv": ".csv",
    "hgrm": ".hgrm",
    "html": ".html",
}
"""The formats and their file extensions."""


def render(record: Record, state: RunState, format_name: str) -> str:
    """A run in one of ``FORMATS``; raises UserError for any other."""
    if format_name not in FORMATS:
        raise UserError(f'there is no format "{format_name}"; known: {", ".join(FORMATS)}')
    summary = summarise(record, state)
    match format_name:
        case "text":
            return text.render(summary)
        case "markdown":
            return markdown.render(summary)
        case "html":
            return html.render(summary, state)
        case "csv":
            return csv.render(state, summary.invalid)
        case "hgrm":
            return hgrm.render(state.times("total"), invalid="latency" in summary.invalid)
        case _:
            return as_json(summary)


def export(record: Record, format_name: str, path: Path) -> Path:
    """Write a run to ``path`` and return the absolute path.

    A folder gets a file named after the run. Raises UserError for an unknown format or a path that can't be written.
    """
    content = render(record, read_state(record), format_name)
    path = path.expanduser().absolute()
    if path.is_dir():
        path = path / f"{record.name}{FORMATS[format_name]}"
    write(content, path)
    return path


def write(text: str, path: Path) -> None:
    """Write an export; raises UserError if that isn't possible."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path}: can't write there ({error.strerror}); choose another path") from error
