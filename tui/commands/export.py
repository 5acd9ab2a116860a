"""``stackdyno export``: a run's summary in another format."""

from __future__ import annotations

import argparse

from tui.commands.options import add_output, add_record, add_with_secrets
from tui.commands.output import deliver, show

EXAMPLES = """\
examples:
  stackdyno export                                 the newest run, as text
  stackdyno export gunicorn-sync --format json     the newest run of a profile
  stackdyno export 2026-12-01_03-20-00 --format html -o report.html
"""
FORMATS = ("text", "json", "markdown", "csv", "hgrm", "html")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which run to export, in which format, and where to."""
    add_record(parser)
    parser.add_argument("--format", choices=FORMATS, default="text", help="format of the summary (text)")
    add_output(parser, "this file or folder")
    add_with_secrets(parser)


def run(options: argparse.Namespace) -> int:
    """Print it, or write it and print the path."""
    from tui.formats.export import export, render_record
    from tui.record.record import default_runs, find_record

    record = find_record(options.run, options.runs or default_runs())
    if options.output is not None:
        show(str(export(record, options.format, options.output, with_secrets=options.with_secrets)))
        return 0
    deliver(render_record(record, options.format, with_secrets=options.with_secrets))
    return 0
