"""The end of a server's log, and the line in it that explains why a stack did not come up."""

from __future__ import annotations

import re
from pathlib import Path

from tui.system.planted import read_file

_READ = 64 * 1024
_CAUSE = re.compile(r"^\s*([\w.]*(?:Error|Exception|Exit)\b.*)$|\[(?:emerg|alert|crit)\]\s*(.*)$")
_STAMPS = re.compile(r"^(?:\[[^\]]*\]\s*)+")
"""The prefix of a server's own messages: [time] [pid] [level]."""
_LAST_WORDS = 5
"""How many last lines may explain an end by a line without a prefix (printed by a loader or by the app)."""


def tail(folder: Path, lines: int = 12) -> list[str]:
    """The last lines of every log in ``folder`` that has any; the most recently written log comes last."""
    found: list[str] = []
    for path in sorted(folder.glob("*.log"), key=lambda path: path.lstat().st_mtime):
        found.extend(tail_of(path, lines))
    return found[-lines:]


def tail_of(path: Path, lines: int) -> list[str]:
    """The last lines of one file, without blank ones."""
    try:
        text = read_file(path, _READ, start=-_READ).decode(errors="replace")
    except OSError:
        return []
    return [line.rstrip() for line in text.splitlines() if line.strip()][-lines:]


def cause(folder: Path, *, whatever: bool) -> str | None:
    """The last line that names an exception or an emergency; otherwise, with ``whatever``, the very last line."""
    lines = tail(folder, 200)
    if found := _causes(lines):
        return found[-1].strip().rstrip(".")
    if not whatever or not lines:
        return None
    unstamped = [line for line in lines[-_LAST_WORDS:] if not _STAMPS.match(line)]
    return _STAMPS.sub("", (unstamped or lines)[-1]).strip().rstrip(".")


def _causes(lines: list[str]) -> list[str]:
    """Every line that names one. The last line of a Python traceback always does, whatever the exception's name."""
    found: list[str] = []
    in_traceback = False
    for line in lines:
        if line.startswith("Traceback (most recent call last)"):
            in_traceback = True
        elif in_traceback:
            if not line[0].isspace():
                found.append(line)
                in_traceback = False
        elif named := _CAUSE.search(line):
            found.append(named[1] or named[2])
    return found
