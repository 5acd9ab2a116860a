"""``summary.json``: only this module writes and reads it."""

from __future__ import annotations

from datetime import datetime
from typing import Any, TypeVar

from pydantic import BaseModel
from pydantic_core import from_json

from tui.record.record import Record
from tui.record.second_place import find_place
from tui.record.soundness import LONGEST
from tui.summary.schema import SCHEMA_VERSION, Summary
from tui.system.errors import UserError
from tui.system.regularfiles import read_regular
from tui.system.wholefiles import write_whole

Model = TypeVar("Model", bound=BaseModel)


class Unreadable(UserError):
    """The summary exists but can't be used; the text says why."""


def keep(record: Record, summary: Summary) -> None:
    """Write the summary into its record."""
    place = find_place(record.folder)
    write_whole(
        record.summary_path if place is None else place / record.summary_path.name,
        as_json(summary),
        private=True,
    )


def as_json(summary: Summary) -> str:
    """The text of ``summary.json``, which is also the JSON export."""
    return summary.model_dump_json(by_alias=True, indent=2) + "\n"


def read(record: Record, model: type[Model]) -> Model | None:
    """A kept summary as ``model``: :class:`Summary`, or a part of its fields; None if there is none yet.

    Raises:
        Unreadable: It is damaged, has another schema version, or can't be opened.
    """
    try:
        content = read_regular(record.summary_path)
    except FileNotFoundError:
        place = find_place(record.folder)
        return None if place is None else read(Record(place), model)
    except OSError as error:
        raise Unreadable(f"summary.json can't be read ({error.strerror})") from error
    try:
        fields = from_json(content, allow_inf_nan=False)
        version = fields["schema_version"]
        if version == SCHEMA_VERSION:
            found = model.model_validate(fields)
            _check_times(fields)
            return found
    except (ValueError, KeyError, TypeError) as error:
        raise Unreadable("summary.json is damaged") from error
    raise Unreadable(f"summary.json has schema {version}, this stackdyno reads {SCHEMA_VERSION}")


def _check_times(fields: dict[str, Any]) -> None:
    """Raises ValueError for times that no run has: no calendar shows them."""
    started, elapsed = datetime.fromisoformat(fields["started"]), fields["elapsed"]
    if not (1970 <= started.year < 3000 and 0 <= elapsed <= LONGEST):
        raise ValueError(f"started {started}, elapsed {elapsed}")


def kept_summary(record: Record) -> Summary | None:
    """A record's summary; None if it has none that this version can read."""
    try:
        return read(record, Summary)
    except Unreadable:
        return None
