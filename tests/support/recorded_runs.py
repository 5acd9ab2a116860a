"""Runs as they are recorded, made without a machine: the same events every time.

A :class:`Writer` appends what a runner would; the functions below it write whole runs. Nothing here is random: a small
linear congruential generator gives the scatter.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from tui.load.histogram import index_of
from tui.load.result import Outcomes, RoundResult, Tally, Tick, Times
from tui.record.events import (
    Event,
    HostReading,
    Leftovers,
    ListenQueues,
    LoadFacts,
    LoadTick,
    Machine,
    Memory,
    MemoryReading,
    Notice,
    PhaseChanged,
    Planned,
    ProcessEnded,
    Processes,
    ProcessSeen,
    QueueReading,
    RoundEnded,
    RunEnded,
    RunStarted,
    ServiceStarted,
    StackFacts,
    StackReady,
    VersionsRead,
    WorkerReading,
)

MB = 1_000_000
WALL = 1_796_000_000.0
TICK = 0.25


def scatter(seed: int) -> Iterator[float]:
    """Numbers in 0..1, always the same ones."""
    value = seed
    while True:
        value = (value * 1_103_515_245 + 12_345) % 2**31
        yield value / 2**31


def latencies(number: int, seed: int, middle: float = 0.0019) -> list[int]:
    """Log-normal latencies in µs around ``middle`` seconds, with a slow tail."""
    numbers = scatter(seed)
    values = []
    for _ in range(number):
        normal = math.sqrt(-2 * math.log(max(1e-9, next(numbers)))) * math.cos(2 * math.pi * next(numbers))
        slow = 4.0 if next(numbers) > 0.985 else 1.0
        values.append(round(middle * 1e6 * slow * math.exp(0.28 * normal)))
    return values


def times(values: list[int], digits: int, weight: int = 1) -> Times:
    """Durations in µs as the load generator would sum them up, each counted ``weight`` times."""
    if not values:
        return Times(digits=digits)
    counts = Counter(index_of(value, digits) for value in values)
    return Times(
        count=len(values) * weight,
        min_ns=min(values) * 1000,
        max_ns=max(values) * 1000,
        sum_ns=sum(values) * 1000 * weight,
        squares_ns2=sum((value * 1000) ** 2 for value in values) * weight,
        digits=digits,
        counts={index: count * weight for index, count in counts.items()},
    )


class Writer:
    """Appends events of one run, its clock running on."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.t = 0.0
        self.cpu = 0.4
        self.pids: list[tuple[int, str, str]] = []
        self.began: dict[int, float] = {}
        self.grown = 0.0

    def add(self, event: Event) -> None:
        self.events.append(event)

    def begin(
        self,
        *,
        title: str = "gunicorn, sync workers",
        workers: int = 4,
        external: bool = False,
        rounds: int = 3,
        duration: float | None = 4.0,
        requests: int | None = None,
    ) -> None:
        machine = Machine(
            hostname="web1",
            distribution="Debian GNU/Linux 12",
            kernel="6.18.5",
            architecture="x86_64",
            cpu_model="AMD EPYC",
            usable_cpus=(0, 1),
            cores=2,
            governor="performance",
            memory_total=4_000 * MB,
        )
        self.add(
            RunStarted(
                t=0,
                stackdyno="0.1.0",
                run="r1",
                wall=WALL,
                profile_name="gunicorn-sync",
                profile_title=title,
                profile={},
                machine=machine,
            )
        )
        self.phase("prepare")
        self.t = 0.2
        expected = 2.5 + 2 + rounds * duration if duration else None
        facts = StackFacts(
            stack="external" if external else "gunicorn",
            title="gunicorn",
            app=None if external else "hello",
            interface="wsgi",
            workers=None if external else workers,
            pin="shared",
            server_cpus=(0,),
            load_cpus=(1,),
            shared_cpus=False,
            shared_by_choice=False,
            ports={"http": 8001},
            expect='status 200 and "Hello, World!"',
            url="http://127.0.0.1:8001/",
            address="127.0.0.1:8001",
            user=None,
            external=external,
        )
        load = LoadFacts(
            method="GET",
            path="/",
            connections=16,
            processes=1,
            requests=requests,
            duration=duration,
            keepalive=False,
            warmup=2.0,
            rounds=rounds,
            timeout=10.0,
        )
        self.add(Planned(t=self.t, facts=facts, load=load, expected_seconds=expected))
        self.host("before start", 0.02, 0.05)

    def phase(self, name: str, number: int | None = None, expected: float | None = None) -> None:
        self.add(PhaseChanged(t=self.t, phase=name, round=number, expected=expected))  # type: ignore[arg-type]

    def start(self, workers: int = 4) -> None:
        self.phase("start", expected=30)
        self.t += 0.05
        self.add(
            ServiceStarted(
                t=self.t,
                service="gunicorn",
                copy_number=1,
                pid=4112,
                command=("gunicorn", "hello_wsgi:app", "--workers", str(workers)),
            )
        )
        self.see(4112, "master", "gunicorn")
        self.phase("ready")

    def come_up(self, workers: int = 4, cold_start: float | None = 0.412) -> None:
        self.t += 0.4
        for i in range(workers):
            self.see(4113 + i, "worker", "gunicorn")
        self.add(StackReady(t=self.t, cold_start=cold_start, status=200, server="gunicorn", body_length=14))
        self.phase("idle")
        self.t += 0.5
        self.readings(0.0)
        self.memory(full=True, label="idle")
        self.add(VersionsRead(t=self.t, versions={"gunicorn": "25.1.0", "python": "3.11.7"}))

    def see(self, pid: int, role: str, service: str) -> None:
        self.pids.append((pid, role, service))
        self.began[pid] = self.t
        self.add(
            ProcessSeen(
                t=self.t,
                pid=pid,
                start=pid * 10,
                ppid=4112,
                service=service,
                role=role,  # type: ignore[arg-type]
                title=f"gunicorn: {role}",
                bound=(0,),
                age=0.1,
            )
        )

    def end_process(self, pid: int, status: str, *, expected: bool = False) -> None:
        self.pids = [known for known in self.pids if known[0] != pid]
        self.add(ProcessEnded(t=self.t, pid=pid, start=pid * 10, status=status, expected=expected))

    def readings(self, share: float) -> None:
        readings = []
        for i, (pid, role, _) in enumerate(self.pids):
            small = role in ("master", "front")
            rss = (24 if small else 29) * MB + round(self.grown * (0 if small else 0.35 + 0.1 * i) * MB)
            readings.append(
                WorkerReading(
                    pid=pid,
                    start=pid * 10,
                    cpu=1.0,
                    share=0.001 if small else share + 0.004 * i,
                    cpu_last=0,
                    rss=rss,
                    threads=1,
                    bound=(0,),
                )
            )
        self.cpu += share * len(self.pids) * 0.5
        self.add(Processes(t=self.t, readings=tuple(readings), cpu_total=self.cpu))

    def memory(self, *, full: bool, label: str | None = None, only: int = 0) -> None:
        chosen = self.pids if full else [self.pids[only % len(self.pids)]]
        readings = []
        for i, (pid, role, _) in enumerate(chosen):
            small = role in ("master", "front")
            own = 5.2 * MB if small else (11 + 0.4 * i) * MB + self.grown * 0.35 * MB
            rss = (24 if small else 29) * MB + round(self.grown * (0 if small else 0.35 + 0.1 * i) * MB)
            shared = rss - own
            readings.append(
                MemoryReading(
                    pid=pid,
                    start=pid * 10,
                    rss=rss,
                    pss=round(own + shared / 5),
                    pss_anon=round(own * 0.9),
                    pss_file=round(shared / 5 + own * 0.1),
                    pss_shmem=0,
                    swap_pss=0,
                    uss=round(own),
                )
            )
        self.add(Memory(t=self.t, full=full, label=label, readings=tuple(readings), reads=40, cost=0.05))

    def host(self, label: str | None, server: float, load: float) -> None:
        self.add(
            HostReading(
                t=self.t,
                label=label,
                cpu_busy={0: server, 1: load},
                cpu_steal={0: 0.0, 1: 0.0},
                memory_used=1_200 * MB,
                memory_available=2_800 * MB,
                swap_used=0,
                swapped_in=0,
                swapped_out=0,
                pressure=0.0,
                generator_cpu=3.0,
            )
        )

    def queues(self, queue: int, drops: int = 0) -> None:
        reading = QueueReading(
            kind="tcp",
            address="127.0.0.1:8001",
            inode=77,
            queue=queue,
            backlog=2048,
            drops=drops,
            refusals=None,
        )
        self.add(ListenQueues(t=self.t, sockets=(reading,), every=0.25, looks=4, cost=0.001))

    def load(
        self,
        number: int | None,
        seconds: float,
        *,
        rate: float = 4800,
        bad: float = 0.0,
        whole: bool = True,
        expected: float | None = None,
        stopped: bool = False,
    ) -> None:
        """One interval of load; without ``whole`` its result is missing, since it is still running."""
        self.phase("warm-up" if number is None else "round", number, expected or seconds)
        begin, numbers = self.t, scatter(7 + 100 * (number or 0))
        good_sum = bad_sum = 0
        all_values: list[int] = []
        weight = 40
        for i in range(round(seconds / TICK)):
            t0, self.t = self.t, self.t + TICK
            ramp = min(1.0, 0.25 + i * 0.2) if number is None else 1.0
            wobble = 0.94 + 0.12 * next(numbers)
            good = round(rate * ramp * wobble * TICK / weight) * weight
            failed = round(bad * wobble * TICK)
            values = latencies(good // weight, seed=i + 31 * (number or 0) + 1)
            all_values += values
            tally = Tally(
                sent=good + failed,
                outcomes=Outcomes(ok=good, status=failed),
                statuses={200: good, 502: failed} if failed else {200: good},
                opened=good,
            )
            self.add(
                LoadTick(
                    t=self.t,
                    round=number,
                    tick=Tick(
                        t0=t0,
                        t1=self.t,
                        tally=tally,
                        latency=times(values, 2, weight),
                        in_flight=16,
                        busy=(0.61,),
                        lag=0.002,
                    ),
                )
            )
            good_sum, bad_sum = good_sum + good, bad_sum + failed
            self.queues(3 + i % 5)
            if i % 2:
                self.grown += 0.2 if number in (None, 1) else 0.02  # it settles: no leak
                self.readings(0.2 if number is not None else 0.15)
                self.memory(full=False, only=i // 2)
                self.host(None, 0.97, 0.61)
        if not whole:
            return
        total = times(all_values, 3, weight)
        tally = Tally(
            sent=good_sum + bad_sum, outcomes=Outcomes(ok=good_sum, status=bad_sum), opened=good_sum
        )
        seconds = self.t - begin
        self.add(
            RoundEnded(
                t=self.t,
                round=number,
                stack_cpu=seconds * 0.9,
                server_idle=0.03,
                load_idle=0.39,
                result=RoundResult(
                    started=begin,
                    ended=self.t,
                    seconds=seconds,
                    tally=tally,
                    connect=total,
                    waiting=total,
                    processing=total,
                    total=total,
                    bad=times([], 3),
                    oldest_unfinished=None,
                    cpu_seconds=(seconds * 0.61,),
                    lag=0.002,
                    connections=16,
                    most_open=16,
                    stopped=stopped,
                    server="gunicorn",
                    http_version="1.1",
                ),
            )
        )
        self.phase("memory", number)
        self.t += 0.1
        self.memory(full=True, label=f"after round {number}" if number else "after warm-up")
        self.host(f"after round {number}" if number else "after warm-up", 0.5, 0.3)

    def finish(self, verdict: str = "good", reason: str | None = None, log: tuple[str, ...] = ()) -> None:
        self.phase("stop")
        for pid, _, _ in list(self.pids):
            self.end_process(pid, "exit 0", expected=True)
        self.t += 0.3
        self.phase("check")
        self.add(Leftovers(t=self.t, left=(), removed=(), unrelated=0))
        self.add(RunEnded(t=self.t, verdict=verdict, reason=reason, log_tail=log))  # type: ignore[arg-type]


def starting() -> list[Event]:
    """A stack that was started and hasn't answered yet."""
    run = Writer()
    run.begin()
    run.start()
    run.t += 0.3
    run.readings(0.5)
    return run.events


def warming() -> list[Event]:
    """A second of warm-up."""
    run = Writer()
    run.begin()
    run.start()
    run.come_up()
    run.load(None, 1.0, whole=False)
    return run.events


def running(bad: float = 120.0) -> list[Event]:
    """The second of three rounds is running, with some errors, and a worker was replaced."""
    run = Writer()
    run.begin()
    run.start()
    run.come_up()
    run.load(None, 2.0)
    run.load(1, 4.0)
    run.end_process(4115, "SIGKILL")
    run.see(4127, "worker", "gunicorn")
    run.load(2, 2.5, bad=bad, whole=False)
    return run.events


def finished(rounds: int = 3, workers: int = 4, seconds: float = 4.0) -> list[Event]:
    """A good run to its end; ``seconds`` is the length of a round."""
    run = Writer()
    run.begin(rounds=rounds, workers=workers)
    run.start(workers)
    run.come_up(workers)
    run.load(None, seconds / 2)
    for number in range(1, rounds + 1):
        run.load(number, seconds, rate=4800 - 60 * number)
    run.finish()
    return run.events


def stopped() -> list[Event]:
    """Stopped by a person in the second round."""
    run = Writer()
    run.begin()
    run.start()
    run.come_up()
    run.load(None, 2.0)
    run.load(1, 4.0)
    run.load(2, 1.0, stopped=True)
    run.finish("stopped", "it was asked to stop")
    return run.events


def failed() -> list[Event]:
    """A stack that never came up."""
    run = Writer()
    run.begin()
    run.start()
    run.t += 0.8
    run.end_process(4112, "exit 1")
    log = (
        "[2026-11-30 22:45:12 +0000] [4112] [INFO] Starting gunicorn 25.1.0",
        "[2026-11-30 22:45:12 +0000] [4113] [ERROR] Exception in worker process",
        "Traceback (most recent call last):",
        '  File "/srv/shop/.venv/lib/python3.11/site-packages/gunicorn/util.py", line 370, in import_app',
        "    mod = importlib.import_module(module)",
        "ModuleNotFoundError: No module named 'shop'",
        "[2026-11-30 22:45:12 +0000] [4112] [ERROR] Reason: Worker failed to boot.",
    )
    run.finish(
        "failed",
        "gunicorn ended with status 1 before it answered: ModuleNotFoundError: No module named 'shop'",
        log,
    )
    return run.events


def external() -> list[Event]:
    """Something that runs already, of another user: RSS only."""
    run = Writer()
    run.begin(title="nginx on this machine", external=True)
    run.phase("start")
    run.see(812, "master", "nginx")
    run.come_up(2, cold_start=None)
    run.events = [event for event in run.events if not isinstance(event, Memory)]
    for pid, _, _ in run.pids:
        reading = MemoryReading(pid=pid, start=pid * 10, rss=20 * MB, reason="of another user: needs root")
        run.add(Memory(t=run.t, full=False, readings=(reading,), reads=1, cost=0.001))
    run.add(Notice(t=run.t, code="plan", text="the stack was found, not started: its CPUs are as they are"))
    run.load(None, 1.0)
    run.events = [e for e in run.events if not isinstance(e, Memory) or e.readings[0].pss is None]
    return run.events
