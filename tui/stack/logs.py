"""The end of a server's log, and the line of it that explains why a stack did not come up."""

from __future__ import annotations

import re
from pathlib import Path

_READ = 64 * 1024
_CAUSE = re.compile(r"^\s*([\w.]*(?:Error|Exception|Exit)\b.*)$|\[(?:emerg|alert|crit)\]\s*(.*)$")


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
    """The last line that names an exception or an emergency; else, with ``whatever``, the last line of all."""
    lines = tail(folder, 200)
    for line in reversed(lines):
        if found := _CAUSE.search(line):
            return (found[1] or found[2]).strip()
    return lines[-1].strip() if whatever and lines else None
