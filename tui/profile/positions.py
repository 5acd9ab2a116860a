"""On which line of a TOML file a key is.

``tomllib`` keeps no positions. So the file is read again statement by statement, and ``tomllib`` itself
shows where a statement ends: at the first line with which it parses. No line is guessed.
"""

import tomllib
from collections.abc import Iterator

KeyPath = tuple[str | int, ...]
"""Keys and, in a list, indices from 0: ("services", 0, "command", 2)."""


def key_lines(text: str) -> dict[KeyPath, int]:
    """The line, from 1, in which each key's statement or table begins, of a text that is valid TOML."""
    lines: dict[KeyPath, int] = {}
    counts: dict[KeyPath, int] = {}
    table: KeyPath = ()
    for start, statement in _statements(text):
        parsed = tomllib.loads(statement)
        if statement.lstrip().startswith("["):
            table = _table(parsed, counts)
            lines[table] = start
        else:
            lines.update({table + path: start for path in _paths(parsed)})
    return lines


def line_of(path: KeyPath, lines: dict[KeyPath, int]) -> int | None:
    """The line of ``path``, or of the innermost table or list around it that has one."""
    for length in range(len(path), 0, -1):
        if path[:length] in lines:
            return lines[path[:length]]
    return None


def _statements(text: str) -> Iterator[tuple[int, str]]:
    start, statement = 1, ""
    for number, line in enumerate(text.split("\n"), 1):
        if not statement:
            start = number
        statement += line + "\n"
        try:
            parsed = tomllib.loads(statement)
        except tomllib.TOMLDecodeError:
            continue
        if parsed:
            yield start, statement
        statement = ""


def _table(header: dict[str, object], counts: dict[KeyPath, int]) -> KeyPath:
    """The path that a parsed "[a.b]" or "[[a.b]]" opens; ``counts`` holds the last index of each list."""
    path: KeyPath = ()
    node: object = header
    while isinstance(node, dict) and node:
        key, node = next(iter(node.items()))
        path += (key,)
        if isinstance(node, list):
            counts[path] = counts.get(path, -1) + 1
        if path in counts:
            path += (counts[path],)
    return path


def _paths(node: object) -> Iterator[KeyPath]:
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in items:
        yield (key,)
        yield from ((key, *below) for below in _paths(value))
