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
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Literal

from platformdirs import user_state_path

from tui.record.handing_over import hand_over, receive
from tui.record.jsonlines import LineReader, LineWriter

EVENTS = "events.jsonl"
_AGAIN = 5.0
"""Seconds after which a second place is tried again when none could be made."""


def _parents() -> tuple[Path, Path]:
    return user_state_path("stackdyno") / "rescued", Path(
        tempfile.gettempdir(), f"stackdyno-rescued-{os.geteuid()}"
    )


def _name(folder: Path) -> str:
    return f"{folder.name}_{hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:8]}"


def places_of(folder: Path) -> list[Path]:
    """What exists of this user's in place of ``folder``."""
    ours = [parent / _name(folder) for parent in _parents() if parent.is_dir() and _is_ours(parent)]
    return [place for place in ours if place.is_dir() and _is_ours(place)]


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
    return next((place for place in places_of(folder) if (place / name).is_file()), None)


def _is_ours(folder: Path) -> bool:
    """Not a link, and nobody else could have put something there."""
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o022


class LastingWriter:
    """Appends lines to a file of a folder; where that fails, in a second place, or else it keeps them in memory.

    It goes on where the file stands, so in the second place if that exists already. It moves there once, and replaces
    no second place that somebody else has made meanwhile.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        what: str,
        say: Callable[[Literal["moved", "not-kept"], str], bytes],
    ) -> None:
        """``what`` is written there, in a word; ``say`` makes a line of what happened and a text that tells it.

        Raises:
            OSError: The file can't be opened.
        """
        place = find_place(folder, name)
        self._folder = folder
        self._name = name
        self._what = what
        self._say = say
        self._moved = place is not None
        self._lines = LineWriter((place or folder) / name)
        self._held: list[bytes] = []
        self._error: OSError | None = None
        self._tried: float | None = None
        self.beside: dict[str, bytes] = {}
        """Files that a second place gets too."""

    @property
    def whole(self) -> bool:
        """Whether every line is in the file."""
        return not self._held

    def write(self, line: bytes) -> None:
        """Append a line; this never fails, since a full disk must not end a measurement."""
        self._held.append(line)
        try:
            self._flush()
        except OSError as error:
            self._error = error
            if self._move(error):
                with contextlib.suppress(OSError):
                    self._flush()

    def _flush(self) -> None:
        while self._held:
            self._lines.write(self._held[0])
            del self._held[0]

    def _move(self, error: OSError) -> bool:
        """Go on in the second place, which gets everything from the first."""
        now = time.monotonic()
        if self._moved or (self._tried is not None and now - self._tried < _AGAIN):
            return False
        self._tried = now
        if find_place(self._folder, self._name) is not None:
            return False
        moved = move_lines(self._folder, self._name, self._lines, self.beside)
        if moved is None:
            return False
        place, self._lines = moved
        self._moved = True
        text = f"{self._broken(error)}; the {self._what} went on in {place}"
        self._held.insert(0, self._say("moved", text))
        return True

    def _broken(self, error: OSError) -> str:
        return f"{self._folder}: can't be written any more ({error.strerror})"

    def close(self) -> None:
        """Close the file. Lines that could be kept nowhere are handed over to whoever reads the file now."""
        if self._error is not None and self._held:
            text = f"{self._broken(self._error)}, nor can a second place: the rest of the {self._what} isn't kept"
            self._held.insert(0, self._say("not-kept", text))
            with contextlib.suppress(OSError):
                rest = b"".join(line + b"\n" for line in self._held)
                hand_over(self._folder / self._name, self._lines.content() + rest)
        self._lines.close()


class LastingReader:
    """Reads what a :class:`LastingWriter` writes, as ``tail -f`` would, wherever it goes on."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._name = name
        self._lines = LineReader(folder / name)
        self._moved = False
        self._number = 0

    def poll(self) -> list[bytes]:
        """All of :meth:`lines` at once."""
        return list(self.lines())

    def lines(self) -> Iterator[bytes]:
        """The lines completed since the last call, one by one; none if there are none or the file doesn't exist.

        Raises:
            UserError: It can't be read, or isn't an ordinary file.
        """
        if not self._moved and (place := find_place(self._folder, self._name)) is not None:
            self._moved = True
            self._lines.move(place / self._name)
        before = self._number
        for line in self._lines.lines():
            self._number += 1
            yield line
        if self._number == before:
            for line in receive(self._folder / self._name)[before:]:
                self._number += 1
                yield line
