"""A command's output: the result goes to stdout or to the file named by ``-o``, the rest to stderr.

Every command prints by these functions: titles, file names and errors hold text that isn't ours.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tui.system.errors import UserError
from tui.system.text import in_one_line, printable
from tui.system.wholefiles import write_export


def check_output(output: Path | None) -> None:
    """Raises UserError if the file can't be written: better before minutes of measuring than after."""
    if output is None:
        return
    if output.is_dir():
        raise UserError(f"-o {output}: this is a folder; name a file in it")
    if not output.absolute().parent.is_dir():
        raise UserError(f"-o {output}: there is no folder {output.absolute().parent}")


def deliver(text: str, output: Path | None = None) -> None:
    """Print the text, or write it and print the path."""
    if output is None:
        sys.stdout.write(printable(text))
        sys.stdout.flush()
    else:
        write_export(output, text)
        show(str(output.absolute()))


def show(text: str) -> None:
    """Write a line of the result to stdout."""
    print(printable(text))


def show_line(text: str) -> None:
    """Write one line of the result, whatever line breaks a command line or a name holds."""
    print(in_one_line(text))


def say(text: str) -> None:
    """Write a line for the user to stderr."""
    print(printable(text), file=sys.stderr, flush=True)


def complain(text: str) -> None:
    """Write a line about an error."""
    say(f"stackdyno: {text}")
