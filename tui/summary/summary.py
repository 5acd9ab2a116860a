"""The summary of a run, made from the folded events.

Every figure is a function of the same :class:`tui.record.state.RunState` that the screen draws. Percentiles come from
the merged histograms of all rounds and are never averaged.
"""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Literal

from tui.load.result import RoundResult, Times
from tui.record.events import ProcessEnded, Verdict
from tui.record.record import Record
from tui.record.state import MemoryTotal, RunState
from tui.summary import counted, units
from tui.summary.figures import known_sum, load_result, mean_share, method, other_load, stack_cpu
from tui.summary.finding import Judgement, Quantity
from tui.summary.growth import growth
from tui.summary.schema import (
    SCHEMA,
    FindingPart,
    MemoryResult,
    MemoryRow,
    OtherLoad,
    ProcessRow,
    RoundRow,
    Summary,
)
from tui.summary.sockets import listen_queues, ports
from tui.summary.status import requests_of, status_rows


def summary_of(record: Record, state: RunState, judged: Judgement, *, running: bool) -> Summary:
    """The summary of a folded record. A record without an end is ``running`` or else cut off."""
    started = state.started
    assert started is not None
    verdict: Verdict | Literal["running", "cut off"] = "running" if running else "cut off"
    if state.ended is not None:
        verdict = state.ended.verdict
    rounds = tuple(round_row(state, ended.round) for ended in state.rounds)
    return Summary(
        schema=SCHEMA,
        stackdyno=started.stackdyno,
        run=started.run,
        record=record.name,
        profile_name=started.profile_name,
        title=started.profile_title,
        started=datetime.fromtimestamp(started.wall, UTC).isoformat(timespec="seconds"),
        elapsed=state.now,
        verdict=verdict,
        sentence=verdict_sentence(state, judged.invalid),
        reason=state.ended.reason if state.ended else None,
        log_tail=state.ended.log_tail if state.ended else (),
        findings=tuple(FindingPart(**asdict(each)) for each in judged.findings),
        invalid=judged.invalid,
        method=method(state),
        machine=started.machine,
        versions=state.versions,
        stack=state.planned.facts if state.planned else None,
        load=state.planned.load if state.planned else None,
        profile=started.profile,
        cold_start=state.ready.cold_start if state.ready else None,
        result=load_result(state),
        other_load=other_load(state),
        rounds=rounds,
        warmup=round_row(state, None) if state.warmup else None,
        memory=_memory(state),
        listen_queues=listen_queues(state),
        ports=ports(state),
        status=status_rows(state),
        processes=_processes(state),
        server_idle=mean_share(state, lambda ended: ended.server_idle),
        load_idle=mean_share(state, lambda ended: ended.load_idle),
        stack_cpu=stack_cpu(state),
        bottleneck=judged.bottleneck,
        generator_busy=_generator_busy(state.results),
        generator_lag=state.lag,
        left_running=state.leftovers.left if state.leftovers else (),
        removed=state.leftovers.removed if state.leftovers else (),
    )


def verdict_sentence(state: RunState, invalid: tuple[Quantity, ...]) -> str:
    """The run's result in one sentence; ``invalid`` are the quantities that its findings invalidate."""
    sentence = _verdict_sentence(state, invalid)
    if not state.lost_lines or not state.missing_rounds:
        return sentence
    numbers = ", ".join(map(str, state.missing_rounds))
    return f"Damaged record, without round {numbers}: {sentence}"


def _verdict_sentence(state: RunState, invalid: tuple[Quantity, ...]) -> str:
    if state.ended is not None and state.ended.verdict == "failed":
        return f"Failed: {state.ended.reason}."
    if state.rounds and (other := other_load(state)):
        return _external_sentence(state, other)
    result = load_result(state)
    if result is None or result.requests_per_second is None:
        return "No round was run." if state.ended else "Nothing has been measured yet."
    percentiles = {point.percent: point.seconds for point in result.percentiles}
    p99 = percentiles[99.0]
    words = [f"{units.rate(result.requests_per_second)} requests/s"]
    words.append(
        f"p99 {units.duration(p99)}" if p99 is not None else f"max {units.duration(result.total.max)}"
    )
    memory = _memory(state).after
    if memory is not None:
        words.append(f"{units.size(memory)} of memory")
    text = ", ".join(words)
    if invalid:
        text += f" ({' and '.join(invalid)} invalid: see the findings)"
    elif result.bad:
        text += f", {units.count(result.bad)} errors"
    else:
        text += ", no errors"
    return ("Stopped early: " if state.ended and state.ended.verdict == "stopped" else "") + text + "."


