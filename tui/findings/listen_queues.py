"""Findings on full listen queues."""

from __future__ import annotations

from collections.abc import Iterator

from tui.findings.evidence import listed
from tui.record.queue_state import QueueState
from tui.record.state import RunState
from tui.summary import units
from tui.summary.finding import Finding
from tui.summary.sockets import named


def overflows(state: RunState) -> Iterator[Finding]:
    """A full listen queue: a TCP socket drops connections (long tails), a unix socket refuses them (502s)."""
    sockets = list(named(state))
    dropped = [(name, each.drops, each) for name, each in sockets if each.drops]
    refused = [(name, each.refusals, each) for name, each in sockets if each.refusals]
    elsewhere = state.queues.refused_elsewhere
    remedy = "raise the backlog (options.backlog; net.core.somaxconn limits it), or use fewer connections"
    if dropped:
        total = sum(number for _, number, _ in dropped)
        yield Finding(
            code="listen-overflow",
            severity="warning",
            quantities=("latency",),
            text=f"a listen queue overflowed: the kernel dropped {units.count(total)} connection attempts",
            evidence=_full(dropped) + "; a dropped client retries after 1, 3 and 7 s",
            remedy=remedy,
        )
    if refused or elsewhere:
        total = sum(number for _, number, _ in refused) + elsewhere
        yield Finding(
            code="listen-overflow",
            severity="warning",
            quantities=("rate",),
            text=f"a listen queue overflowed: {units.count(total)} connections were refused",
            evidence=_full(refused) or "the server's log doesn't say on which socket",
            remedy=remedy,
        )


def _full(sockets: list[tuple[str, int, QueueState]]) -> str:
    return listed(
        [
            f"{name}: {units.count(number)}, backlog {units.count(each.reading.backlog)}"
            for name, number, each in sockets
        ]
    )
