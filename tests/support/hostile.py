"""Text that commands a terminal, and records whose every string is that text, as an older stackdyno wrote them."""

from __future__ import annotations

import json
import re
import typing
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel

from tui.record.events import Event
from tui.record.record import Record

HOSTILE = (
    "\x1b]0;title\x07\x1b]52;c;Zm9v\x1b\\\x1b[2J\x1b[31mred\x1b[0m\x9b1;1H\x9d0;t\x9c"
    "\x00\x08\x7f\u202egpj\u2066\u200f\u2028\ttab\r a [/b] [red]c | `d` <e> & end"
)
"""Titles, the clipboard, clearing, colours, C1 controls, direction overrides, markup of three kinds."""
COMMANDS = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""What may leave in no output; a line break may."""


def assert_harmless(text: str) -> None:
    found = COMMANDS.search(text)
    assert found is None, f"{found[0]!r} in {text[max(0, found.start() - 60) : found.end() + 20]!r}"


def hostile(value: Any, annotation: Any = str) -> Any:
    """A value as JSON, with HOSTILE instead of each of its strings that isn't one of a closed set."""
    if isinstance(value, BaseModel):
        model = type(value)
        return {
            name: hostile(getattr(value, name), field.annotation)
            for name, field in model.model_fields.items()
        }
    if isinstance(value, Mapping):
        return {hostile(key): hostile(each) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return [hostile(each) for each in value]
    if isinstance(value, str):
        return value if _closed(annotation) else HOSTILE
    return HOSTILE if value is None and _may_be_text(annotation) else value


def _parts(annotation: Any) -> Iterable[Any]:
    return get_args(annotation) if get_origin(annotation) is not Literal else (annotation,)


def _closed(annotation: Any) -> bool:
    parts = [annotation, *_parts(annotation)]
    return any(get_origin(part) is Literal for part in parts) and not _may_be_text(annotation)


def _may_be_text(annotation: Any) -> bool:
    """Whether it is text, or text or None."""
    if get_origin(annotation) is typing.Annotated:
        return _may_be_text(get_args(annotation)[0])
    return annotation is str or (
        type(None) in get_args(annotation) and any(_may_be_text(part) for part in get_args(annotation))
    )


def write_hostile(record: Record, events: Iterable[Event]) -> Record:
    """A record of these events with every string replaced, written raw."""
    record.folder.mkdir(parents=True)
    record.logs.mkdir()
    lines = [json.dumps(hostile(event), ensure_ascii=False) for event in events]
    record.events_path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return record


def hostile_folder(parent: Path) -> Path:
    """A folder whose name is hostile too, as far as a name can be."""
    return parent / f"2026-12-01_03-20-00_{HOSTILE.translate({0: None, ord('/'): None})}"
