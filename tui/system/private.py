"""Files that only we may read: a record holds tokens, headers and environments as they were."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner may read, whatever the umask; a file that was there becomes so."""
    with _opened(path, os.O_TRUNC) as file:
        file.write(text.encode())


def append_private(path: Path) -> BinaryIO:
    """Open a file for appending that only its owner may read; the caller closes it."""
    return _opened(path, os.O_APPEND)


def make_private_folder(path: Path) -> None:
    """Create a folder that only its owner may enter, with those above it; nothing happens if it exists."""
    for folder in (*reversed(path.parents), path):
        if not folder.exists():
            folder.mkdir(mode=0o700)


def _opened(path: Path, flag: int) -> BinaryIO:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | flag, 0o600)
    os.fchmod(descriptor, 0o600)
    return os.fdopen(descriptor, "a+b" if flag == os.O_APPEND else "wb")
