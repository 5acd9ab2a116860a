"""Findings on processes of the stack that came or went while load was measured, and why they went."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tui.record.resource_state import MemoryKills
from tui.record.state import ProcessState, RunState
from tui.summary import units
from tui.summary.finding import Finding, Quantity

LATE = 1.0
"""Seconds from a process's end until it is told, at most; the kernel's count is read about as late."""

_ALL: tuple[Quantity, ...] = ("rate", "latency", "memory")


def workers(state: RunState) -> Iterator[Finding]:
    """Who came and who went. Not helpers: some servers start a short one every few seconds."""
    serving = [each for each in state.processes.values() if each.seen.role != "helper"]
    came = [each for each in serving if each.in_measured_window]
    if came:
        yield Finding(
            code="worker-came",
            severity="warning",
            quantities=("latency", "memory"),
            text=f"{counted(came)} started while load was measured",
            evidence=pids(came),
            remedy="a longer warm-up, a fixed number of workers, no restart after N requests",
        )
    last = _load_ended(state)
    went = [each for each in serving if each.ended and not each.ended.expected and each.ended.t <= last]
    starved = _killed_for_memory(state, went)
    if starved:
        yield Finding(
            code="worker-oom",
            severity="warning",
            quantities=_ALL,
            text=f"the kernel killed {counted(starved)} for want of memory",
            evidence=f"{pids(starved)}; {_kills(state.resources.kills)}",
            remedy="fewer workers, or a higher memory limit",
        )
    others = [each for each in went if each not in starved]
    if others:
        yield Finding(
            code="worker-went",
            severity="warning",
            quantities=_ALL,
            text=f"{counted(others)} ended while load was measured",
            evidence=pids(others) + _about_signals(state, others),
            remedy="see the server's log (l)",
        )


def _killed_for_memory(state: RunState, went: Sequence[ProcessState]) -> list[ProcessState]:
    """Those that ended when the kernel's count rose, no more than it counted; those known to be killed first.

    Only its parent knows how a process ended, so that of a worker is mostly unknown.
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
    """``1 process killed for want of memory, by the kernel's count, 1 of them in the cgroup /web of 64.0 MB``."""
    total = sum(each.kills for each in kills)
    words = f"{total} process{'es' if total > 1 else ''} killed for want of memory, by the kernel's count"
    groups: dict[str, tuple[int, int | None]] = {}
    for group in (group for each in kills for group in each.groups):
        groups[group.name] = groups.get(group.name, (0, None))[0] + group.kills, group.limit
    return words + "".join(
        f", {number} of them in the cgroup {name}" + (f" of {units.size(limit)}" if limit is not None else "")
        for name, (number, limit) in groups.items()
    )


def _about_signals(state: RunState, went: Sequence[ProcessState]) -> str:
    if not any(each.ended and each.ended.status == "SIGKILL" for each in went):
        return ""
    if state.resources.kills_are_counted:
        return "; SIGKILL: someone sent it, the kernel counts no kill for want of memory then"
    return "; SIGKILL: the kernel may have run out of memory"


def _load_ended(state: RunState) -> float:
    drained = [change.t for change in state.phases if change.phase == "drain"]
    return drained[-1] if drained else float("inf")


def counted(processes: Sequence[ProcessState]) -> str:
    """``2 workers``; ``3 processes`` where their roles differ."""
    roles = {process.seen.role for process in processes}
    name = roles.pop() if len(roles) == 1 else "process"
    if len(processes) == 1:
        return f"1 {name}"
    return f"{len(processes)} {name}{'es' if name.endswith('s') else 's'}"


def pids(processes: Sequence[ProcessState]) -> str:
    """``worker 12 (SIGKILL), worker 13``, six of them at most."""
    shown = [
        f"{process.seen.role} {process.seen.pid}"
        + (f" ({process.ended.status})" if process.ended and process.ended.status else "")
        for process in processes[:6]
    ]
    return ", ".join(shown) + (f" and {len(processes) - 6} more" if len(processes) > 6 else "")
