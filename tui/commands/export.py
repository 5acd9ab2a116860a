"""``stackdyno export``: a run's summary in another format."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

FORMATS = ("text", "json", "markdown", "csv", "hgrm", "html")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which run, how, and where to."""
    parser.add_argument(
        "run", metavar="RUN", nargs="?", help="a run's name, the beginning of it, or a folder (newest)"
    )
    parser.add_argument("--format", choices=FORMATS, default="text", help="format of the summary (text)")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="write to this file or folder, not stdout"
    )


def run(options: argparse.Namespace) -> int:
    """Print it, or write it and print where."""
    from tui.formats.export import export, render
    from tui.record.record import default_runs, find_record, read_state

    record = find_record(options.run, options.runs or default_runs())
    if options.output is not None:
        print(export(record, options.format, options.output))
        return 0
    sys.stdout.write(render(record, read_state(record), options.format))
    return 0
