"""Where a run goes on when its folder can't be written any more: in the user's state folder, or the temporary one.

The place follows from the run's folder alone, so whoever reads the record finds it. It holds everything that the
record's own ``events.jsonl`` held, and what came after, and can be read as a record itself.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from platformdirs import user_state_path

EVENTS = "events.jsonl"


def _parents() -> tuple[Path, Path]:
    return user_state_path("stackdyno") / "rescued", Path(
        tempfile.gettempdir(), f"stackdyno-rescued-{os.geteuid()}"
    )


def _name(folder: Path) -> str:
    return f"{folder.name}_{hashlib.sha256(os.fsencode(folder)).hexdigest()[:8]}"


def make_places(folder: Path) -> Iterator[Path]:
    """New folders for the run in ``folder``, to be tried in turn; those that can't be made are left out."""
    for parent in _parents():
        with contextlib.suppress(OSError):
            parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if _is_ours(parent):
                (parent / _name(folder)).mkdir(mode=0o700, exist_ok=True)
                yield parent / _name(folder)


def find_place(folder: Path) -> Path | None:
    """Where the run in ``folder`` went on; None if it didn't have to."""
    for parent in _parents():
        place = parent / _name(folder)
        if (place / EVENTS).is_file() and _is_ours(parent) and _is_ours(place):
            return place
    return None


def _is_ours(folder: Path) -> bool:
    """Not a link, and nobody else could have put something there."""
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o022
