"""Findings on what used the run's CPUs while load was measured."""

from __future__ import annotations

from collections.abc import Iterator

from tui.record.events import RoundEnded
from tui.record.state import RunState
from tui.summary import units
from tui.summary.finding import OF_THE_LOAD, Finding
from tui.system.cpus import format_cpu_list

BUSY_ELSEWHERE = 0.25
"""Share of a set of CPUs that may go to others, including the kernel, before that is reported."""
SHORTEST = 1.0
"""Seconds; in a shorter round, idle shares mean nothing, as they cover slightly more than the round."""


def overlap(state: RunState) -> Iterator[Finding]:
    if state.planned is None or not state.planned.facts.shared_cpus:
        return
    facts = state.planned.facts
    chosen = facts.shared_by_choice
    server, load = format_cpu_list(facts.server_cpus), format_cpu_list(facts.load_cpus)
    yield Finding(
        code="overlap",
        severity="invalid" if chosen else "warning",
        quantities=OF_THE_LOAD,
        text="server and load share a CPU" + ("" if chosen else ": this machine has no other"),
        evidence=f"server on CPU {server}, load on CPU {load}",
        remedy=(
            'separate cpus and load.cpus, or set both to "auto"'
            if chosen
            else "compare only with runs on the same machine, or use one with more CPUs"
        ),
    )


def others(state: RunState) -> Iterator[Finding]:
    """Something else used the server's CPUs, or the load's."""
    if state.planned is None or state.planned.facts.shared_cpus:
        return  # the two can't be distinguished; `overlap` reports that
    facts = state.planned.facts
    for name, cpus, shares in (
        (
            "server",
            facts.server_cpus,
            [_server_to_others(ended, len(facts.server_cpus)) for ended in state.rounds],
        ),
        ("load", facts.load_cpus, [_load_to_others(ended, len(facts.load_cpus)) for ended in state.rounds]),
    ):
        known = [share for share in shares if share is not None]
        worst = max(known, default=0.0)
        if worst >= BUSY_ELSEWHERE and not (name == "server" and facts.external):
            yield Finding(
                code=f"{name}-cpu-taken",
                severity="warning",
                quantities=OF_THE_LOAD,
                text=f"something else used the {name}'s CPUs",
                evidence=f"in a round up to {units.share(worst)} of CPU {format_cpu_list(cpus)} went to something else",
                remedy="run again when the machine is quiet",
            )


def _server_to_others(ended: RoundEnded, cpus: int) -> float | None:
    if ended.server_idle is None or ended.stack_cpu is None or ended.length < SHORTEST:
        return None
    return 1 - ended.server_idle - ended.stack_cpu / (ended.length * cpus)


def _load_to_others(ended: RoundEnded, cpus: int) -> float | None:
    """How much of the load's CPUs others used, in a round with hardly any idle time."""
    if (
        ended.result is None
        or ended.load_idle is None
        or ended.result.seconds < SHORTEST
        or ended.load_idle > 0.1
    ):
        return None
    return 1 - ended.load_idle - sum(ended.result.cpu_seconds) / (ended.result.seconds * cpus)
