"""Questions on the terminal."""

from __future__ import annotations

import sys

from tui.system.errors import UserError


def on_a_terminal() -> bool:
    """Whether there is somebody to ask: the answer comes from stdin, the question goes to stderr."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def agreed(question: str, *, otherwise: UserError) -> bool:
    """Ask; anything but y or yes is a no. Raises ``otherwise`` where there is no terminal."""
    if not on_a_terminal():
        raise otherwise
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
