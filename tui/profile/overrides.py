"""``--set load.requests=2000``: profile keys that are set on the command line.

A value is TOML if it parses as TOML, else plain text; a number is kept as text if the key takes text, so nobody
needs quotes within quotes: ``cpus=0`` means CPU 0.
"""

import copy
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast, get_args

from tui.profile.definition import StackDefinition
from tui.profile.models import LoadMode, Profile, cannot_act
from tui.profile.problems import annotation_at, forms
from tui.system.errors import UserError

_EXCLUSIVE: dict[tuple[str, ...], str] = {
    ("load", "requests"): "duration",
    ("load", "duration"): "requests",
}
_LOAD_MODES: dict[tuple[str, ...], str] = {("load", "command"): "command", ("load", "rate"): "open"}


@dataclass(frozen=True)
class Override:
    """One ``--set``: the key path, the parsed TOML value, and the text as typed."""

    path: tuple[str, ...]
    value: object
    text: str

    @property
    def source(self) -> str:
        """What was typed, to name it in an error."""
        return f"--set {'.'.join(self.path)}={self.text}"


def parse_override(item: str) -> Override:
    """Reads ``KEY=VALUE``; raises ``UserError`` for anything else."""
    key, equals, text = item.partition("=")
    path = tuple(part.strip() for part in key.split("."))
    if not equals or not all(path):
        raise UserError(
            f'--set {item}: write KEY=VALUE, such as "load.requests=2000" or "options.preload=false"'
        )
    try:
        parsed = tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError:
        return Override(path, text, text)
    return Override(path, parsed["value"] if len(parsed) == 1 else text, text)


def apply_overrides(
    raw: dict[str, Any], items: Iterable[str], definition: StackDefinition | None = None
) -> dict[str, Any]:
    """A copy of a profile's raw tables with the overrides set; they are validated later, as the file is.

    ``definition`` says which of the stack's options are numbers. Setting load.requests clears load.duration, and
    vice versa; setting load.mode, load.command or load.rate clears keys in the file that can no longer act.
    """
    tables = copy.deepcopy(raw)
    overrides = [parse_override(item) for item in items]
    for override in overrides:
        _clear_load(tables.get("load"), override)
    for override in overrides:
        table = tables
        for part in override.path[:-1]:
            if not isinstance(table.get(part), dict):
                table[part] = {}
            table = table[part]
        table[override.path[-1]] = _value(override, definition)
        if other := _EXCLUSIVE.get(override.path):
            table.pop(other, None)
    return tables


def _clear_load(load: Any, override: Override) -> None:
    mode = override.value if override.path == ("load", "mode") else _LOAD_MODES.get(override.path)
    if not isinstance(load, dict) or mode not in get_args(LoadMode):
        return
    of_our_load = ("connections", "keepalive", "duration") if mode == "command" else ()
    for key in (*cannot_act(cast(LoadMode, mode)), *of_our_load, "mode"):
        load.pop(key, None)


def _value(override: Override, definition: StackDefinition | None) -> object:
    if isinstance(override.value, str | list | dict) or _takes_numbers(override.path, definition):
        return override.value
    return override.text.strip()


def _takes_numbers(path: tuple[str, ...], definition: StackDefinition | None) -> bool:
    if path[0] == "options" and len(path) == 2 and definition is not None:
        option = definition.options.get(path[1])
        return option is None or option.type in ("integer", "boolean")
    return bool({int, bool} & set(forms(annotation_at(Profile, path))))
