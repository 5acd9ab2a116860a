"""The command line: the parser, and what an error becomes: a line and an exit status.

Only the module of the command that is called is imported, and that imports what is heavy when it runs, so that
``--help`` answers at once.
"""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from tui import __version__
from tui.commands import console
from tui.commands.options import folder_options
from tui.system.errors import UserError
from tui.system.text import in_one_line, printable

COMMANDS = {
    "run": "run a profile without a screen",
    "profiles": "list the profiles, or check profile files",
    "export": "print a run's summary, or write it to a file, in any format",
    "compare": "compare profiles by running them in turn, or compare saved runs",
    "suite": "run a suite of profiles and print its tables, or list the suites",
    "history": "list the kept runs, newest first",
    "delete": "delete a run and everything that was recorded of it",
    "attach": "open the console on a run, comparison or suite, running or finished",
    "replay": "show a finished run's screen again, from its first second to its last",
    "ps": "list what is running, whatever folder it is kept in, and what was left behind",
    "stop": "stop a run, comparison or suite, and wait until it has ended",
    "clean": "end and remove what killed runs left behind",
    "screenshot": "draw the console on a run or a comparison as an SVG file",
}
"""Each is a module of :mod:`tui.commands` with ``EXAMPLES``, ``add_arguments(parser)`` and ``run(options)``."""

_SAY_IT_THEMSELVES = frozenset(f"tui.commands.{name}" for name in ("ps", "clean", "console", "attach"))
"""Commands that show what was left behind in their own way."""

EXAMPLES = """\
examples:
  stackdyno                                       open the console with the default profile selected
  stackdyno profiles                              list the profiles, and what this machine can run
  stackdyno run gunicorn-sync                     run a profile without a screen, and print the result
  stackdyno run gunicorn-preload --set options.preload=false --format json
  stackdyno run ./shop.toml --set load.requests=2000
  stackdyno export gunicorn-sync --format markdown -o result.md
  stackdyno attach                                open the console on the newest run
  stackdyno compare gunicorn-sync waitress        see which serves more, and by how much
  stackdyno suite articles-2009                   see how much memory copy-on-write saves
  stackdyno history --stack gunicorn              list the runs of a stack, newest first
  stackdyno ps                                    list what is running, and what was left behind
  stackdyno stop                                  stop what is running

exit status: 0 good, 1 the run failed or a quantity is invalid, 2 wrong usage or profile
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point of ``stackdyno``."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without UTF-8 gets question marks, no traceback
    try:
        status = _call(arguments)
    except BrokenPipeError:
        _drop_output()
        status = 141
    except OSError as error:
        _drop_output()
        place = f"{error.filename}: " if error.filename else ""
        print(printable(f"stackdyno: {place}{error.strerror}"), file=sys.stderr)
        status = 1
    except KeyboardInterrupt:
        status = 130
    sys.exit(status)


def _drop_output() -> None:
    """What could not be written must not be tried again at the interpreter's end, which complains of it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _call(arguments: Sequence[str] | None) -> int:
    try:
        words = sys.argv[1:] if arguments is None else arguments
        options = _parser(words).parse_args(words)
        command: Callable[[argparse.Namespace], int] = options.command
        if command.__module__ not in _SAY_IT_THEMSELVES:
            _say_what_was_left()
        return command(options)
    except UserError as error:
        print(printable(_complaint(error)), file=sys.stderr)
        return 2
    finally:
        sys.stdout.flush()


def _say_what_was_left() -> None:
    """One line about the processes of runs whose runner and supervisor were killed; the look takes milliseconds."""
    from tui.record.running import look, notice

    if said := notice(look()):
        print(in_one_line(f"stackdyno: {said}"), file=sys.stderr)


def _complaint(error: UserError) -> str:
    """One line, or where several things are wrong at once their number and a line for each."""
    lines = str(error).splitlines()
    if len(lines) < 2:
        return f"stackdyno: {error}"
    return "\n  ".join([f"stackdyno: {len(lines)} problems:", *lines])


class _Parser(argparse.ArgumentParser):
    """Quotes what was typed without obeying it: an argument may be a file's name."""

    def error(self, message: str) -> NoReturn:
        super().error(printable(message))


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """The parser of these words: a command has its arguments where it is one of them."""
    parser: argparse.ArgumentParser = _Parser(
        prog="stackdyno",
        description="A dynamometer for web-server stacks: start one, bind it, load it, watch it, trust the result.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[folder_options(None)],
    )
    parser.add_argument("--version", action="version", version=f"stackdyno {__version__}")
    parser.set_defaults(command=console.run)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name, help in COMMANDS.items():
        command = commands.add_parser(
            name,
            help=help,
            description=help[0].upper() + help[1:] + ".",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            parents=[folder_options(argparse.SUPPRESS)],
        )
        if name in words:
            module = importlib.import_module(f"tui.commands.{name}")
            command.epilog = module.EXAMPLES
            command.set_defaults(command=module.run)
            module.add_arguments(command)
    return parser


if __name__ == "__main__":
    main()
