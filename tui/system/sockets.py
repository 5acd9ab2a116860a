"""The machine's listening sockets, and the processes that hold them, from ``/proc/net`` and ``/proc/PID/fd``."""

import os
import pwd
import socket
import struct
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tui.system.kernelfiles import read_text
from tui.system.procfs import every_process, read_cmdline

_TCP_LISTEN = "0A"
_UNIX_ACCEPTS = 0x00010000  # __SO_ACCEPTCON in the kernel's include/linux/net.h


@dataclass(frozen=True, slots=True)
class ListeningSocket:
    """``kind`` is tcp, tcp6 or unix. A unix socket has a path as its address, or ``@name``, and no port."""

    kind: str
    address: str
    port: int | None
    inode: int
    uid: int | None = None

    @property
    def place(self) -> tuple[str, str, int | None]:
        """Where it listens; a restarted server has the same."""
        return self.kind, self.address, self.port

    def __str__(self) -> str:
        if self.port is None:
            return f"unix:{self.address}"
        return f"[{self.address}]:{self.port}" if self.kind == "tcp6" else f"{self.address}:{self.port}"


def listening_sockets() -> list[ListeningSocket]:
    """Every listening TCP and unix socket of this network namespace."""
    return [*_tcp("tcp"), *_tcp("tcp6"), *_unix()]


def tcp_listen_drops() -> int | None:
    """Attempts to connect that full queues dropped since the start, in the whole network namespace.

    A client that retries and is dropped again counts again. None if the kernel doesn't say.
    """
    lines = (read_text(Path("/proc/self/net/netstat")) or "").splitlines()
    names, values = ([line.split() for line in lines if line.startswith("TcpExt:")] + [[], []])[:2]
    found = dict(zip(names, values, strict=False)).get("ListenDrops")
    return int(found) if found is not None else None


def holders(inodes: Iterable[int]) -> dict[int, list[int]]:
    """The processes that have each of these sockets open, oldest first, as far as that is visible."""
    wanted = {f"socket:[{inode}]": inode for inode in inodes}
    found: dict[int, list[int]] = {}
    if wanted:
        for stat in sorted(every_process(), key=lambda stat: stat.identity.start):
            for inode in {wanted[target] for target in open_files(stat.pid) if target in wanted}:
                found.setdefault(inode, []).append(stat.pid)
    return found


def open_files(pid: int) -> Iterator[str]:
    """The targets of a process's descriptors; nothing if it has ended or can't be read."""
    try:
        descriptors = os.listdir(f"/proc/{pid}/fd")  # noqa: PTH208 (Path costs three times as much)
    except OSError:
        return
    for descriptor in descriptors:
        try:
            yield os.readlink(f"/proc/{pid}/fd/{descriptor}")  # noqa: PTH115
        except OSError:
            continue


def holder_of_port(port: int) -> str | None:
    """Who listens on a TCP port, such as "pid 1234 nginx: master process nginx"; None if nobody does."""
    at_port = [each for each in listening_sockets() if each.port == port]
    if not at_port:
        return None
    for pids in holders(each.inode for each in at_port).values():
        return f"pid {pids[0]} {read_cmdline(pids[0]) or ''}".rstrip()
    return f"a process of {_user(at_port[0].uid)}"


def _tcp(kind: str) -> Iterator[ListeningSocket]:
    for line in _lines(f"/proc/net/{kind}"):
        field = line.split()
        if field[3] == _TCP_LISTEN:
            address, port = field[1].split(":")
            yield ListeningSocket(kind, _address(address), int(port, 16), int(field[9]), int(field[7]))


def _address(text: str) -> str:
    # The kernel prints every 32-bit word of an address as a number in the machine's byte order.
    words = (int(text[start : start + 8], 16) for start in range(0, len(text), 8))
    packed = b"".join(word.to_bytes(4, sys.byteorder) for word in words)
    return socket.inet_ntop(socket.AF_INET if len(packed) == 4 else socket.AF_INET6, packed)


def _unix() -> Iterator[ListeningSocket]:
    for name, inode, flags in bound_unix_sockets():
        if flags & _UNIX_ACCEPTS:
            yield ListeningSocket("unix", name, None, inode)


def bound_unix_sockets() -> Iterator[tuple[str, int, int]]:
    """Name, inode and flags of every unix socket with a name, listening or not; ``@`` begins an abstract name."""
    for line in _lines("/proc/net/unix"):
        field = line.split(maxsplit=7)
        if len(field) == 8:
            yield field[7], int(field[6]), int(field[3], 16)


def peer(connection: socket.socket) -> tuple[int, int]:
    """Pid and uid of a unix socket's other end: of whoever called listen or connect; the pid is 0 across namespaces."""
    pid, uid, _ = struct.unpack(
        "3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    )
    return pid, uid


def _lines(path: str) -> list[str]:
    try:
        return os.fsdecode(Path(path).read_bytes()).rstrip("\n").split("\n")[1:]
    except OSError:  # no IPv6, or a network namespace without /proc/net
        return []


def _user(uid: int | None) -> str:
    try:
        return f"user {pwd.getpwuid(uid or 0).pw_name}"
    except KeyError:
        return f"user {uid}"
