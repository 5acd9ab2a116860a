"""The small types of a definition: templates, and texts in a fixed form."""

import re
import signal
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field

from tui.profile.types import quoted


def _number_as_text(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _truth_as_text(value: object) -> object:
    return quoted(value) if isinstance(value, bool) else value


def _signal_name(value: str) -> str:
    if f"SIG{value}" not in signal.Signals.__members__:
        raise ValueError(
            f'found {quoted(value)}; write a signal without SIG, such as "TERM", "QUIT" or "INT"'
        )
    return value


def _regular_expression(value: str) -> str:
    try:
        re.compile(value)
    except re.error as error:
        raise ValueError(f"found {quoted(value)}, which is no regular expression: {error}") from None
    return value


def _octal_mode(value: str) -> str:
    if not (value.isdecimal() and set(value) <= set("01234567") and 3 <= len(value) <= 4):
        raise ValueError(f'found {quoted(value)}; write permissions in octal, such as "0644"')
    return value


Template = str
"""Text that Jinja2 renders."""
Templates = Annotated[tuple[Template, ...], Field(strict=False)]
NumberTemplate = Annotated[str, BeforeValidator(_number_as_text)]
"""A whole number, or a template that gives one."""
TruthTemplate = Annotated[str, BeforeValidator(_truth_as_text)]
"""``true`` or ``false``, or a template that gives one: "{{ options.preload }}"."""
SignalName = Annotated[str, AfterValidator(_signal_name)]
Mode = Annotated[str, AfterValidator(_octal_mode)]
Regex = Annotated[str, AfterValidator(_regular_expression)]
