"""Files where others may write: they are reached without following a link that somebody else may have planted.

We may be root, and the stack's user owns the runtime folder; anyone may write to /tmp. A link is followed only out of
a folder that nobody but root and we may change. What is opened is held by its descriptor, so it can't be exchanged
between a look and its use.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from pathlib import Path

_MOST_LINKS = 40
_LOOK = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
_MAGIC = frozenset("*?[")


def open_file(path: Path, *, owner: int | None = None) -> int:
    """A descriptor for reading a regular file; it never waits, as a named pipe would let us.

    With ``owner``, the file must belong to that user id.

    Raises:
        OSError: It can't be opened, it is no regular file or somebody else's, or a planted link leads to it.
    """
    with _reached(path) as found:
        status = os.fstat(found)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        if owner is not None and status.st_uid != owner:
            raise PermissionError(errno.EPERM, "belongs to another user", str(path))
        return os.open(f"/proc/self/fd/{found}", os.O_RDONLY | os.O_CLOEXEC)


def read_file(path: Path, most: int, *, start: int = 0, owner: int | None = None) -> bytes:
    """At most ``most`` bytes of a regular file from the offset ``start``, from its end if that is negative.

    Raises OSError as :func:`open_file` does.
    """
    with os.fdopen(open_file(path, owner=owner), "rb") as file:
        size = os.fstat(file.fileno()).st_size
        file.seek(max(0, size + start) if start < 0 else start)
        return file.read(most)


def matching(pattern: str) -> Iterator[tuple[str, int]]:
    """Every path that fits an absolute pattern, with its inode; ``*`` fits hidden names. No planted link is entered."""
    with suppress(OSError):
        folder = os.open("/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            yield from _matching(folder, "", [part for part in pattern.split("/") if part])
        finally:
            os.close(folder)


@contextmanager
def folder_of(path: Path) -> Iterator[int]:
    """A descriptor of the folder that contains ``path``. Raises OSError where a planted link is in the way."""
    with _reached(path.parent) as found:
        folder = os.open(f"/proc/self/fd/{found}", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield folder
    finally:
        os.close(folder)


def _matching(folder: int, place: str, parts: list[str]) -> Iterator[tuple[str, int]]:
    part, *more = parts or [""]
    names = sorted(os.listdir(folder)) if _MAGIC.intersection(part) else [part]
    for name in names:
        if not fnmatchcase(name, part) and name != part:
            continue
        path = f"{place}/{name}"
        with suppress(OSError):
            if not more:
                yield path, os.stat(name, dir_fd=folder, follow_symlinks=False).st_ino
                continue
            with _reached(Path(name), folder) as found:
                below = os.open(f"/proc/self/fd/{found}", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                yield from _matching(below, path, more)
            finally:
                os.close(below)


@contextmanager
def _reached(path: Path, base: int | None = None) -> Iterator[int]:
    """A descriptor that only stands for the file at ``path``; a relative one begins at the open folder ``base``."""
    here = os.dup(base) if base is not None and not path.is_absolute() else os.open(_start(path), _LOOK)
    parts, links = _parts(path), 0
    try:
        while parts:
            name = parts.pop()
            there = os.open(name, _LOOK, dir_fd=here)
            if stat.S_ISLNK(os.fstat(there).st_mode):
                links += 1
                try:
                    target = Path(os.readlink("", dir_fd=there))
                    if links > _MOST_LINKS or not _only_ours(here):
                        raise OSError(errno.ELOOP, "a link that others may have planted", str(path))
                finally:
                    os.close(there)
                parts += _parts(target)
                there = os.open("/", _LOOK) if target.is_absolute() else os.dup(here)
            os.close(here)
            here = there
        yield here
    finally:
        os.close(here)


def _start(path: Path) -> str:
    return "/" if path.is_absolute() else "."


def _parts(path: Path) -> list[str]:
    """The names on the way, the last one first."""
    return [part for part in reversed(path.parts) if part != "/"]


def _only_ours(folder: int) -> bool:
    """Whether nobody but root and we may put something into a folder."""
    status = os.fstat(folder)
    by_group = os.geteuid() == 0 and status.st_gid != 0 and status.st_mode & stat.S_IWGRP
    return status.st_uid in (0, os.geteuid()) and not by_group and not status.st_mode & stat.S_IWOTH
