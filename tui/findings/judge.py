"""The run judges itself.

A finding has a code, a severity, the quantities it touches, the evidence and a remedy. It invalidates quantities,
not the run: if the load generator is saturated, the rate is a lower bound, the latency is invalid, and memory stays
valid.
"""

from __future__ import annotations

from dataclasses import replace

from tui.findings import (
    affinity,
    answers,
    bottleneck,
    connections,
    ending,
    generator,
    growth,
    listen_queues,
    lost_lines,
    machine,
    notices,
    open_loop,
    rounds,
    running_out,
    steadiness,
    strain,
    workers,
)
from tui.record.state import RunState
from tui.summary.finding import Finding, Judgement, Severity

_ORDER: dict[Severity, int] = {"invalid": 0, "warning": 1, "note": 2}


def judge(state: RunState) -> Judgement:
    """Judge a run so far. Pure, and cheap enough to call once a second."""
    of_the_load = (*generator.saturated(state), *generator.lag(state))
    rate_missed = [*open_loop.rate_not_reached(state)]
    limit = bottleneck.bottleneck(state, of_the_load, rate_missed=bool(rate_missed))
    found = [
        *of_the_load,
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
        *rate_missed,
        *open_loop.caught_up(state),
        *listen_queues.overflows(state),
        *workers.workers(state),
        *affinity.wrong(state),
        *rounds.only_one(state),
        *answers.none_good(state),
        *steadiness.unsteady(state),
        *bottleneck.note(limit),
        *notices.noticed(state),
        *ending.not_good(state),
        *lost_lines.lost(state),
    ]
    return Judgement(_sorted(state, found), limit)


def judge_cut_off(state: RunState) -> Judgement:
    """Judge a record that has no end and whose runner has ended."""
    judged = judge(state)
    return replace(judged, findings=(ending.cut_off(state), *judged.findings))


def _sorted(state: RunState, found: list[Finding]) -> tuple[Finding, ...]:
    """The most severe first, allowed ones last."""
    allowed = state.started.allowed if state.started else ()
    marked = [replace(each, allowed=True) if each.code in allowed else each for each in found]
    return tuple(sorted(marked, key=lambda finding: (finding.allowed, _ORDER[finding.severity])))
