"""Options that several commands have."""

from __future__ import annotations

import argparse
from pathlib import Path


def folder_options(default: str | None) -> argparse.ArgumentParser:
    """The two options that stand before or after a command; left out after it, what stands before it holds."""
    parent = argparse.ArgumentParser(add_help=False)
    group = parent.add_argument_group("folders")
    group.add_argument(
        "--profiles", type=Path, metavar="DIR", default=default, help="look here for profiles first"
    )
    group.add_argument("--runs", type=Path, metavar="DIR", default=default, help="keep and find runs here")
    return parent


def add_override(parser: argparse.ArgumentParser, what: str) -> None:
    """``--set``, which other commands have too."""
    parser.add_argument("--set", dest="overrides", action="append", default=[], metavar="KEY=VALUE",
                        help=f"override a key of {what}; repeatable")  # fmt: skip


def add_allow(parser: argparse.ArgumentParser) -> None:
    """``--allow``."""
    parser.add_argument("--allow", action="append", default=[], metavar="CODE",
                        help="accept a finding, by its code (overlap, say): it makes nothing invalid")  # fmt: skip


def add_concurrent(parser: argparse.ArgumentParser) -> None:
    """``--concurrent``, and ``--beside``, as it was called before."""
    parser.add_argument(
        "--concurrent", action="store_true", help="start although another run is under way here"
    )
    parser.add_argument("--beside", dest="concurrent", action="store_true", help=argparse.SUPPRESS)
