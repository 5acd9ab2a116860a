"""The command line. Heavy modules are imported where they are used, so that ``--help`` answers at once."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from tui import __version__
from tui.commands import compare_arguments, record_arguments, run_arguments, suite_arguments
from tui.system.errors import UserError

EXAMPLES = """\
examples:
  stackdyno                                       the console, with the default profile selected
  stackdyno profiles                              what there is, and what this machine can run
  stackdyno run gunicorn-sync                     one run without a screen, the result as text
  stackdyno run gunicorn-preload --set options.preload=false --format json
  stackdyno run ./shop.toml --set load.requests=2000
  stackdyno export gunicorn-sync --format markdown -o result.md
  stackdyno attach                                the console on the newest run
  stackdyno compare gunicorn-sync waitress        which serves more, and by how much
  stackdyno suite articles-2009                   memory saved by copy-on-write, as a table
  stackdyno history --stack gunicorn              what was run, newest first

exit status: 0 good, 1 the run failed or a quantity is invalid, 2 wrong usage or profile
"""

Command = Callable[[argparse.Namespace], int]


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point of ``stackdyno``."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without UTF-8 gets question marks, no traceback
    try:
        status = _carry_out(arguments)
    except BrokenPipeError:
        _drop_output()
        status = 141
    except OSError as error:
        _drop_output()
        place = f"{error.filename}: " if error.filename else ""
        print(f"stackdyno: {place}{error.strerror}", file=sys.stderr)
        status = 1
    except KeyboardInterrupt:
        status = 130
    sys.exit(status)


def _drop_output() -> None:
    """What could not be written must not be tried again at the interpreter's end, which complains of it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _carry_out(arguments: Sequence[str] | None) -> int:
    try:
        options = _parser().parse_args(arguments)
        command: Command = options.command
        return command(options)
    except UserError as error:
        print(_complaint(error), file=sys.stderr)
        return 2
    finally:
        sys.stdout.flush()


def _complaint(error: UserError) -> str:
    """One line, or where several things are wrong at once their number and a line for each."""
    lines = str(error).splitlines()
    if len(lines) < 2:
        return f"stackdyno: {error}"
    return "\n  ".join([f"stackdyno: {len(lines)} problems:", *lines])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="stackdyno",
        description="A dynamometer for web-server stacks: start one, bind it, load it, watch it, trust the result.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[_folders(None)],
    )
    parser.add_argument("--version", action="version", version=f"stackdyno {__version__}")
    parser.set_defaults(command=_console)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    def add(name: str, command: Command, help: str, epilog: str | None = None) -> argparse.ArgumentParser:
        added = commands.add_parser(
            name,
            help=help,
            description=help[0].upper() + help[1:] + ".",
            epilog=epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            parents=[_folders(argparse.SUPPRESS)],
        )
        added.set_defaults(command=command)
        return added

    run = add("run", _run, "run a profile without a screen", run_arguments.EXAMPLES)
    run_arguments.add_arguments(run)

    profiles = add("profiles", _profiles, "list the profiles, or check profile files")
    below = profiles.add_subparsers(metavar="check")
    check = below.add_parser(
        "check",
        help="validate profiles and stacks, all problems at once",
        parents=[_folders(argparse.SUPPRESS)],
    )
    check.add_argument("files", nargs="*", type=Path, metavar="FILE", help="all that are found, without one")
    check.set_defaults(command=_check)

    export = add("export", _export, "write a run's summary again")
    record_arguments.add_export_arguments(export)

    compare = add(
        "compare",
        _compare,
        "compare profiles by fresh starts in turn, or saved runs",
        compare_arguments.EXAMPLES,
    )
    compare_arguments.add_arguments(compare)

    suite = add(
        "suite",
        _suite,
        "run a suite of profiles and print its tables, or list the suites",
        suite_arguments.EXAMPLES,
    )
    suite_arguments.add_arguments(suite)

    history = add("history", _history, "list the runs that are kept, newest first")
    record_arguments.add_history_arguments(history)

    delete = add("delete", _delete, "delete a run and all that was recorded of it")
    record_arguments.add_delete_arguments(delete)

    attach = add("attach", _attach, "open the console on a run or comparison, whether it goes on or not")
    record_arguments.add_attach_arguments(attach)

    picture = add(
        "screenshot", _screenshot, "draw the console on a recorded run or comparison, as an SVG file"
    )
    record_arguments.add_screenshot_arguments(picture)
    return parser


