"""Drives one run through its phases and writes down what happens.

prepare, start, ready (the cold start), idle memory, warm-up, rounds, drain, stop, and the check that nothing is left.
Whatever goes wrong, the second half still happens: what was measured is kept, and what was started is ended.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import time
import traceback
from typing import Literal

from tui.load.result import LoadError, RoundResult, Tick
from tui.profile.estimate import round_seconds
from tui.record.control import ControlSocket
from tui.record.events import (
    Event,
    Leftovers,
    LoadTick,
    Notice,
    Phase,
    PhaseChanged,
    RoundEnded,
    RunEnded,
    ServiceStarted,
    StackReady,
    Verdict,
    VersionsRead,
)
from tui.record.record import EventWriter, Record
from tui.run import facts
from tui.run.ending import NOTHING, leftovers, stop_stack
from tui.run.file_watch import FileWatch
from tui.run.interrupts import Failed, Interrupted, Interrupts, Patience
from tui.run.launched import Launched
from tui.run.load_source import Interval, load_source_of
from tui.run.logout import survival
from tui.run.watch import StackWatch
from tui.stack.external import ExternalStack
from tui.stack.logs import cause, tail
from tui.stack.readiness import NotReady, wait_until_ready
from tui.stack.supervised import Ended, SupervisedStack
from tui.stack.supervisor import become_subreaper
from tui.summary import units
from tui.system.errors import UserError
from tui.system.procfs import bind
from tui.system.snapshot import Snapshot

SETTLE = 0.3
"""Seconds between the first good answer and the idle memory reading."""
WORKERS_WAIT = 5.0
"""Seconds that a stack may take for each further worker after its first answer."""
SPAWN_WAIT = 20.0
"""Seconds by which the warm-up may be extended for a stack that spawns its workers on demand."""


class Runner:
    """One run, from the plan to the proof that nothing is left."""

    def __init__(self, record: Record, launched: Launched, *, disturbed_by: str | None = None) -> None:
        """``disturbed_by`` names another run that is active on this machine."""
        profile, plan = launched.profile, launched.plan
        self._allowed = launched.allowed
        self._record = record
        self._profile = profile
        self._plan = plan
        self._disturbed_by = disturbed_by
        self._writer = EventWriter(record)
        self._began = time.monotonic()
        self._interrupts = Interrupts(record.logs)
        self._ending = False
        self._stack: SupervisedStack | None = None
        self._load_source = load_source_of(profile, plan, record.logs, self._command_failed)
        self._watch = StackWatch(plan, self._write, self._now)
        self._control = ControlSocket(plan.runtime / "stackdyno.control", self.request_stop)
        self._versions: asyncio.Task[dict[str, str]] | None = None
        self._starting: asyncio.Task[None] | None = None
        self._before: Snapshot | None = None

    def request_stop(self) -> None:
        """End the run early; what was measured is summarised."""
        self._interrupts.stop()

    def disturbed(self, other: str) -> None:
        """Note that another run is active on this machine."""
        text = f"{other} was active at the same time"
        self._write(Notice(t=self._now(), code="disturbed", severity="warning", text=text))

    def _now(self) -> float:
        return time.monotonic() - self._began

    def _write(self, event: Event) -> None:
        self._writer.write(event)

    def _phase(self, phase: Phase, *, round: int | None = None, expected: float | None = None) -> None:
        self._watch.measuring = phase in ("warm-up", "round")
        self._write(PhaseChanged(t=self._now(), phase=phase, round=round, expected=expected))

    async def run(self) -> bool:
        """Make the whole run; how it ended is in the last event. Returns whether all its events could be kept."""
        verdict: Verdict = "good"
        reason: str | None = None
        log_tail: list[str] = []
        await self._control.open(self._record)  # before the first event: whoever sees that may connect
        self._write(facts.run_started(self._profile, self._plan, self._allowed))
        self._listen_to_signals()
        try:
            await self._prepare()
            await self._start()
            await self._measure()
        except Interrupted:
            verdict, reason = "stopped", "it was asked to stop"
        except (Failed, UserError) as error:
            verdict, reason = "failed", str(error)
            log_tail = tail(self._record.logs)
        except Exception as error:  # a fault of ours must not leave the stack running
            traceback.print_exc()
            verdict, reason = "failed", f"a fault of stackdyno: {error!r}; see logs/runner.err in the record"
        try:
            problem = await self._finish()
        except UserError as error:
            problem = str(error)
        except Exception as error:  # the supervisor and the load processes exit when we do
            traceback.print_exc()
            problem = f"a fault of stackdyno at the end: {error!r}; see logs/runner.err in the record"
        if problem and verdict != "failed":
            verdict, reason = "failed", problem
        self._write(RunEnded(t=self._now(), verdict=verdict, reason=reason, log_tail=tuple(log_tail)))
        return self._writer.close()

    def _listen_to_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.request_stop)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    async def _prepare(self) -> None:
        self._phase("prepare")
        become_subreaper()  # if the supervisor is killed, we adopt its stack and end it here
        for text in self._plan.notices:
            self._write(Notice(t=self._now(), code="plan", text=text))
        if self._disturbed_by:
            self.disturbed(self._disturbed_by)
        if warning := survival()[1]:
            self._write(Notice(t=self._now(), code="logout", severity="warning", text=warning))
        self._before = Snapshot.take(leftovers=self._plan.leftovers)
        self._watch.files = FileWatch(self._before)
        bind(os.getpid(), self._plan.load_cpus)
        self._write(facts.planned(self._profile, self._plan, self._now()))
        self._watch.read_host("before start")
        self._versions = asyncio.create_task(facts.read_versions(self._plan))

    async def _start(self) -> None:
        self._phase("start", expected=self._plan.ready_timeout)
        started = time.monotonic()
        if self._plan.external is not None:
            external = ExternalStack(self._plan.external)
            external.check()
            self._watch.follow(external)
        else:
            self._stack = SupervisedStack(self._plan, self._process_ended)
            self._stack.open()
            self._watch.supervise(self._stack)
            self._interrupts.failure = self._stack.failure
            started = time.monotonic()
            await self._stack.start()
            for each in self._stack.started:
                self._watch.service_started(each.service, each.identity)
                self._write(
                    ServiceStarted(
                        t=self._now(),
                        service=each.service.name,
                        copy_number=each.service.copy,
                        pid=each.identity.pid,
                        command=each.service.argv,
                    )
                )
        self._watch.start()
        self._phase("ready")
        request = facts.request_of(self._profile, self._plan)
        try:
            answer = await self._interrupts.unless_stopped(
                wait_until_ready(
                    request,
                    self._plan.ready_timeout,
                    lambda: self._interrupts.how_ended() or self._watch.respawns.problem(),
                    longest=self._profile.load.timeout,
                )
            )
        except NotReady as error:
            why = cause(self._record.logs, whatever=error.ended)
            raise Failed(f"{error}: {why}" if why else str(error)) from error
        self._write(
            StackReady(
                t=self._now(),
                cold_start=time.monotonic() - started if self._stack else None,
                status=answer.status,
                server=answer.server,
                body_length=answer.body_length,
            )
        )
        self._watch.stack_is_ready()

    async def _measure(self) -> None:
        load = self._profile.load
        self._starting = asyncio.create_task(self._load_source.start())
        self._phase("idle")
        await self._until_workers(WORKERS_WAIT)
        await self._interrupts.pause(SETTLE)
        self._watch.full_pass("idle")
        await self._interrupts.unless_stopped(self._watch.status.read())
        assert self._versions is not None
        self._write(VersionsRead(t=self._now(), versions=await self._versions))
        await self._starting
        self._watch.load_pids = self._load_source.pids
        warm = None
        if load.warmup > 0:
            warm = await self._load_for(None, requests=None, duration=load.warmup, phase="warm-up")
        await self._warm_until_workers()
        for number in range(1, load.rounds + 1):
            expected = round_seconds(load, seen_rate=warm.rate if warm else None)
            await self._load_for(
                number, requests=load.requests, duration=load.duration, phase="round", expected=expected
            )

    async def _until_workers(self, limit: float) -> None:
        """Wait until all workers are there, or none has appeared for ``limit`` seconds."""
        missing = self._watch.missing_workers()
        deadline = time.monotonic() + limit
        while missing and time.monotonic() < deadline:
            await self._interrupts.pause(0.1)
            self._watch.scan()
            before, missing = missing, self._watch.missing_workers()
            if missing < before:
                deadline = time.monotonic() + limit

    async def _warm_until_workers(self) -> None:
        """Extend the warm-up for a stack that spawns on demand, then report what is missing."""
        deadline = time.monotonic() + SPAWN_WAIT
        while self._profile.load.warmup > 0 and self._watch.missing_workers() and time.monotonic() < deadline:
            await self._load_for(None, requests=None, duration=2.0, phase="warm-up")
        if missing := self._watch.missing_workers():
            expected = self._plan.workers or 0
            text = f"{expected - missing} of {expected} workers are running after the warm-up"
            self._write(Notice(t=self._now(), code="workers-missing", severity="invalid", text=text))

    async def _load_for(
        self,
        number: int | None,
        *,
        requests: int | None,
        duration: float | None,
        phase: Literal["warm-up", "round"],
        expected: float | None = None,
    ) -> RoundResult | None:
        """Run one interval of load, then read the memory of every process."""
        self._phase(phase, round=number, expected=expected if expected is not None else duration)
        self._watch.mark()
        began = time.monotonic()

        patience = Patience(self._profile.load.timeout) if duration is None else None

        def on_tick(tick: Tick) -> None:
            self._write(LoadTick(t=self._now(), round=number, tick=facts.rebase_tick(tick, self._began)))
            if patience is not None and patience.ended_by(tick):
                self._load_source.stop()

        interval = Interval(number, requests, duration, self._watch.interval.planned)
        task = asyncio.create_task(self._load_source.run(interval, on_tick))
        broken = await self._interrupts.first_of(task)
        if broken is not None:
            self._load_source.stop()
        failure: str | None = None
        result: RoundResult | None
        try:
            result = await task
        except LoadError as error:
            if error.partial is None:
                raise Failed(str(error)) from error
            result, failure = error.partial, str(error)
        since = self._watch.since()
        self._write(
            RoundEnded(
                t=self._now(),
                round=number,
                result=None if result is None else facts.rebase_round(result, self._began),
                seconds=time.monotonic() - began if result is None else None,
                cut_short=result is None and broken is not None,
                stack_cpu=since.stack_cpu,
                server_idle=since.server_idle,
                load_idle=since.load_idle,
                strain=since.strain,
            )
        )
        if patience is not None and patience.over:
            failure = f"no good answer for {patience.limit:.0f} s: the server hangs, so a round of requests never ends"
        if failure or broken is not None:
            raise Failed(failure) if failure else broken or Interrupted()
        self._phase("memory", round=number)
        self._watch.full_pass(f"after round {number}" if number else "after warm-up")
        self._watch.resources.count_ports(number)
        await self._interrupts.unless_stopped(self._watch.status.read())
        return result

    def _command_failed(self, text: str) -> None:
        self._write(Notice(t=self._now(), code="load-command", severity="warning", text=text))

    def _process_ended(self, ended: Ended) -> None:
        expected = self._ending or not self._watch.ready or ended.done
        self._watch.ended(ended.identity, ended.status, expected=expected)

    async def _finish(self) -> str | None:
        """Drain, stop, check. Returns what went wrong with a run that was good until now."""
        self._ending = True
        self._phase("drain")
        if self._versions is not None:
            await asyncio.wait({self._versions})
        if self._starting is not None and not self._starting.done():
            self._starting.cancel()  # it ends what it has started; close() may look for the rest only after that
            await asyncio.wait({self._starting})
        await self._load_source.close()
        self._phase("stop")
        await self._watch.stop()
        stopped = NOTHING
        if self._stack is not None:
            stopped = await stop_stack(self._stack, spare=self._load_source.pids)
        self._control.close()
        shutil.rmtree(self._plan.runtime, ignore_errors=True)
        for name in stopped.killed:
            text = f"{name} had to be killed: it did not end in the time that its stack allows"
            self._write(Notice(t=self._now(), code="killed", severity="warning", text=text))
        for log, lost in stopped.cut.items():
            text = f"logs/{log} grew too long: {units.size(lost)} of its middle are left out"
            self._write(Notice(t=self._now(), code="log-cut", severity="warning", text=text))
        self._phase("check")
        if self._before is None:
            return None
        users = self._watch.files.users if self._watch.files else {}
        found = await asyncio.to_thread(leftovers, self._plan, self._before, self._watch.identities, users)
        self._write(
            Leftovers(t=self._now(), left=found.left, removed=stopped.removed, unrelated=found.unrelated)
        )
        return f"left behind: {'; '.join(found.left)}" if found.left else None
