"""Questions on the terminal."""

from __future__ import annotations

import sys

from tui.system.errors import UserError
from tui.system.text import printable


def agreed(question: str, *, otherwise: UserError) -> bool:
    """Ask on stderr; anything but y or yes means no. Raises ``otherwise`` if there is no terminal to ask on."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise otherwise
    sys.stderr.write(f"{printable(question)} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
