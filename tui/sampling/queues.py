"""The listen queues of a stack: what fills up before a client sees a 502 or a latency of 1, 3 or 7 seconds.

A full queue of a unix socket refuses the connection at once (EAGAIN), and the front answers 502. A full queue of a
TCP socket drops the SYN silently, and the client tries again after 1, 2, 4 ... seconds.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tui.system.sock_diag import ListenQueue, tcp_listen_queues, unix_listen_queues
from tui.system.sockets import open_files, tcp_listen_drops


@dataclass(frozen=True, slots=True)
class QueueSample:
    """The listening sockets of the stack at one moment, those of the plan first.

    Their ``drops`` count from the first look on.
    """

    queues: tuple[ListenQueue, ...]
    reasons: tuple[str, ...]
    """Why sockets of a kind are missing: ``unix sockets: Operation not permitted``. They are then unknown, not 0."""


class QueueSampler:
    """Reads the queues of one stack's sockets.

    A socket is the stack's when it has one of the ``ports`` or ``paths`` that the plan gave out, or when one of the
    stack's processes holds it (:meth:`find`). ``leave_out`` are addresses that we look through ourselves. A server may
    bind a socket under another name and rename it, so those of the plan are known by their files.
    """

    def __init__(
        self, ports: Collection[int], paths: Collection[str], leave_out: Collection[str] = ()
    ) -> None:
        self._ports = {port: place for place, port in enumerate(ports)}
        self._paths = {path: place for place, path in enumerate(paths)}
        self._leave_out = frozenset(leave_out)
        self._held: frozenset[str] = frozenset()
        self._files: dict[tuple[int, int], str] = {}
        self._first_drops: dict[int, tuple[int, int | None]] = {}
        self._machines_drops: int | None = None
        self._looked = False

    def find(self, pids: Iterable[int]) -> None:
        """Learn which sockets these processes hold, as far as we may see that.

        It reads a link for each of their open files: call it before and after an interval of load, not during one.
        """
        self._held = frozenset(
            target for pid in pids for target in open_files(pid) if target.startswith("socket:[")
        )
        for path in (*self._paths, *self._leave_out):
            with contextlib.suppress(OSError):
                status = Path(path).stat()
                self._files[status.st_dev, status.st_ino] = path

    def sample(self) -> QueueSample:
        """Costs about 0.2 ms."""
        queues: list[ListenQueue] = []
        reasons = []
        kinds: tuple[tuple[str, Callable[[], list[ListenQueue]]], ...] = (
            ("TCP", tcp_listen_queues),
            ("unix", unix_listen_queues),
        )
        for kind, read in kinds:
            try:
                queues += [each for each in map(self._known, read()) if self._is_ours(each)]
            except OSError as error:
                reasons.append(f"{kind} sockets: the kernel reports no queues ({error.strerror or error})")
        return QueueSample(tuple(sorted(self._counted(queues), key=self._place)), tuple(reasons))

    def _counted(self, queues: list[ListenQueue]) -> Iterator[ListenQueue]:
        """The same with the attempts to connect that a full queue has dropped since the first look.

        A socket's own count has other packets in it: of a server with TCP_DEFER_ACCEPT one for each connection. The
        namespace's has not, but is of all sockets. So the smaller one counts.
        """
        before, now = self._machines_drops, tcp_listen_drops()
        for each in queues:
            if each.drops is None:
                yield each
                continue
            first = (0, before) if self._looked else (each.drops, now)
            own, machines = self._first_drops.setdefault(each.inode, first)
            drops = each.drops - own
            if now is not None and machines is not None:
                drops = min(drops, now - machines)
            yield replace(each, drops=drops)
        self._machines_drops, self._looked = now, True

    def _known(self, each: ListenQueue) -> ListenQueue:
        """The same by the path that the plan knows."""
        path = self._files.get(each.file) if each.file else None
        return each if path is None else replace(each, address=path)

    def _is_ours(self, each: ListenQueue) -> bool:
        if each.address in self._leave_out:
            return False
        planned = each.port in self._ports if each.kind == "tcp" else each.address in self._paths
        return planned or f"socket:[{each.inode}]" in self._held

    def _place(self, each: ListenQueue) -> tuple[int, int, str, int]:
        """TCP before unix, of each the planned ones first and in their order."""
        if each.port is not None:
            return (0, self._ports.get(each.port, len(self._ports)), each.address, each.inode)
        return (1, self._paths.get(each.address, len(self._paths)), each.address, each.inode)
