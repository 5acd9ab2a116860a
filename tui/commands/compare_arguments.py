"""The arguments of ``stackdyno compare``, apart from the command, which takes longer to import."""

from __future__ import annotations

import argparse
from pathlib import Path

FORMATS = ("text", "json", "markdown", "csv", "html")
PRIMARY = ("rate", "p50", "p99", "cpu", "memory", "cold-start")

EXAMPLES = """\
examples:
  stackdyno compare gunicorn-sync gunicorn-gthread
  stackdyno compare gunicorn-sync,workers=2 gunicorn-sync,workers=4 --set load.duration=5s
  stackdyno compare gunicorn-preload gunicorn-no-preload --primary memory
  stackdyno compare gunicorn-sync gunicorn-sync            how much two starts of the same differ
  stackdyno compare RUN1+RUN2 RUN3+RUN4                    saved runs, by name or beginning
  stackdyno compare gunicorn-sync uwsgi --saved            all saved runs of these profiles
  stackdyno compare --resume                               go on after an interruption
  stackdyno compare 2026-12-01_03-20-00_compare_A_B -o ab.html --format html

Every sample is a fresh start of the stack, in the order A B B A, one stack up at a time; each is a run of its own
(`stackdyno history`). Six starts a side are needed for a verdict. The comparison goes to stdout, progress to stderr.
SIGINT and SIGTERM stop it and print what there is; SIGHUP (a lost terminal) lets it go on.

exit status: 0 compared, also where there is no telling; 1 stopped, or a side has no usable start; 2 wrong usage
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Everything but the folders, which all commands have."""
    parser.add_argument(
        "sides", nargs="*", metavar="SIDE",
        help="a profile, with overrides after commas; saved runs, joined with +; or one saved comparison",
    )  # fmt: skip
    parser.add_argument("--starts", type=int, metavar="N", help="fresh starts of each side (6)")
    parser.add_argument("--set", dest="overrides", action="append", default=[], metavar="KEY=VALUE",
                        help="override a key of all profiles; may be given several times")  # fmt: skip
    parser.add_argument("--primary", choices=PRIMARY, help="the quantity that it is about (rate)")
    parser.add_argument("--format", choices=FORMATS, default="text", help="form of the comparison (text)")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="a file instead of stdout")
    parser.add_argument("--allow", action="append", default=[], metavar="CODE",
                        help="a finding that is to make nothing invalid, by its code")  # fmt: skip
    parser.add_argument("--beside", action="store_true", help="start although another run goes on here")
    parser.add_argument("--saved", action="store_true", help="the sides are profiles: take their saved runs")
    parser.add_argument("--resume", nargs="?", const="", metavar="NAME",
                        help="go on with a comparison that was stopped or interrupted (the newest)")  # fmt: skip
