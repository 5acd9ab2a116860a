"""What is read of a stack beside its processes: its listen queues, and what its status pages say."""

from __future__ import annotations

from typing import Literal

from tui.run.event_base import EventPart, TimedEvent


class QueueReading(EventPart):
    """One listening socket of the stack at one moment. The counts begin when the stack is ready."""

    kind: Literal["tcp", "unix"]
    address: str
    """``127.0.0.1:8000``, ``[::]:80``, a path, or ``@name``."""
    inode: int
    """Its identity: of several sockets with one address (SO_REUSEPORT), or of one that was made anew."""
    queue: int
    """Connections that wait to be accepted; the kernel lets one more wait than the backlog says."""
    backlog: int
    drops: int | None
    """Connection attempts that the kernel dropped, repeated ones again; None for a unix socket: it counts none."""
    refusals: int | None
    """Connections that a full unix socket refused, by the log of who was refused; None where no log is counted."""


class ListenQueues(TimedEvent):
    """All listening sockets of the stack; written when something has changed, and at a stretch of load's begin."""

    type: Literal["listen-queues"] = "listen-queues"
    sockets: tuple[QueueReading, ...]
    every: float
    """Seconds between two looks: what rises and falls in between is not seen."""
    looks: int
    """Looks so far."""
    cost: float
    """CPU seconds that they took so far."""
    refused_elsewhere: int = 0
    """Refused connections whose line in the log names none of the sockets."""
    reasons: tuple[str, ...] = ()
    """Why sockets of a kind can't be seen."""


class WorkerServed(EventPart):
    """What a status page says of one worker."""

    pid: int
    requests: int | None
    """Answered since it was started."""
    busy: bool | None


class StatusRead(TimedEvent):
    """What a source of status said, or why it said nothing. A number that it doesn't tell is None."""

    type: Literal["status-read"] = "status-read"
    source: str
    busy: int | None = None
    idle: int | None = None
    queue: int | None = None
    requests: int | None = None
    """Answered since the server was started."""
    workers: tuple[WorkerServed, ...] = ()
    error: str | None = None
    took: float
    """Seconds that the read took."""
