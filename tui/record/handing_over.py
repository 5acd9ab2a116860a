"""Lines that can be kept nowhere are handed over, for a few seconds, to whoever follows the run or the experiment.

It is done through an abstract unix socket, which needs no disk; its name follows from the folder alone. Any user of the
machine can bind that name or connect to it, so both ends ask the kernel whose process the other one is.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import socket
import time
from pathlib import Path

from tui.system.sockets import peer

SECONDS = 3.0
"""For which lines are handed over; who follows a run looks several times a second."""
_PATIENCE = 0.5
"""Seconds that the other end may keep one waiting."""


def hand_over(path: Path, content: bytes, seconds: float | None = None) -> None:
    """Give ``content``, which belongs into the file ``path``, to every process of this user that asks meanwhile."""
    deadline = time.monotonic() + (SECONDS if seconds is None else seconds)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener, contextlib.suppress(OSError):
        listener.bind(_address(path))
        listener.listen(20)
        while (left := deadline - time.monotonic()) > 0:
            listener.settimeout(left)
            client, _ = listener.accept()
            with client, contextlib.suppress(OSError):
                if peer(client)[1] in (0, os.geteuid()):
                    client.settimeout(_PATIENCE)
                    client.sendall(content)


def receive(path: Path) -> list[bytes]:
    """All whole lines that belong into the file ``path``; empty if nobody hands them over, as is usual."""
    content = b""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client, contextlib.suppress(OSError):
        client.setblocking(False)
        client.connect(_address(path))
        if peer(client)[1] == os.geteuid():
            client.settimeout(_PATIENCE)
            while data := client.recv(1 << 20):
                content += data
    return content.split(b"\n")[:-1]


def _address(path: Path) -> str:
    return "\0stackdyno-" + hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:32]
