"""Where a command's words go: the result to stdout or the file that ``-o`` names, the rest to stderr."""

from __future__ import annotations

import sys
from pathlib import Path

from tui.system.errors import UserError


def check_output(output: Path | None) -> None:
    """Raises UserError where no file can be written: before minutes of measuring rather than after them."""
    if output is None:
        return
    if output.is_dir():
        raise UserError(f"-o {output}: it is a folder; name a file in it")
    if not output.absolute().parent.is_dir():
        raise UserError(f"-o {output}: there is no folder {output.absolute().parent}")


def deliver(text: str, output: Path | None = None) -> None:
    """Print the text, or write it and print where."""
    if output is None:
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        output.write_text(text, encoding="utf-8")
        print(output.absolute())


def say(text: str) -> None:
    """A line for the person who typed the command."""
    print(text, file=sys.stderr, flush=True)


def complain(text: str) -> None:
    """A line about what went wrong."""
    say(f"stackdyno: {text}")
