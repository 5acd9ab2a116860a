"""Folders of kept runs and experiments: their names sort by time; they are listed newest first and found by name.

Whether a folder is a run or an experiment is shown by its ``proof``: the file that it must contain.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import pwd
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Protocol, TypeVar

from tui.record.second_place import places_of
from tui.system.errors import UserError
from tui.system.wholefiles import fault


class KeptFolder:
    """A folder that stands for its contents: two of one kind are equal if their folders are."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.folder)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KeptFolder) and type(other) is type(self) and other.folder == self.folder

    def __hash__(self) -> int:
        return hash(self.folder)

    @property
    def name(self) -> str:
        return self.folder.name


_STAMP = "%Y-%m-%d_%H-%M-%S"

Kept = TypeVar("Kept", bound=KeptFolder)


class HasName(Protocol):
    @property
    def name(self) -> str: ...


Named = TypeVar("Named", bound=HasName)


def new_folder(runs: Path, name: str) -> Path:
    """Create a folder ``runs/DATE_TIME_NAME`` that only its owner may read.

    Raises:
        UserError: It can't be created there, or ``runs`` is another user's, who could replace what is in it.
    """
    stamp = time.strftime(_STAMP)
    try:
        runs.mkdir(parents=True, exist_ok=True, mode=0o700)
        owner = runs.stat().st_uid
        if owner not in (0, os.geteuid()):
            raise UserError(
                f"{runs}: belongs to {_user(owner)}, who could replace the runs in it; choose --runs DIR, a folder of "
                "your own or root's"
            )
        for number in itertools.count(1):
            suffix = "" if number == 1 else f"_{number}"
            folder = runs / f"{stamp}_{name}{suffix}"
            if places_of(folder):  # of an earlier one, which was moved or removed by hand
                continue
            with contextlib.suppress(FileExistsError):
                folder.mkdir(mode=0o700)
                break
    except OSError as error:
        raise UserError(
            f"{runs}: can't keep a run there ({fault(error, runs)}); choose --runs DIR"
        ) from error
    return folder


def _user(number: int) -> str:
    with contextlib.suppress(KeyError):
        return f"user {pwd.getpwuid(number).pw_name}"
    return f"user {number}"


def read_name(name: str) -> tuple[datetime | None, str]:
    """When a run or experiment began and what it is called, taken from the name that ``new_folder`` gave it.

    Any other name is returned unchanged, without a time.
    """
    try:
        return datetime.strptime(name[:19], _STAMP).astimezone(), name[20:]
    except (
        ValueError,
        OverflowError,
        OSError,
    ):  # the last two: a year that this machine's calendar can't hold
        return None, name


def list_folders(runs: Path, proof: str) -> list[Path]:
    """The folders below ``runs`` whose ``proof`` we may read, newest first.

    Raises:
        UserError: ``runs`` can't be read.
    """
    try:
        folders = [folder for folder in runs.iterdir() if is_kept(folder, proof)]
    except FileNotFoundError:
        return []
    except NotADirectoryError as error:
        raise UserError(f"{runs}: is not a folder; choose --runs DIR") from error
    except OSError as error:
        raise UserError(f"{runs}: can't be read ({error.strerror}); choose --runs DIR") from error
    if not os.access(runs, os.X_OK):
        raise UserError(f"{runs}: what is in it can't be opened (Permission denied); choose --runs DIR")
    return sorted(folders, key=lambda folder: folder.name, reverse=True)


def is_kept(folder: Path, proof: str) -> bool:
    """Whether a folder has the file that says what it is."""
    try:
        return os.access(folder / proof, os.R_OK)
    except ValueError:  # a zero byte in a name from a damaged file
        return False


def named(kept: Sequence[Kept], name: str) -> Kept | None:
    """The first of those that ``fitting`` finds."""
    return next(iter(fitting(kept, name)), None)


def fitting(kept: Iterable[Named], name: str) -> list[Named]:
    """All of ``kept`` with this name, else with this prefix, else with this end after its time."""
    known = list(kept)
    ways: tuple[Callable[[str], bool], ...] = (
        lambda each: each == name,
        lambda each: each.startswith(name),
        lambda each: each.endswith(f"_{name}"),
    )
    return next(filter(None, ([each for each in known if way(each.name)] for way in ways)), [])
