"""A short run as events, for tests of the fold and of what is made from it."""

from __future__ import annotations

from typing import Any

from tui.formats import markdown, text
from tui.load.result import Outcomes, RoundResult, Tally, Tick, Times
from tui.record.events import (
    Event,
    HostReading,
    ListenQueues,
    LoadFacts,
    LoadTick,
    Machine,
    Memory,
    MemoryReading,
    PhaseChanged,
    Planned,
    Processes,
    ProcessSeen,
    QueueReading,
    RoundEnded,
    RunEnded,
    RunStarted,
    StackFacts,
    StackReady,
    StatusFacts,
    StatusRead,
    WorkerReading,
)
from tui.summary.schema import Summary

MS = 1_000_000


def started() -> RunStarted:
    machine = Machine(
        hostname="box",
        kernel="6.1",
        architecture="x86_64",
        usable_cpus=(0, 1),
        cores=2,
        memory_total=8 * 10**9,
    )
    return RunStarted(
        t=0.0,
        stackdyno="0.1.0",
        run="abc",
        wall=1.0,
        profile_name="hello",
        profile_title="Hello",
        profile={},
        machine=machine,
    )


def planned(**changes: Any) -> Planned:
    facts: dict[str, Any] = {
        "stack": "gunicorn",
        "title": "gunicorn",
        "app": "hello",
        "interface": "wsgi",
        "workers": 2,
        "pin": "shared",
        "server_cpus": (0,),
        "load_cpus": (1,),
        "shared_cpus": False,
        "shared_by_choice": False,
        "ports": {},
        "expect": "status 200",
        "url": "http://127.0.0.1:1/",
        "address": "127.0.0.1:1",
        "user": None,
        "external": False,
    }
    load = LoadFacts(
        method="GET",
        path="/",
        connections=10,
        processes=1,
        requests=None,
        duration=2.0,
        keepalive=False,
        warmup=1.0,
        rounds=2,
        timeout=10.0,
    )
    return Planned(t=0.1, facts=StackFacts(**(facts | changes)), load=load, expected_seconds=7.0)


