"""Where a run or an experiment goes on when its folder can't be written any more.

It goes on in the user's state folder, or the temporary one. The place follows from the folder alone, so whoever reads
the record finds it. It holds everything that the record's own file held, and what came after. A run's can be read as a
record itself.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from platformdirs import user_state_path

from tui.record.jsonlines import LineWriter

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


def move_lines(
    folder: Path, name: str, lines: LineWriter, beside: Mapping[str, bytes] | None = None
) -> tuple[Path, LineWriter] | None:
    """Go on with the file ``name`` of ``folder`` in a second place, which gets all its lines so far.

    Files ``beside`` it are written there first. None if there is no such place: then ``lines`` stays open.
    """
    for place in make_places(folder):
        begun = place / f"{name}.new"
        try:
            for other, content in (beside or {}).items():
                (place / other).write_bytes(content)
            begun.write_bytes(lines.content())
            begun.rename(place / name)
            moved = LineWriter(place / name)
        except OSError:
            shutil.rmtree(place, ignore_errors=True)
            continue
        lines.close()
        return place, moved
    return None


def find_place(folder: Path, name: str = EVENTS) -> Path | None:
    """Where the run in ``folder`` went on with its file ``name``; None if it didn't have to."""
    for parent in _parents():
        place = parent / _name(folder)
        if (place / name).is_file() and _is_ours(parent) and _is_ours(place):
            return place
    return None


def _is_ours(folder: Path) -> bool:
    """Not a link, and nobody else could have put something there."""
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o022
