"""The ways out: each the same folded run in another form."""

from __future__ import annotations

from pathlib import Path

from tui.findings.judged import summarise
from tui.formats import hgrm, html, markdown, series, text
from tui.record.record import Record, read_state
from tui.record.state import RunState
from tui.system.errors import UserError

FORMATS: dict[str, str] = {
    "text": ".txt",
    "json": ".json",
    "markdown": ".md",
    "csv": ".csv",
    "hgrm": ".hgrm",
    "html": ".html",
}
"""The formats by name, with the ending that a file of it has."""


def render(record: Record, state: RunState, form: str) -> str:
    """A run in one of ``FORMATS``; raises UserError for another."""
    match form:
        case "text":
            return text.render(summarise(record, state))
        case "json":
            return summarise(record, state).model_dump_json(by_alias=True, indent=2) + "\n"
        case "markdown":
            return markdown.render(summarise(record, state))
        case "csv":
            return series.render(state, summarise(record, state).invalid)
        case "hgrm":
            void = "latency" in summarise(record, state).invalid
            return hgrm.render(state.times("total"), invalid=void)
        case "html":
            return html.render(summarise(record, state), state)
    raise UserError(f'there is no format "{form}"; known: {", ".join(FORMATS)}')


def export(record: Record, form: str, path: Path) -> Path:
    """Write a record's summary to ``path`` and return it, made absolute.

    A folder gets a file named after the run. Raises UserError for an unknown format or a path that can't be written.
    """
    content = render(record, read_state(record), form)
    path = path.expanduser().absolute()
    try:
        if path.is_dir():
            path = path / f"{record.name}{FORMATS[form]}"
        path.write_text(content, encoding="utf-8")
    except OSError as error:
        raise UserError(
            f"{path}: it can't be written there ({error.strerror}); choose another path"
        ) from error
    return path