def times(*milliseconds: float) -> Times:
    values = [round(value * MS) for value in milliseconds]
    if not values:
        return Times()
    from tui.load.histogram import Histogram

    histogram = Histogram(3)
    histogram.record([value // 1000 for value in values])
    return Times(
        count=len(values),
        min_ns=min(values),
        max_ns=max(values),
        sum_ns=sum(values),
        squares_ns2=sum(value * value for value in values),
        counts=dict(histogram.counts),
    )


def result(
    *, good: int = 2000, bad: int = 0, seconds: float = 2.0, cpu: float = 0.2, stopped: bool = False
) -> RoundResult:
    latency = times(*([5.0] * good))
    outcomes = Outcomes(ok=good, status=bad)
    statuses = {200: good} | ({502: bad} if bad else {})
    errors = {"status: 502": bad} if bad else {}
    return RoundResult(
        started=3.0,
        ended=3.0 + seconds,
        seconds=seconds,
        tally=Tally(sent=good + bad, outcomes=outcomes, statuses=statuses, opened=good + bad, errors=errors),
        connect=latency,
        waiting=latency,
        processing=latency,
        total=latency,
        bad=times(*([1.0] * bad)),
        oldest_unfinished=None,
        cpu_seconds=(cpu,),
        lag=0.001,
        connections=10,
        most_open=10,
        stopped=stopped,
        server="gunicorn",
        http_version="1.1",
    )


def seen(pid: int, role: str = "worker", t: float = 0.5, **changes: Any) -> ProcessSeen:
    told: dict[str, Any] = {
        "t": t,
        "pid": pid,
        "start": pid * 10,
        "ppid": 1,
        "service": "app",
        "role": role,
        "title": "gunicorn",
        "bound": (0,),
        "age": 0.1,
    }
    return ProcessSeen(**(told | changes))


def memory(t: float, label: str, *pids: int, anon: int = 10**7) -> Memory:
    readings = tuple(
        MemoryReading(
            pid=pid,
            start=pid * 10,
            rss=2 * anon,
            pss=anon + 10**6,
            pss_anon=anon,
            pss_file=10**6,
            pss_shmem=0,
            swap_pss=0,
            uss=anon // 2,
        )
        for pid in pids
    )
    return Memory(t=t, full=True, label=label, readings=readings, reads=len(pids), cost=0.001)


def host(t: float, label: str | None, used: int = 10**9) -> HostReading:
    return HostReading(
        t=t,
        label=label,
        cpu_busy={0: 0.9, 1: 0.2},
        cpu_steal={0: 0.0, 1: 0.0},
        memory_used=used,
        memory_available=7 * 10**9,
        swap_used=0,
        generator_cpu=0.1,
    )


def tick(t: float, number: int | None, good: int = 250, bad: int = 0) -> LoadTick:
    tally = Tally(sent=good + bad, outcomes=Outcomes(ok=good, status=bad))
    latency = times(*([5.0] * good))
    return LoadTick(
        t=t,
        round=number,
        tick=Tick(t0=t - 0.25, t1=t, tally=tally, latency=latency, in_flight=10, busy=(0.1,), lag=0.002),
    )


def round_ended(t: float, number: int | None, **changes: Any) -> RoundEnded:
    return RoundEnded(
        t=t, round=number, result=result(**changes), stack_cpu=1.8, server_idle=0.05, load_idle=0.8
    )


def run(*, rounds: int = 2, ended: bool = True, plan: Planned | None = None, **of_rounds: Any) -> list[Event]:
    """A good run of two workers."""
    events: list[Event] = [
        started(),
        PhaseChanged(t=0.0, phase="prepare"),
        plan or planned(),
        host(0.1, "before start", used=9 * 10**8),
        PhaseChanged(t=0.2, phase="start"),
        seen(10, "master"),
        seen(11),
        seen(12),
        StackReady(t=0.8, cold_start=0.6, status=200, server="gunicorn", body_length=14),
        PhaseChanged(t=0.8, phase="idle"),
        memory(0.9, "idle", 10, 11, 12),
        host(0.9, "idle"),
        PhaseChanged(t=1.0, phase="warm-up", expected=1.0),
        tick(1.5, None),
        round_ended(2.0, None),
        memory(2.1, "after warm-up", 10, 11, 12),
    ]
    for number in range(1, rounds + 1):
        t = 2.0 + 2.0 * number
        events += [
            PhaseChanged(t=t - 1.9, phase="round", round=number, expected=2.0),
            tick(t - 1.5, number),
            tick(t - 1.25, number),
            reading(t - 1.2, 11),
            round_ended(t, number, **of_rounds),
            memory(t + 0.05, f"after round {number}", 10, 11, 12, anon=2 * 10**7),
            host(t + 0.05, f"after round {number}", used=11 * 10**8),
        ]
    if ended:
        t = 2.2 + 2.0 * rounds
        events += [PhaseChanged(t=t, phase="drain"), RunEnded(t=t + 0.5, verdict="good")]
    return events


def with_results(events: list[Event], **changes: Any) -> list[Event]:
    """The same with other results of its rounds."""
    return [
        each.model_copy(update={"result": each.result.model_copy(update=changes)})
        if isinstance(each, RoundEnded) and each.round is not None and each.result is not None
        else each
        for each in events
    ]


def queues(t: float, *sockets: QueueReading, **changes: Any) -> ListenQueues:
    return ListenQueues(t=t, sockets=sockets, every=0.25, looks=4, cost=0.001, **changes)


def tcp(queue: int, drops: int | None = 0, *, port: int = 8001, inode: int = 1) -> QueueReading:
    return QueueReading(
        kind="tcp",
        address=f"127.0.0.1:{port}",
        inode=inode,
        queue=queue,
        backlog=8,
        drops=drops,
        refusals=None,
    )


def unix(
    queue: int, refusals: int | None, *, path: str = "/tmp/x/app-1.sock", inode: int = 2
) -> QueueReading:
    return QueueReading(
        kind="unix", address=path, inode=inode, queue=queue, backlog=5, drops=None, refusals=refusals
    )


def reading(t: float, pid: int) -> Processes:
    return Processes(
        t=t,
        readings=(
            WorkerReading(pid=pid, start=pid * 10, cpu=1.0, share=0.5, cpu_last=0, rss=2 * 10**7, threads=1),
        ),
        cpu_total=2.0,
    )


def written(summary: Summary, form: str) -> str:
    """A summary in one of the forms that need nothing else."""
    forms = {"text": text.render, "markdown": markdown.render}
    return forms[form](summary) if form in forms else summary.model_dump_json(by_alias=True)


FPM = StatusFacts(name="fpm", where="http://localhost/fpm", every=1.0, unit="workers")
NGINX = StatusFacts(name="nginx", where="http://localhost/", every=1.0, unit="connections")


def failed(t: float, source: str) -> StatusRead:
    return StatusRead(t=t, source=source, error="status 404", took=0.001)
