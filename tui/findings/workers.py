"""Findings on processes of the stack that started or ended while load was measured, and why they ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tui.findings.evidence import counted, named
from tui.record.resource_state import MemoryKills
from tui.record.state import ProcessState, RunState
from tui.summary import units
from tui.summary.finding import QUANTITIES, Finding

DRAINING = "shutting down"
"""In the title of an nginx worker that ends with its last connection."""
LATE = 1.0
"""Seconds: the maximum delay until a process's end is noticed; the kernel's count is read about as late."""


def workers(state: RunState) -> Iterator[Finding]:
    """Processes that started or ended, except for helpers: some servers start a short-lived one every few seconds."""
    serving = [each for each in state.processes.values() if each.seen.role != "helper"]
    came = [each for each in serving if each.in_measured_window]
    last = _load_ended(state)
    went = [each for each in serving if each.ended and not each.ended.expected and each.ended.t <= last]
    if reloaded := _reloaded(state, serving, went):
        yield reloaded
        return
    if came:
        yield Finding(
            code="worker-came",
            severity="warning",
            quantities=("latency", "memory"),
            text=f"{counted(came)} started while load was measured",
            evidence=named(came),
            remedy="lengthen load.warmup, fix the number of workers, and don't restart them after N requests",
        )
    starved = _killed_for_memory(state, went)
    if starved:
        yield Finding(
            code="worker-oom",
            severity="warning",
            quantities=QUANTITIES,
            text=f"the kernel killed {counted(starved)} because memory ran out",
            evidence=f"{named(starved)}; {_kills(state.resources.kills)}",
            remedy="use fewer workers, or raise the memory limit",
        )
    others = [each for each in went if each not in starved]
    if others:
        yield Finding(
            code="worker-went",
            severity="warning",
            quantities=QUANTITIES,
            text=f"{counted(others)} ended while load was measured",
            evidence=named(others) + _about_signals(state, others),
            remedy="see the server's log (l)",
        )


def _reloaded(
    state: RunState, serving: Sequence[ProcessState], went: Sequence[ProcessState]
) -> Finding | None:
    """An external server reloaded or was restarted: of the workers that were there when it was ready, none serves."""
    if state.planned is None or not state.planned.facts.external or state.ready is None or not went:
        return None
    ready = state.ready.t
    old = [each for each in serving if each.seen.role == "worker" and each.seen.t - each.seen.age <= ready]
    new = [each for each in serving if each.seen.t - each.seen.age > ready]
    serve_on = [each for each in old if each.alive and DRAINING not in each.seen.title]
    if serve_on or not old or not new or _killed_for_memory(state, went):
        return None
    restarted = any(each.seen.role == "master" for each in went)
    return Finding(
        code="reloaded",
        severity="warning",
        quantities=QUANTITIES,
        text=f"the server was {'restarted' if restarted else 'reloaded'} while load was measured",
        evidence=f"{named(went)} ended; {named(new)} came",
        remedy="leave the server alone while it is measured; the new processes' CPU time and memory are included",
    )


def _killed_for_memory(state: RunState, went: Sequence[ProcessState]) -> list[ProcessState]:
    """Those that ended when the kernel's count rose, at most as many as it counted; processes known to be killed first.

    Only its parent knows how a process ended, so how a worker ended is mostly unknown.
    """
    may_be = sorted(
        (each for each in went if each.ended and each.ended.status in (None, "SIGKILL")),
        key=lambda each: each.ended is not None and each.ended.status is None,
    )
    killed: list[ProcessState] = []
    for count in state.resources.kills:
        near = [each for each in may_be if each not in killed and _at(each, count)]
        killed += near[: count.kills]
    return killed


def _at(process: ProcessState, count: MemoryKills) -> bool:
    return process.ended is not None and count.since - LATE <= process.ended.t <= count.until + LATE


def _kills(kills: Sequence[MemoryKills]) -> str:
    """``the kernel counted 1 out-of-memory kill, 1 in the cgroup /web (limit 64.0 MB)``."""
    total = sum(each.kills for each in kills)
    words = f"the kernel counted {total} out-of-memory kill{'s' if total > 1 else ''}"
    groups: dict[str, tuple[int, int | None]] = {}
    for group in (group for each in kills for group in each.groups):
        groups[group.name] = groups.get(group.name, (0, None))[0] + group.kills, group.limit
    return words + "".join(
        f", {number} in the cgroup {name}" + (f" (limit {units.size(limit)})" if limit is not None else "")
        for name, (number, limit) in groups.items()
    )


def _about_signals(state: RunState, went: Sequence[ProcessState]) -> str:
    if not any(each.ended and each.ended.status == "SIGKILL" for each in went):
        return ""
    if state.resources.kills_are_counted:
        return "; someone sent SIGKILL: the kernel counted no out-of-memory kill"
    return "; SIGKILL: memory may have run out"


def _load_ended(state: RunState) -> float:
    drained = [change.t for change in state.phases if change.phase == "drain"]
    return drained[-1] if drained else float("inf")
