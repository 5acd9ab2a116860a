"""What limited the rate: the server's CPUs, the load generator, or neither."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tui.record.state import RunState
from tui.summary import units
from tui.summary.figures import mean_share, stack_cpu
from tui.summary.finding import Finding
from tui.summary.schema import Bottleneck
from tui.summary.sockets import named
from tui.system.cpus import format_cpu_list

FULL = 0.1
"""Idle share up to which the server's CPUs count as the limit: work arrives in bursts."""
ALL = 0.95
"""From this mean share of busy workers on the status page, all count as busy."""
SHORTEST = 1.0
"""Seconds of rounds; over a shorter time, shares of CPU time mean nothing."""


def bottleneck(state: RunState, of_the_load: Sequence[Finding], *, rate_missed: bool) -> Bottleneck | None:
    """What limited the rate; None until the rounds cover a second.

    ``of_the_load`` are the findings on the load generator; ``rate_missed``: an open loop missed its planned rate.
    """
    seconds = sum(ended.length for ended in state.rounds)
    if state.planned is None or seconds < SHORTEST:
        return None
    facts, load = state.planned.facts, state.planned.load
    if facts.shared_cpus:
        return Bottleneck(who="unknown", evidence="server and load share a CPU")
    for each in of_the_load:
        if each.severity == "invalid":
            return Bottleneck(who="load", evidence=each.evidence)
    idle, spent = mean_share(state, lambda ended: ended.server_idle), stack_cpu(state)
    if idle is None:
        return Bottleneck(who="unknown", evidence="the idle time of the server's CPUs could not be read")
    cpus = f"CPU {format_cpu_list(facts.server_cpus)} {units.share(idle)} idle"
    if spent is not None:  # by the stack's processes, without the kernel's work for them on these CPUs
        cpus += f", the stack used {spent / seconds:.2f} CPUs"
    if idle < FULL:
        others = 1 - idle - (spent or 0.0) / (seconds * len(facts.server_cpus))
        if others > 0.5:
            return Bottleneck(who="unknown", evidence=f"{cpus}: something else used most of its time")
        return Bottleneck(who="server", evidence=cpus)
    if load.mode in ("none", "command"):
        return Bottleneck(who="unknown", evidence=f"{cpus}; the load is external")
    if load.mode == "open" and not rate_missed:
        return Bottleneck(who="none", evidence=f"{cpus}; the planned rate was reached")
    return Bottleneck(who="neither", evidence="; ".join([cpus, *_signs(state)]))


def _signs(state: RunState) -> list[str]:
    """Other possible limits that the run shows."""
    assert state.planned is not None
    facts, load = state.planned.facts, state.planned.load
    signs = []
    for name, page in state.status.items():
        busy, idle = page.busy.mean, page.idle.mean
        if busy and idle is not None and busy >= ALL * (busy + idle):
            signs.append(f"all workers were busy ({name}): use more workers")
    for name, queue in named(state):
        if queue.longest_measured and queue.longest_measured >= max(1, queue.reading.backlog):
            signs.append(f"the listen queue {name} was full")
    if load.connections is not None and facts.workers is not None and load.connections <= facts.workers:
        signs.append(f"{load.connections} connections for {facts.workers} workers: use more connections")
    return signs or ["the stack waits for something other than CPU: a database, a disk, a lock, a sleep"]


def note(found: Bottleneck | None) -> Iterator[Finding]:
    """A note if no CPU was the limit: the rate then doesn't show what the CPUs can do."""
    if found is None or found.who != "neither":
        return
    yield Finding(
        code="bottleneck",
        severity="note",
        quantities=(),
        text="neither the server's CPUs nor the load generator limited the rate",
        evidence=found.evidence,
        remedy="",
    )