def _external_sentence(state: RunState, other: OtherLoad) -> str:
    words = (
        [] if other.requests_per_second is None else [f"{units.rate(other.requests_per_second)} requests/s"]
    )
    if (memory := _memory(state).after) is not None:
        words.append(f"{units.size(memory)} of memory")
    stopped = "Stopped early: " if state.ended and state.ended.verdict == "stopped" else ""
    return f"{stopped}{', '.join([*words, f'watched for {units.duration(other.seconds)}'])}."


def round_row(state: RunState, number: int | None) -> RoundRow:
    """One ended round, or the warm-up if None: a row of the summary and of the live table."""
    ended = state.warmup if number is None else next(ended for ended in state.rounds if ended.round == number)
    assert ended is not None
    result, label = ended.result, "after warm-up" if number is None else f"after round {number}"
    outcomes = result.tally.outcomes if result else None
    total = result.total if result else Times()
    passed = _pass(state, label)
    host = state.host_labelled.get(label)
    good = outcomes.ok if outcomes else None
    return RoundRow(
        number=number,
        seconds=ended.length,
        requests_per_second=result.rate if result else counted.rate_in(state, number),
        good=good,
        bad=outcomes.bad if outcomes else None,
        unfinished=outcomes.unfinished if outcomes else None,
        p50=total.percentile(50),
        p90=total.percentile(90),
        p99=total.percentile(99),
        max=total.max,
        stack_cpu=ended.stack_cpu,
        cpu_per_request=ended.stack_cpu / good if ended.stack_cpu is not None and good else None,
        server_idle=ended.server_idle,
        load_idle=ended.load_idle,
        memory=passed.comparable if passed else None,
        pss=passed.pss if passed else None,
        host_used=host.memory_used if host else None,
        stopped=ended.stopped,
    )


def _pass(state: RunState, label: str) -> MemoryTotal | None:
    return next((each for each in reversed(state.memory_totals) if each.label == label), None)


def _memory(state: RunState) -> MemoryResult:
    last = state.memory_totals[-1] if state.memory_totals else None
    idle = _pass(state, "idle")
    workers = [
        reading.comparable
        for reading in (last.readings if last else ())
        if (known := state.processes.get((reading.pid, reading.start))) and known.seen.role == "worker"
    ]
    of_workers = known_sum(workers)
    before = state.host_labelled.get("before start")
    after = state.host_labelled.get(last.label) if last else None
    return MemoryResult(
        passes=tuple(
            MemoryRow(
                label=each.label,
                at=each.t,
                processes=each.processes,
                comparable=each.comparable,
                file=each.file,
                pss=each.pss,
                uss=each.uss,
                rss=each.rss,
                host_used=host.memory_used if (host := state.host_labelled.get(each.label)) else None,
            )
            for each in state.memory_totals
        ),
        idle=idle.comparable if idle else None,
        after=last.comparable if last else None,
        per_worker=round(of_workers / len(workers)) if of_workers is not None else None,
        saved_by_sharing=last.rss - last.pss
        if last and last.rss is not None and last.pss is not None
        else None,
        growth_per_1000_requests=grown.per_1000_requests if (grown := growth(state)) else None,
        host_before=before.memory_used if before else None,
        host_after=after.memory_used if after else None,
        reads=state.memory_reads,
        cost=state.memory_cost,
    )


def _processes(state: RunState) -> tuple[ProcessRow, ...]:
    rows = []
    for process in sorted(state.processes.values(), key=lambda process: process.key[::-1]):
        memory, reading, ended = process.memory, process.reading, process.ended
        reason = memory.reason if memory else "not read: it ended too soon"
        rows.append(
            ProcessRow(
                pid=process.seen.pid,
                service=process.seen.service,
                role=process.seen.role,
                title=process.seen.title,
                bound=process.seen.bound,
                started_at=process.seen.t - process.seen.age,
                ended_at=ended.t if ended and not _at_the_stop(state, ended) else None,
                ended=ended.status if ended else None,
                cpu=reading.cpu if reading else None,
                rss=memory.rss if memory else (reading.rss if reading else None),
                pss=memory.pss if memory else None,
                uss=memory.uss if memory else None,
                comparable=memory.comparable if memory else None,
                reason=reason,
                requests=requests_of(state, process),
            )
        )
    return tuple(rows)


def _at_the_stop(state: RunState, ended: ProcessEnded) -> bool:
    """Whether a process lived until the stack was stopped, unlike one that only helped to start it."""
    stop = next((change.t for change in state.phases if change.phase == "stop"), None)
    return ended.expected and stop is not None and ended.t >= stop


def _generator_busy(results: list[RoundResult]) -> tuple[float, ...]:
    seconds = sum(result.seconds for result in results)
    if not seconds:
        return ()
    return tuple(sum(cpu) / seconds for cpu in zip(*(result.cpu_seconds for result in results), strict=False))
