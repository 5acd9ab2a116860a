"""Findings on resources that a run nearly used up: descriptors of the stack or the load, and the client's ports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tui.findings.evidence import listed
from tui.record.events import DescriptorReading
from tui.record.resource_state import used
from tui.record.state import RunState
from tui.summary import units
from tui.summary.finding import OF_THE_LOAD, Finding
from tui.summary.sockets import ports

NEARLY_NO_DESCRIPTORS = 0.9
"""Share of a process's limit: the last tenth goes to logs and connections to others, and accept() fails first."""
NEARLY_NO_PORTS = 0.8
"""Share of the client's ports for one server in TIME_WAIT."""


def descriptors(state: RunState) -> Iterator[Finding]:
    """A process of the stack, or a load process, had hardly any descriptors left."""
    roles = {process.key: process.seen.role for process in state.processes.values()}
    owners = (
        (
            "the stack",
            state.resources.of_stack.values(),
            "raise its limit: ulimit -n where it is started, or the server's own option",
        ),
        (
            "the load",
            state.resources.of_load.values(),
            "use fewer connections, more load.cpus, or a higher hard limit (ulimit -Hn) where stackdyno is started",
        ),
    )
    for owner, readings, remedy in owners:
        near = [each for each in readings if used(each) >= NEARLY_NO_DESCRIPTORS]
        if near:
            yield Finding(
                code="descriptors",
                severity="warning",
                quantities=OF_THE_LOAD,
                text=f"{owner} is about to run out of descriptors",
                evidence=_nearest(near, roles),
                remedy=remedy,
            )


def _nearest(readings: Iterable[DescriptorReading], roles: Mapping[tuple[int, int], str]) -> str:
    nearest = sorted(readings, key=used, reverse=True)
    return listed(
        [
            f"{roles.get((each.pid, each.start), 'load process')} {each.pid}: {units.count(each.open)} of "
            f"{units.count(each.limit)} open"
            for each in nearest
        ]
    )


def time_wait(state: RunState) -> Iterator[Finding]:
    """The client closed first so often that it has hardly any ports left for this server."""
    seen = ports(state)
    if seen is None or seen.client_time_wait is None or not seen.ports:
        return
    if seen.client_time_wait < NEARLY_NO_PORTS * seen.ports:
        return
    after = (
        "the kernel holds each for a minute"
        if seen.reused_after is None
        else f"the kernel reuses each after {units.duration(seen.reused_after)} (net.ipv4.tcp_tw_reuse)"
    )
    yield Finding(
        code="time-wait",
        severity="warning",
        quantities=OF_THE_LOAD,
        text="nearly all of the client's ports are in TIME_WAIT: connections wait for a port, or fail",
        evidence=(
            f"{units.count(seen.client_time_wait)} of {units.count(seen.ports)} after a round, and "
            f"{units.count(seen.server_time_wait)} sockets of the server; {after}"
        ),
        remedy=(
            "keep connections open (load.keepalive), let the server close first, or widen "
            "net.ipv4.ip_local_port_range"
        ),
    )
