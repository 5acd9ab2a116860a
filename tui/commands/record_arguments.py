"""The arguments of the commands for what is kept, apart from the commands, which take longer to import."""

from __future__ import annotations

import argparse
from pathlib import Path

from tui.commands.run_arguments import FORMATS


def add_export_arguments(parser: argparse.ArgumentParser) -> None:
    """Of ``stackdyno export``."""
    parser.add_argument(
        "run", metavar="RUN", nargs="?", help="a run's name, its beginning, or a folder (newest)"
    )
    parser.add_argument("--format", choices=FORMATS, default="text", help="form of the summary (text)")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="a file or folder instead of stdout"
    )


def add_history_arguments(parser: argparse.ArgumentParser) -> None:
    """Of ``stackdyno history``."""
    parser.add_argument("--stack", metavar="NAME", help="only runs of this stack")
    parser.add_argument("--profile", metavar="NAME", help="only runs of this profile")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="form of the list (text)")


def add_delete_arguments(parser: argparse.ArgumentParser) -> None:
    """Of ``stackdyno delete``."""
    parser.add_argument("run", metavar="RUN", help="a run's name, its beginning, or a folder")
    parser.add_argument("--yes", action="store_true", help="don't ask; needs the whole name")


def add_attach_arguments(parser: argparse.ArgumentParser) -> None:
    """Of ``stackdyno attach``."""
    parser.add_argument(
        "run",
        metavar="RUN",
        nargs="?",
        help="a run's or comparison's name, its beginning, or a folder (newest)",
    )


def add_screenshot_arguments(parser: argparse.ArgumentParser) -> None:
    """Of ``stackdyno screenshot``, which is of the same things as attach."""
    add_attach_arguments(parser)
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="where to write it (RUN.svg)")
    parser.add_argument(
        "--size", type=_size, default=(160, 48), metavar="COLSxROWS", help="of the terminal (160x48)"
    )


def _size(text: str) -> tuple[int, int]:
    columns, _, rows = text.partition("x")
    if not (columns.isdecimal() and rows.isdecimal() and int(columns) >= 40 and int(rows) >= 10):
        raise argparse.ArgumentTypeError(f'"{text}" is no size of at least 40x10; write 160x48')
    return int(columns), int(rows)
