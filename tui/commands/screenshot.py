"""``stackdyno screenshot``: the console on a run or a comparison, as an SVG file."""

from __future__ import annotations

import argparse
from pathlib import Path

from tui.commands.options import add_record
from tui.commands.output import show

EXAMPLES = """\
examples:
  stackdyno screenshot                             the newest run, as RUN.svg
  stackdyno screenshot gunicorn-sync -o sync.svg --size 200x60
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to draw, at which size, and where to."""
    add_record(parser)
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write to this file (RUN.svg)")
    parser.add_argument(
        "--size", type=_size, default=(160, 48), metavar="COLSxROWS", help="size of the terminal (160x48)"
    )


def _size(text: str) -> tuple[int, int]:
    columns, _, rows = text.partition("x")
    if not (columns.isdecimal() and rows.isdecimal() and int(columns) >= 40 and int(rows) >= 10):
        raise argparse.ArgumentTypeError(
            f'"{text}" is not a size of at least 40x10; write for example 160x48'
        )
    return int(columns), int(rows)


def run(options: argparse.Namespace) -> int:
    """Draw it and print the path."""
    from tui.console.screenshot import save_screenshot
    from tui.console.shown import find_shown
    from tui.record.record import default_runs

    record = find_shown(options.run, options.runs or default_runs())
    path = options.output or Path(f"{record.name}.svg")
    saved = save_screenshot(record, path, options.size, profiles=options.profiles, runs=options.runs)
    show(str(saved))
    return 0
