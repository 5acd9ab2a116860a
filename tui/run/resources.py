"""What a run uses up of the machine, and what the machine goes through meanwhile, as it is written down."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tui.run.event_base import EventPart, TimedEvent


class Strain(EventPart):
    """What the machine went through over one stretch of load. What is None was not told."""

    steal: dict[int, float] = Field(default_factory=dict)
    """Share of each CPU of the run that the hypervisor gave to others."""
    swapped_in: int | None = None
    """Bytes read back from swap, compressed memory (zram) too, on the whole machine."""
    swapped_out: int | None = None
    pressure: float | None = None
    """Seconds in which some task of the machine waited for memory (PSI)."""


class GroupKilled(EventPart):
    """A memory cgroup of the stack in which the kernel killed for want of memory."""

    name: str
    kills: int
    """Since the last time that it was told."""
    limit: int | None
    """Bytes that its processes may have together; None without a limit."""


class HostReading(TimedEvent):
    type: Literal["host"] = "host"
    label: str | None = None
    """"before start", "idle", "after round 1": a reading that the summary quotes."""
    cpu_busy: dict[int, float]
    """Share of each CPU that was in use since the last reading (without steal)."""
    cpu_steal: dict[int, float]
    memory_used: int
    memory_available: int
    swap_used: int
    swapped_in: int | None = None
    """Bytes since the last reading; None where the kernel does not tell."""
    swapped_out: int | None = None
    pressure: float | None = None
    """Seconds in which some task waited for memory since the last reading (PSI); None without PSI."""
    memory_kills: int | None = None
    """Processes that the kernel has killed for want of memory since the last reading, strangers among them."""
    killed_in: tuple[GroupKilled, ...] = ()
    """The memory cgroups of the stack in which they were."""
    generator_cpu: float | None
    """CPU seconds of the load processes since the run's start; None while there are none."""


class DescriptorReading(EventPart):
    """One process: how many descriptors it has open, and how many it may have (the soft limit)."""

    pid: int
    start: int
    open: int | None
    limit: int | None
    """None where it has none, or where it can't be read."""
    reason: str | None = None
    """Why ``open`` is None."""


class Descriptors(TimedEvent):
    """All processes of the stack and of our load, once in a while under load."""

    type: Literal["descriptors"] = "descriptors"
    stack: tuple[DescriptorReading, ...]
    load: tuple[DescriptorReading, ...]


class TimeWait(TimedEvent):
    """Sockets in TIME_WAIT at a stretch's end, on the side that closed its connections first.

    Written only where the load goes to a TCP port.
    """

    type: Literal["time-wait"] = "time-wait"
    round: int | None
    """None for the warm-up."""
    client: int | None
    """Connections to the server; each holds a port of the client's."""
    server: int | None
    """The server's own, which cost the client no port."""
    ports: int | None
    """How many ports one client address has for one server address (``ip_local_port_range``)."""
    reused_after: float | None
    """Seconds after which the kernel takes such a port again all the same (``tcp_tw_reuse``); None when it doesn't."""
    reason: str | None = None
    """Why the counts are None."""
