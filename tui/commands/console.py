"""``stackdyno`` without a command: the console, which ``attach`` opens too."""

from __future__ import annotations

import argparse
import sys

from tui.system.errors import UserError


def run(options: argparse.Namespace) -> int:
    """Open the console with the default profile selected."""
    need_terminal("stackdyno run PROFILE")
    from tui.console.app import run_console

    return run_console(profiles=options.profiles, runs=options.runs, trust=options.trust)


def need_terminal(instead: str) -> None:
    """Raises UserError if there is no terminal; the message says what to type ``instead``."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UserError(f"the console needs a terminal; without one type: {instead}")
