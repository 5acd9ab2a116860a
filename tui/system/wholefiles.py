"""Writes files that are whole or not there: a full disk leaves neither an empty file nor half of one."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from pathlib import Path

from tui.system.errors import UserError

_OF_A_DISK = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EFBIG})


def write_whole(path: Path, text: str, *, private: bool = False) -> None:
    """Write a file under another name next to it, then rename it; what was there before stays until then.

    What isn't an ordinary file (``/dev/stdout``, a pipe) is written to directly. OSError if that isn't possible.
    Only its owner may read a ``private`` file.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        target.write_text(text, encoding="utf-8")
        return
    fd, unfinished = tempfile.mkstemp(prefix=f".{target.name[:100]}.", suffix=".new", dir=target.parent)
    try:
        with os.fdopen(fd, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fchmod(fd, 0o600 if private else _mode(target))
        Path(unfinished).rename(target)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(unfinished).unlink()
        raise


def write_export(path: Path, text: str) -> None:
    """``write_whole`` for a file that a person asked for. Raises UserError with the folder and the reason."""
    try:
        write_whole(path, text)
    except OSError as error:
        raise UserError(
            f"{path}: can't write there ({fault(error, path.parent)}); choose another path"
        ) from error


def fault(error: OSError, folder: Path) -> str:
    """Why something can't be written, with the folder where that is about its disk: "No space left on device: /mnt"."""
    reason = error.strerror or str(error)
    return f"{reason}: {folder}" if error.errno in _OF_A_DISK else reason


def _mode(target: Path) -> int:
    """That of the file that is replaced, else the usual one."""
    with contextlib.suppress(OSError):
        return target.stat().st_mode & 0o777
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask
