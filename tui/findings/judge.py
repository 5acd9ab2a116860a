"""The run judges itself.

A finding has a code, a severity, the quantities it touches, the evidence and what to do. It invalidates quantities
and not the run: a saturated load generator makes the rate a lower bound and the latency void, and the memory stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tui.findings import (
    answers,
    bottleneck,
    connections,
    generator,
    growth,
    machine,
    open_loop,
    running_out,
    steadiness,
    strain,
    workers,
)
from tui.findings.finding import Finding, Quantity, Severity
from tui.record.queue_state import QueueState
from tui.record.state import RunState
from tui.summary import units
from tui.summary.queues import named
from tui.system.cpus import format_cpu_list

_ORDER: dict[Severity, int] = {"invalid": 0, "warning": 1, "note": 2}
_LOAD: tuple[Quantity, ...] = ("rate", "latency")


def judge(state: RunState) -> tuple[Finding, ...]:
    """All findings of a run so far, the gravest first. Pure, and cheap enough for once a second."""
    found = [
        *generator.saturated(state),
        *generator.lag(state),
        *machine.overlap(state),
        *machine.others(state),
        *strain.steal(state),
        *strain.clock_rate(state),
        *strain.swapping(state),
        *strain.memory_pressure(state),
        *growth.grows(state),
        *running_out.descriptors(state),
        *running_out.time_wait(state),
        *answers.stalled(state),
        *answers.bad(state),
        *connections.littles_law(state),
        *connections.too_few(state),
        *connections.not_kept(state),
        *open_loop.rate_not_reached(state),
        *open_loop.caught_up(state),
        *_overflows(state),
        *workers.workers(state),
        *_binding(state),
        *_rounds(state),
        *steadiness.unsteady(state),
        *bottleneck.note(state),
        *_notices(state),
        *_end(state),
    ]
    allowed = state.started.allowed if state.started else ()
    told = [replace(each, allowed=True) if each.code in allowed else each for each in found]
    return tuple(sorted(told, key=lambda finding: (finding.allowed, _ORDER[finding.severity])))


def invalid_quantities(findings: tuple[Finding, ...]) -> tuple[Quantity, ...]:
    """The quantities that must not be used, in a fixed order."""
    grave = [each for each in findings if each.severity == "invalid" and not each.allowed]
    touched = {quantity for each in grave for quantity in each.quantities}
    order: tuple[Quantity, ...] = ("rate", "latency", "memory")
    return tuple(quantity for quantity in order if quantity in touched)


def _overflows(state: RunState) -> Iterator[Finding]:
    """A full listen queue: behind a TCP socket's drops are tails, behind a unix socket's refusals are 502s."""
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
            text=f"a listen queue overflowed: the kernel dropped {units.count(total)} attempts to connect",
            evidence=_full(dropped) + "; a client that is dropped tries again after 1, 3 and 7 s",
            remedy=remedy,
        )
    if refused or elsewhere:
        total = sum(number for _, number, _ in refused) + elsewhere
        yield Finding(
            code="listen-overflow",
            severity="warning",
            quantities=("rate",),
            text=f"a listen queue overflowed: {units.count(total)} connections were refused",
            evidence=_full(refused) or "the lines in the server's log name no socket that is known",
            remedy=remedy,
        )


def _full(sockets: list[tuple[str, int, QueueState]]) -> str:
    shown = [
        f"{name}: {units.count(number)}, backlog {units.count(each.reading.backlog)}"
        for name, number, each in sockets[:6]
    ]
    return ", ".join(shown) + (f" and {len(sockets) - 6} more" if len(sockets) > 6 else "")


def _binding(state: RunState) -> Iterator[Finding]:
    astray = [process for process in state.processes.values() if process.seen.misbound]
    if astray:
        yield Finding(
            code="misbound",
            severity="invalid",
            quantities=_LOAD,
            text=f"{workers.counted(astray)} may run on a CPU that the stack was not given",
            evidence=", ".join(
                f"pid {each.seen.pid} on CPU {format_cpu_list(each.seen.bound or ())}" for each in astray[:6]
            ),
            remedy="remove the CPU affinity from the server's own configuration",
        )


def _rounds(state: RunState) -> Iterator[Finding]:
    if state.ended is None:
        return
    whole = [ended for ended in state.rounds if not ended.stopped]
    if len(whole) == 1:
        yield Finding(
            code="one-round",
            severity="warning",
            quantities=_LOAD,
            text="one round only: nothing is known about how much it scatters",
            evidence="one run of one stack says little; the reference articles saw 2.6 times at the p99",
            remedy="load.rounds = 3 or more",
        )
    barren = [
        str(ended.round) for ended in state.rounds if ended.result and not ended.result.tally.outcomes.ok
    ]
    if barren:
        yield Finding(
            code="no-good-answer",
            severity="invalid",
            quantities=_LOAD,
            text=f"no good answer in round {', '.join(barren)}",
            evidence="every outcome was an error or was not finished",
            remedy="see the outcomes, and the server's log (l)",
        )


def _notices(state: RunState) -> Iterator[Finding]:
    """What the runner noticed while it worked; the plan's own notes on shared CPUs are findings already."""
    remedies = {
        "workers-missing": "a longer load.warmup, or see the server's log (l)",
        "disturbed": "run again when nothing else runs",
        "load-command": "see what it wrote, in the record: logs/load-round-N.txt",
        "killed": "see the server's log (l); its stop may need more time",
    }
    for notice in state.notices:
        if (
            notice.code == "plan"
            and state.planned
            and state.planned.facts.shared_cpus
            and "share" in notice.text
        ):
            continue
        touched: tuple[Quantity, ...] = ()
        if notice.severity == "invalid" or notice.code == "disturbed":
            touched = ("rate", "latency", "memory")
        yield Finding(
            code=notice.code,
            severity=notice.severity,
            quantities=touched,
            text=notice.text,
            evidence=f"noticed at {units.duration(notice.t)}",
            remedy=remedies.get(notice.code, ""),
        )


def _end(state: RunState) -> Iterator[Finding]:
    if state.ended is None or state.ended.verdict == "good":
        return
    stopped = state.ended.verdict == "stopped"
    whole = _whole(state) > 0
    everything: tuple[Quantity, ...] = ("rate", "latency", "memory")
    yield Finding(
        code="stopped" if stopped else "failed",
        severity="warning" if stopped and whole else "invalid",
        quantities=everything,
        text="the run was stopped before its end" if stopped else f"the run failed: {state.ended.reason}",
        evidence=f"{_whole(state)} of {state.planned.load.rounds if state.planned else '?'} rounds are whole",
        remedy="run it again to its end" if stopped else "see the server's log (l)",
    )


def _whole(state: RunState) -> int:
    return sum(not result.stopped for result in state.results)


def cut_off(state: RunState) -> Finding:
    """For a record without an end whose runner is gone."""
    return Finding(
        code="cut-off",
        severity="invalid",
        quantities=("rate", "latency", "memory"),
        text="the record ends before the run did: its runner ended without finishing",
        evidence=f"the last event is at {units.duration(state.now)}",
        remedy="logs/runner.err in the record may say why; run it again",
    )
