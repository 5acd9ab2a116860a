"""The end of a server's log, and the line of it that explains why a stack did not come up."""

from __future__ import annotations

import re
from pathlib import Path

_READ = 64 * 1024
_CAUSE = re.compile(r"^\s*([\w.]*(?:Error|Exception|Exit)\b.*)$|\[(?:emerg|alert|crit)\]\s*(.*)$")
_STAMPS = re.compile(r"^(?:\[[^\]]*\]\s*)+")
"""What a server writes before its own messages: [time] [pid] [level]."""
_LAST_WORDS = 5
"""Lines in which something without a stamp (a loader's or the app's print) is taken for the reason of an end."""


def tail(folder: Path, lines: int = 12) -> list[str]:
    """The last lines of every log in ``folder`` that has any, the most recently written last."""
    found: list[str] = []
    for path in sorted(folder.glob("*.log"), key=lambda path: path.stat().st_mtime):
        found.extend(tail_of(path, lines))
    return found[-lines:]


def tail_of(path: Path, lines: int) -> list[str]:
    """The last lines of one file, blank ones left out."""
    try:
        with path.open("rb") as file:
            file.seek(0, 2)
            file.seek(max(0, file.tell() - _READ))
            text = file.read().decode(errors="replace")
    except OSError:
        return []
    return [line.rstrip() for line in text.splitlines() if line.strip()][-lines:]


def cause(folder: Path, *, whatever: bool) -> str | None:
    """The last line that names an exception or an emergency; else, with ``whatever``, the last words of all."""
    lines = tail(folder, 200)
    if found := _causes(lines):
        return found[-1].strip().rstrip(".")
    if not whatever or not lines:
        return None
    unstamped = [line for line in lines[-_LAST_WORDS:] if not _STAMPS.match(line)]
    return _STAMPS.sub("", (unstamped or lines)[-1]).strip().rstrip(".")


def _causes(lines: list[str]) -> list[str]:
    """Every line that names one. What ends a Python traceback does, whatever the exception is called."""
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
