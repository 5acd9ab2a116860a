"""From a TOML file to checked values: every mistake in the file at once, each with its key and line."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from tui.profile.definition import StackDefinition
from tui.profile.overrides import Override
from tui.profile.positions import KeyPath, key_lines, line_of
from tui.profile.problems import Problem, ProfileErrors, key_text, model_problems, nearest

Model = TypeVar("Model", bound=BaseModel)


def shown(path: Path) -> str:
    """A path as a user would type it here: relative to the working folder or the home folder if it is below."""
    absolute = path.absolute()
    if absolute.is_relative_to(Path.cwd()):
        return str(absolute.relative_to(Path.cwd()))
    home = Path.home()
    return f"~/{absolute.relative_to(home)}" if absolute.is_relative_to(home) else str(absolute)


@dataclass(frozen=True)
class TomlFile:
    """A file that parses as TOML, and what was set over it on the command line."""

    path: Path
    text: str
    tables: dict[str, Any]
    overrides: Sequence[Override] = ()
    renamed: Mapping[KeyPath, str] = field(default_factory=dict)
    """Keys that the file writes with their old names: current key path, without indices, to the written name."""

    def problem(self, path: KeyPath, found: str, allowed: str = "") -> Problem:
        """A problem with the value at a key path, wherever the value came from."""
        path = self._as_written(path)
        for override in reversed(self.overrides):  # the last one typed wins
            around = override.path[: len(path)] == path and not self._has_table(path)
            if around or path[: len(override.path)] == override.path:
                return Problem(override.source, "", found, allowed)
        return Problem(shown(self.path), key_text(path), found, allowed, line_of(path, self._lines))

    def _as_written(self, path: KeyPath) -> KeyPath:
        if not self.renamed:
            return path
        keys = [
            tuple(part for part in path[: place + 1] if isinstance(part, str)) for place in range(len(path))
        ]
        return tuple(
            self.renamed.get(key, part) if isinstance(part, str) else part
            for key, part in zip(keys, path, strict=True)
        )

    def _has_table(self, path: KeyPath) -> bool:
        """Whether the file itself has a table there; otherwise an override created it."""
        node: Any = self.tables
        for part in path:
            node = node.get(part) if isinstance(node, dict) else None
        return isinstance(node, dict)

    @cached_property
    def _lines(self) -> dict[KeyPath, int]:
        return key_lines(self.text)


def read_toml(path: Path) -> TomlFile:
    """Reads a file; raises ``ProfileErrors`` if it can't be read or isn't TOML."""
    try:
        text = path.read_text(encoding="utf-8")
        return TomlFile(path, text, tomllib.loads(text))
    except OSError as error:
        raise ProfileErrors([Problem(shown(path), "", f"can't be read: {error.strerror}")]) from None
    except UnicodeDecodeError as error:
        problem = Problem(shown(path), "", f"isn't UTF-8 text (byte {error.start})")
        raise ProfileErrors([problem]) from None
    except tomllib.TOMLDecodeError as error:
        problem = Problem(shown(path), "", f"isn't valid TOML: {str(error)[:1].lower()}{str(error)[1:]}")
        raise ProfileErrors([problem]) from None


def with_present_names(file: TomlFile, renames: Mapping[KeyPath, str]) -> TomlFile:
    """The file with the current names of keys that were renamed after it was written.

    ``renames`` maps old key paths, without indices, to the current name of their last key. Problems are still reported
    with the key as written. If a file has both, the old one stays and is reported as an unknown key.
    """
    found: dict[KeyPath, str] = {}

    def renamed(node: Any, old: KeyPath, new: KeyPath) -> Any:
        if isinstance(node, list):
            return [renamed(item, old, new) for item in node]
        if not isinstance(node, dict):
            return node
        tables = {}
        for key, value in node.items():
            name = renames.get((*old, key), key)
            if name != key and name in node:
                name = key
            if name != key:
                found[(*new, name)] = key
            tables[name] = renamed(value, (*old, key), (*new, name))
        return tables

    tables = renamed(file.tables, (), ())
    return replace(file, tables=tables, renamed=found)


def validated(
    file: TomlFile, model: type[Model], tables: Mapping[str, Any], problems: Sequence[Problem] = ()
) -> Model:
    """The tables as a checked model; raises ``ProfileErrors`` with the given problems and its own."""
    try:
        value = model.model_validate(dict(tables))
    except ValidationError as error:
        raise ProfileErrors([*problems, *model_problems(error, model, file.problem)]) from None
    if problems:
        raise ProfileErrors(problems)
    return value


def option_problems(
    options: object,
    stack: str,
    definition: StackDefinition,
    problem: Callable[[KeyPath, str, str], Problem],
) -> list[Problem]:
    """What is wrong with the options that a profile sets, or leaves out, for this stack."""
    if not isinstance(options, dict):
        return []  # the profile's model says that it must be a table
    problems = []
    for name, value in options.items():
        if name not in definition.options:
            found = f'the stack "{stack}" has no such option'
            problems.append(problem(("options", name), found, nearest(name, definition.options)))
            continue
        try:
            definition.options[name].check(value)
        except ValueError as error:
            problems.append(problem(("options", name), str(error), ""))
    for name, option in definition.options.items():
        if option.default is None and name not in options:
            problems.append(problem(("options", name), "missing", option.help))
    return problems
