"""Writes a folded run in any of the formats."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tui.findings.judge import judge
from tui.findings.judged import summarise, summary_beside
from tui.formats import csv, hgrm, html, markdown, text
from tui.record.record import Record, read_state
from tui.record.state import RunState
from tui.summary.reading import as_json, kept_summary
from tui.summary.schema import Summary
from tui.summary.secrets import Secrets
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


def render_record(record: Record, format_name: str, *, with_secrets: bool = False) -> str:
    """A kept run in one of ``FORMATS``. If its events can't be read, its summary is used where that is whole.

    ``with_secrets``: what :mod:`tui.summary.secrets` masks stays as it is.

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
        whole = summary_beside(kept, str(error))
        return _shown(whole, lambda summary: _render_summary(summary, format_name), with_secrets=with_secrets)
    return render(record, state, format_name, with_secrets=with_secrets)


def render(record: Record, state: RunState, format_name: str, *, with_secrets: bool = False) -> str:
    """A run in one of ``FORMATS``; raises UserError for any other."""
    if format_name not in FORMATS:
        raise UserError(f'there is no format "{format_name}"; known: {", ".join(FORMATS)}')
    return _shown(
        summarise(record, state),
        lambda summary: _render(summary, state, format_name),
        with_secrets=with_secrets,
    )


def _shown(summary: Summary, rendered: Callable[[Summary], str], *, with_secrets: bool) -> str:
    """What is rendered, harmless for a terminal, and without the profile's secrets."""
    if with_secrets:
        return printable(rendered(summary))
    secrets = Secrets(summary.profile)
    masked = summary.model_copy(update={"profile": secrets.masked_profile(summary.profile)})
    return secrets.mask(printable(rendered(masked)))


def _render(summary: Summary, state: RunState, format_name: str) -> str:
    match format_name:
        case "html":
            return html.render(summary, state)
        case "csv":
            return csv.render(state, _invalid(summary, state))
        case "hgrm":
            invalid = "latency" in _invalid(summary, state)
            return hgrm.render(state.times("total"), invalid=invalid, lost=state.lost)
        case _:
            return _render_summary(summary, format_name)


def _invalid(summary: Summary, state: RunState) -> tuple[str, ...]:
    """What must not be used of what is made from the events: a whole summary doesn't mend those."""
    return summary.invalid if state.lost is None else judge(state).invalid


def _render_summary(summary: Summary, format_name: str) -> str:
    match format_name:
        case "text":
            return text.render(summary)
        case "markdown":
            return markdown.render(summary)
        case _:
            return as_json(summary)


def export(record: Record, format_name: str, path: Path, *, with_secrets: bool = False) -> Path:
    """Write a run to ``path`` and return the absolute path.

    A folder gets a file named after the run. Raises UserError for an unknown format or a path that can't be written.
    """
    content = render_record(record, format_name, with_secrets=with_secrets)
    path = path.expanduser().absolute()
    if path.is_dir():
        path = path / f"{record.name}{FORMATS[format_name]}"
    write(content, path)
    return path


def write(text: str, path: Path) -> None:
    """Write an export whole or not at all; raises UserError if that isn't possible."""
    write_export(path, text)
