"""The arguments of ``stackdyno suite``, apart from the command, which takes longer to import."""

from __future__ import annotations

import argparse
from pathlib import Path

FORMATS = ("text", "json", "markdown")

EXAMPLES = """\
examples:
  stackdyno suite                                  what suites there are, and how long each takes
  stackdyno suite articles-2009                    memory saved by copy-on-write, as a table
  stackdyno suite articles-2009 --starts 6         with intervals and verdicts
  stackdyno suite ./mine.toml --set load.duration=1s
  stackdyno suite articles-2009 --show --format markdown

The tables go to stdout, progress to stderr. A suite that was interrupted is gone on with by the same call, unless
--fresh says otherwise; whole starts aren't repeated. SIGINT and SIGTERM stop it and print what there is; SIGHUP (a
lost terminal) lets it go on. An entrant that this machine can't run is left out, and the table says why.

exit status: 0 every entrant ran well and all figures hold; 1 stopped, failed, or a figure is void; 2 wrong usage
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Everything but the folders, which all commands have."""
    parser.add_argument("suite", nargs="?", metavar="SUITE", help="a suite's name, or the path of its file")
    parser.add_argument("--starts", type=int, metavar="N", help="fresh starts of each entrant (the suite's)")
    parser.add_argument("--set", dest="overrides", action="append", default=[], metavar="KEY=VALUE",
                        help="override a key of all profiles; may be given several times")  # fmt: skip
    parser.add_argument("--format", choices=FORMATS, default="text", help="form of the tables (text)")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="a file instead of stdout")
    parser.add_argument("--allow", action="append", default=[], metavar="CODE",
                        help="a finding that is to make nothing invalid, by its code")  # fmt: skip
    parser.add_argument("--beside", action="store_true", help="start although another run goes on here")
    parser.add_argument("--strict", action="store_true", help="refuse when this machine can't run an entrant")
    parser.add_argument("--fresh", action="store_true", help="start anew where it could be gone on with")
    parser.add_argument("--show", action="store_true", help="print the newest finished one again")
