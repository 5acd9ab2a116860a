"""Options shared by several commands."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from tui.system.errors import UserError


def folder_options(default: str | None) -> argparse.ArgumentParser:
    """The folders, which may come before or after a command; ``default`` is SUPPRESS for the latter."""
    parent = argparse.ArgumentParser(add_help=False)
    group = parent.add_argument_group("folders")
    group.add_argument(
        "--profiles", type=Path, metavar="DIR", default=default, help="look for profiles here first"
    )
    group.add_argument("--runs", type=Path, metavar="DIR", default=default, help="keep and find runs here")
    group.add_argument(
        "--trust",
        action="store_true",
        default=False if default is None else default,
        help="run profiles and stacks from other folders without asking, and remember them",
    )
    return parent


def add_record(parser: argparse.ArgumentParser, *, or_newest: bool = True) -> None:
    """``RUN``: a kept run, by name; ``or_newest`` if the name is optional."""
    newest = " (the newest)" if or_newest else ""
    parser.add_argument("run", metavar="RUN", nargs="?" if or_newest else None,
                        help=f"its name or the start of it, its profile's name, or its folder{newest}")  # fmt: skip


def add_output(parser: argparse.ArgumentParser, where: str = "this file") -> None:
    """``-o``."""
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help=f"write to {where} instead of stdout"
    )


def add_with_secrets(parser: argparse.ArgumentParser) -> None:
    """``--with-secrets``."""
    parser.add_argument(
        "--with-secrets",
        action="store_true",
        help="keep the app's environment, secret headers and tokens in URLs readable; they are masked otherwise",
    )


def add_override(parser: argparse.ArgumentParser, what: str) -> None:
    """``--set KEY=VALUE`` for ``what``; repeatable."""
    parser.add_argument("--set", dest="overrides", action="append", default=[], metavar="KEY=VALUE",
                        help=f"override a key of {what}; may be repeated")  # fmt: skip


def add_allow(parser: argparse.ArgumentParser) -> None:
    """``--allow CODE``; repeatable."""
    parser.add_argument("--allow", action="append", default=[], metavar="CODE",
                        help="this finding (such as overlap) invalidates nothing; may be repeated")  # fmt: skip


def add_concurrent(parser: argparse.ArgumentParser) -> None:
    """``--concurrent``, and ``--beside``, its former name."""
    parser.add_argument(
        "--concurrent", action="store_true", help="start even if another run is using this machine"
    )
    parser.add_argument("--beside", dest="concurrent", action="store_true", help=argparse.SUPPRESS)


def refuse(given: Mapping[str, bool], why: str) -> None:
    """Refuse options that this call can't use. Raises UserError if one is given.

    Args:
        given: Whether each was given, keyed by its name on the command line.
        why: What the call does instead.
    """
    if idle := [name for name, is_given in given.items() if is_given]:
        raise UserError(f"{' and '.join(idle)} can't be used here: {why}")