def _folders(default: str | None) -> argparse.ArgumentParser:
    """The two options that stand before or behind a command; behind it, left out means what stands before."""
    parent = argparse.ArgumentParser(add_help=False)
    group = parent.add_argument_group("folders")
    group.add_argument(
        "--profiles", type=Path, metavar="DIR", default=default, help="look here for profiles first"
    )
    group.add_argument("--runs", type=Path, metavar="DIR", default=default, help="keep and find runs here")
    return parent


def _console(options: argparse.Namespace) -> int:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UserError("the console needs a terminal; without one type: stackdyno run PROFILE")
    from tui.console.app import run_console

    return run_console(profiles=options.profiles, runs=options.runs)


def _attach(options: argparse.Namespace) -> int:
    from tui.console.shown import find_shown, printing_command
    from tui.record.record import default_runs

    record = find_shown(options.run, options.runs or default_runs())
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UserError(f"the console needs a terminal; without one type: {printing_command(record)}")
    from tui.console.app import run_console

    return run_console(profiles=options.profiles, runs=options.runs, attach=record)


def _run(options: argparse.Namespace) -> int:
    from tui.commands.run import run_headless

    return run_headless(
        options.profile,
        profiles=options.profiles,
        runs=options.runs,
        overrides=options.overrides,
        form=options.format,
        beside=options.beside,
        yes=options.yes,
        allow=options.allow,
        fail_if=options.fail_if,
    )


def _export(options: argparse.Namespace) -> int:
    from tui.formats.export import export, render
    from tui.record.record import default_runs, find_record, read_state

    record = find_record(options.run, options.runs or default_runs())
    if options.output is not None:
        print(export(record, options.format, options.output))
        return 0
    sys.stdout.write(render(record, read_state(record), options.format))
    return 0


def _compare(options: argparse.Namespace) -> int:
    from tui.commands.compare import Wanted, run_compare

    return run_compare(Wanted.told(options))


def _suite(options: argparse.Namespace) -> int:
    from tui.commands.suite import Wanted, run_suite

    return run_suite(Wanted.told(options))


def _history(options: argparse.Namespace) -> int:
    from tui.commands.history import print_history

    return print_history(options.runs, stack=options.stack, profile=options.profile, form=options.format)


def _delete(options: argparse.Namespace) -> int:
    from tui.commands.history import delete_run

    return delete_run(options.run, options.runs, yes=options.yes)


def _screenshot(options: argparse.Namespace) -> int:
    from tui.console.screenshot import save_screenshot
    from tui.console.shown import find_shown
    from tui.record.record import default_runs

    record = find_shown(options.run, options.runs or default_runs())
    path = options.output or Path(f"{record.name}.svg")
    print(save_screenshot(record, path, options.size, profiles=options.profiles, runs=options.runs))
    return 0


def _profiles(options: argparse.Namespace) -> int:
    from tui.commands.profiles import profile_table

    print(profile_table(options.profiles))
    return 0


def _check(options: argparse.Namespace) -> int:
    from tui.commands.profiles import check_files

    problems, checked = check_files(options.profiles, options.files)
    for problem in problems:
        print(problem)
    if not problems:
        print(f"{checked} file{'' if checked == 1 else 's'} checked: no problems")
    return 2 if problems else 0


if __name__ == "__main__":
    main()
