"""``summary.json``: the only place that writes it and reads it back."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError
from pydantic_core import from_json

from tui.record.record import Record
from tui.summary.schema import SCHEMA_VERSION, Summary
from tui.system.errors import UserError


class Unreadable(UserError):
    """A summary is there and can't be used; the text says why."""


def keep(record: Record, summary: Summary) -> None:
    """Write the summary into its record."""
    record.summary_path.write_text(summary.model_dump_json(by_alias=True, indent=2) + "\n")


def read_fields(record: Record) -> dict[str, Any] | None:
    """The fields of a kept summary of this version, as JSON has them; None where there is none yet.

    Raises:
        Unreadable: It is damaged, of another version, or may not be read.
    """
    try:
        content = record.summary_path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Unreadable(f"summary.json can't be read ({error.strerror})") from error
    try:
        fields = from_json(content)
        version = fields["schema_version"]
    except (ValueError, KeyError, TypeError) as error:
        raise Unreadable("summary.json is damaged") from error
    if version != SCHEMA_VERSION:
        raise Unreadable(f"summary.json has schema {version}, this stackdyno reads {SCHEMA_VERSION}")
    return dict(fields)


def kept_summary(record: Record) -> Summary | None:
    """The summary that a record has; None where it has none that is whole and of this version."""
    try:
        fields = read_fields(record)
        return None if fields is None else Summary.model_validate_json(record.summary_path.read_bytes())
    except (Unreadable, OSError, ValidationError):
        return None
