"""The arguments of ``stackdyno run``, apart from the command, which takes longer to import."""

from __future__ import annotations

import argparse

FORMATS = ("text", "json", "markdown", "csv", "hgrm", "html")

EXAMPLES = """\
examples:
  stackdyno run gunicorn-sync
  stackdyno run nginx-gunicorn --set workers=4 --set cpus=0 --set load.cpus=1
  stackdyno run ./shop.toml --set load.duration=30s --set load.keepalive=true --format markdown

The result goes to stdout, progress to stderr. SIGINT and SIGTERM stop the run and summarise what there is;
SIGHUP (a lost terminal) lets it go on: `stackdyno attach` shows it again.

exit status: 0 good, 1 the run failed or a quantity is invalid, 2 wrong usage or profile
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Everything but the folders, which all commands have."""
    parser.add_argument("profile", metavar="PROFILE", help="a profile's name, or the path of its file")
    parser.add_argument("--set", dest="overrides", action="append", default=[], metavar="KEY=VALUE",
                        help="override a key of the profile; may be given several times")  # fmt: skip
    parser.add_argument("--format", choices=FORMATS, default="text", help="form of the result (text)")
    parser.add_argument("--fail-if", action="append", default=[], metavar="LIMIT",
                        help='exit with 1 when it holds: "p99 > 50ms", "rate < 2000", "memory > 300MB"')  # fmt: skip
    parser.add_argument("--allow", action="append", default=[], metavar="CODE",
                        help="a finding that is to make nothing invalid, by its code, such as overlap")  # fmt: skip
    parser.add_argument("--beside", action="store_true", help="run although another run goes on here")
    parser.add_argument(
        "--yes", action="store_true", help="put a load on another machine without being asked"
    )
