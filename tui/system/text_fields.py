"""Fields of models for text that isn't ours.

A model is validated when an event is made and when a record is read, so this one place covers both: what enters a
record now, and what an older stackdyno wrote into it raw.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator

from tui.system.text import bounded


def _cleaned(value: Any) -> Any:
    """Every string in a value as TOML or JSON has it."""
    if isinstance(value, str):
        return bounded(value)
    if isinstance(value, dict):
        return {_cleaned(key): _cleaned(each) for key, each in value.items()}
    return [_cleaned(each) for each in value] if isinstance(value, list | tuple) else value


Text = Annotated[str, BeforeValidator(_cleaned)]
"""A string that is safe to show."""
Table = Annotated[dict[str, Any], BeforeValidator(_cleaned)]
"""A table of a TOML file with strings that are safe to show."""
