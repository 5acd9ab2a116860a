"""From a server's status page to how many are busy: parsing, and the expressions of a stack definition.

:mod:`tui.profile.status` says what the expressions may use.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal
from xml.etree import ElementTree

from jinja2 import StrictUndefined, Undefined
from jinja2.environment import TemplateExpression
from jinja2.exceptions import TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from tui.system.errors import UserError

Format = Literal["json", "text", "csv", "xml"]
_INTEGER = re.compile(r"[+-]?\d+")
_NUMBER = re.compile(r"[+-]?\d*\.?\d+(?:[eE][+-]?\d+)?")
_LONGEST_QUOTE = 60


class StatusError(UserError):
    """A status page could not be read or didn't say what was expected; the text is the reason."""


@dataclass(frozen=True, slots=True)
class WorkerStatus:
    """What a page says of one worker; None if it doesn't."""

    pid: int
    requests: int | None
    busy: bool | None


@dataclass(frozen=True, slots=True)
class StatusReading:
    """What a page says; None if it doesn't. ``requests`` are those answered so far."""

    busy: int | None = None
    idle: int | None = None
    queue: int | None = None
    requests: int | None = None
    workers: tuple[WorkerStatus, ...] = ()


class StatusPage:
    """Knows one kind of page: how to parse it, and what to extract."""

    def __init__(
        self,
        form: Format,
        *,
        find: Mapping[str, str],
        rows: str,
        values: Mapping[str, str],
        workers: Mapping[str, str],
    ) -> None:
        """``values`` and ``workers`` are expressions by what they give."""
        expressions = ImmutableSandboxedEnvironment(undefined=StrictUndefined)
        self._form = form
        self._find = dict(find)
        self._rows = rows
        self._values = _compiled(expressions, values)
        self._workers = _compiled(expressions, workers)

    def parse(self, page: str, reads: int) -> StatusReading:
        """What ``page`` says; ``reads`` is how often it has been read, this time included.

        Raises:
            StatusError: It isn't of its format, or an expression doesn't fit it.
        """
        names = self._names(page) | {"reads": reads}
        values = {key: _count(key, self._value(key, expression, names)) for key, expression in self._values}
        return StatusReading(**values, workers=tuple(self._of_workers(names)))

    def _names(self, page: str) -> dict[str, Any]:
        """What the expressions may use."""
        try:
            if self._form == "json":
                return {"doc": json.loads(page)}
            if self._form == "csv":
                return {"rows": _csv_rows(page)}
            if self._form == "xml":
                return self._of_xml(ElementTree.fromstring(page))
        except (ValueError, ElementTree.ParseError) as error:
            raise StatusError(f"the answer isn't {self._form}: {_quoted(page)} ({error})") from error
        return self._of_text(page)

    def _of_text(self, page: str) -> dict[str, Any]:
        names: dict[str, Any] = {}
        for name, pattern in self._find.items():
            found = re.search(pattern, page)
            if found is None:
                raise StatusError(f"{name} isn't in the answer: {_quoted(page)}")
            names[name] = _plain(found[1])
        if self._rows:
            names["rows"] = [_plain_all(found.groupdict()) for found in re.finditer(self._rows, page)]
        return names

    def _of_xml(self, root: ElementTree.Element) -> dict[str, Any]:
        names: dict[str, Any] = {}
        for name, path in self._find.items():
            found = root.findtext(path)
            if found is None:
                raise StatusError(f"{name} isn't in the answer: there is no element {path}")
            names[name] = _plain(found)
        if self._rows:
            names["rows"] = [
                _plain_all({child.tag: child.text for child in row}) for row in root.iterfind(self._rows)
            ]
        return names

    def _of_workers(self, names: Mapping[str, Any]) -> list[WorkerStatus]:
        expressions = dict(self._workers)
        if not expressions:
            return []
        each = self._value("workers.each", expressions.pop("each"), names)
        found = []
        for it in each:
            said = {
                key: _count(f"workers.{key}", self._value(f"workers.{key}", expression, {**names, "it": it}))
                for key, expression in expressions.items()
            }
            busy = said.get("busy")
            if pid := said["pid"]:
                found.append(WorkerStatus(pid, said.get("requests"), None if busy is None else busy > 0))
        return found

    def _value(self, key: str, expression: TemplateExpression, names: Mapping[str, Any]) -> Any:
        try:
            value = expression(names)
            if isinstance(value, Undefined):
                str(value)  # raises, and says what isn't there
        except (TemplateError, ArithmeticError, TypeError, ValueError, LookupError) as error:
            raise StatusError(f"{key} can't be computed from the answer: {error}") from error
        return value


def _compiled(
    expressions: ImmutableSandboxedEnvironment, texts: Mapping[str, str]
) -> list[tuple[str, TemplateExpression]]:
    return [
        (key, expressions.compile_expression(text, undefined_to_none=False)) for key, text in texts.items()
    ]


def _count(key: str, value: Any) -> int | None:
    """A whole number, true as 1; None if it is unknown."""
    if value is None or value == "":
        return None
    try:
        return int(value)
    except (TypeError, ValueError):
        raise StatusError(f"{key} gives {_quoted(str(value))}, which is no number") from None


def _csv_rows(page: str) -> list[dict[str, Any]]:
    """The rows by the names in the head, which may begin as a comment."""
    rows = csv.DictReader(page.lstrip("# ").splitlines())
    return [_plain_all(row) for row in rows]


def _plain_all(texts: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _plain(text) for name, text in texts.items()}


def _plain(text: Any) -> Any:
    """A number where it looks like one."""
    if not isinstance(text, str):
        return text
    text = text.strip()
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text


def _quoted(page: str) -> str:
    line = " ".join(page.split())
    return repr(line if len(line) <= _LONGEST_QUOTE else f"{line[:_LONGEST_QUOTE]}…")
