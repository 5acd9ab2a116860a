"""What the screen shows of a run at one moment: strings and numbers, frozen, made from the run's state.

Pure: the clock, the findings and the verdict's sentence are arguments, so a replay shows the same as the live run, and
a test needs no clock. Equal frames look the same, so an unchanged one isn't redrawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tui.console.drawing.lines import Mark
from tui.console.run.load_view import Latency, Rate, Round, Settled, latency_of, rate_of, rounds_of
from tui.console.run.stack_view import Queues, Workers, queues_of, workers_of
from tui.console.words import counted, load_words, rounds_words, time_words
from tui.record.events import HostReading, Phase, Planned
from tui.record.state import RunState
from tui.summary import units
from tui.summary.expected import run_end
from tui.summary.finding import Finding
from tui.system.cpus import format_cpu_list

Stage = Literal["starting", "load", "failed"]


@dataclass(frozen=True, slots=True)
class RunStatus:
    """What is running, how far it has got and how long it takes."""

    title: str
    facts: str
    phase: str
    elapsed: float
    """Seconds since the run's start."""
    expected: float | None
    """Estimated seconds of the whole run."""
    host: str
    verdict: str | None = None
    """One sentence, after the run has ended."""
    mark: Mark = "good"

    @property
    def fraction(self) -> float:
        """The fraction of the expected time that has passed; below 1 until the run has ended."""
        return min(0.99, self.elapsed / self.expected) if self.expected else 0.0


@dataclass(frozen=True, slots=True)
class FindingLine:
    """A finding of the run."""

    mark: Mark
    text: str
    evidence: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Step:
    """One step towards the first request."""

    name: str
    state: Literal["done", "now", "next"]
    seconds: float | None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no result."""

    reason: str
    log: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """Everything the screen shows of a run."""

    run: str
    profile: str
    stage: Stage
    running: bool
    status: RunStatus
    rate: Rate
    latency: Latency | None
    workers: Workers
    queues: Queues | None
    rounds: tuple[Round, ...]
    findings: tuple[FindingLine, ...]
    steps: tuple[Step, ...]
    failure: Failure | None
    machine: str
    """The host in words: the server's and the load's CPUs, memory, steal."""
    server_cpus: tuple[int, ...]
    load_cpus: tuple[int, ...]


PHASES: dict[Phase, str] = {
    "prepare": "preparing",
    "start": "starting",
    "ready": "coming up",
    "idle": "idle memory",
    "memory": "reading memory",
    "drain": "draining",
    "stop": "stopping",
    "check": "checking",
    "warm-up": "warming up",
}
"""What is happening in each phase; a round has its number."""
CUT_OFF = "cut off: its runner ended unexpectedly; what it measured is shown"


def frame_of(
    state: RunState,
    findings: Sequence[Finding] = (),
    verdict: str = "",
    *,
    run: str,
    now: float,
    running: bool,
    settled: Settled | None = None,
) -> Frame:
    """What to show now.

    Args:
        state: The run so far.
        findings: The run's findings so far.
        verdict: The result in one sentence; used after the run has ended.
        run: The record's name.
        now: Seconds since the run's start.
        running: Whether its runner is alive.
        settled: Kept from frame to frame, so that ended rounds aren't summed again.
    """
    invalid = {
        quantity: finding.text
        for finding in findings
        if finding.severity == "invalid" and not finding.allowed
        for quantity in finding.quantities
    }
    settled = settled or Settled()
    settled.settle(state)
    stage = _stage(state, running=running)
    facts = state.planned.facts if state.planned else None
    return Frame(
        run=run,
        profile=state.started.profile_name if state.started else "",
        stage=stage,
        running=running and state.ended is None,
        status=_status(state, verdict, now=now, running=running, invalid=bool(invalid)),
        rate=rate_of(state, invalid.get("rate")),
        latency=latency_of(state, settled, invalid.get("latency")),
        workers=workers_of(state),
        queues=queues_of(state),
        rounds=rounds_of(state, settled),
        findings=_findings(findings),
        steps=_steps(state, now) if stage == "starting" else (),
        failure=_failure(state) if stage == "failed" else None,
        machine=_machine(state),
        server_cpus=facts.server_cpus if facts else (),
        load_cpus=facts.load_cpus if facts else (),
    )


def _stage(state: RunState, *, running: bool) -> Stage:
    watched_only = state.planned is not None and state.planned.load.mode in ("none", "command")
    if state.rate or (watched_only and any(phase.phase in ("warm-up", "round") for phase in state.phases)):
        return "load"
    return "failed" if state.ended is not None or not running else "starting"


def _status(state: RunState, verdict: str, *, now: float, running: bool, invalid: bool) -> RunStatus:
    started, planned = state.started, state.planned
    over = state.ended is not None or not running
    return RunStatus(
        title=started.profile_title if started else "",
        facts=_facts(planned),
        phase=phase_words(state),
        elapsed=state.now if over else round(max(now, state.now), 1),
        expected=run_end(state),
        host=started.machine.hostname if started else "",
        verdict=_verdict(state, verdict) if over else None,
        mark=_mark(state, invalid=invalid),
    )


def _facts(planned: Planned | None) -> str:
    """``gunicorn · hello · 2 workers on CPU 0``."""
    if planned is None:
        return ""
    facts = planned.facts
    parts = [facts.stack] + ([facts.app] if facts.app else [])
    cpus = f"CPU {format_cpu_list(facts.server_cpus)}"
    if facts.workers is not None:
        parts.append(f"{counted(facts.workers, 'worker')} on {cpus}")
    else:
        parts.append(f"on {cpus}" if facts.server_cpus else facts.url)
    return " · ".join(parts)


def phase_words(state: RunState) -> str:
    """How far the run has got: ``round 2 of 5``."""
    phase = state.phase
    if phase is None:
        return "starting"
    rounds = state.planned.load.rounds if state.planned else None
    if phase.phase == "round":
        return f"round {phase.round} of {rounds}" if rounds else f"round {phase.round}"
    return PHASES.get(phase.phase, phase.phase)


def _verdict(state: RunState, verdict: str) -> str:
    if state.ended is None:
        return _cut_off(state)
    return verdict or state.ended.reason or state.ended.verdict


def _cut_off(state: RunState) -> str:
    return f"{CUT_OFF}; {state.lost}" if state.lost else CUT_OFF


def _mark(state: RunState, *, invalid: bool) -> Mark:
    if state.ended is None or state.ended.verdict == "failed" or invalid:
        return "invalid"
    return "warning" if state.ended.verdict == "stopped" else "good"


def _findings(findings: Sequence[Finding]) -> tuple[FindingLine, ...]:
    return tuple(
        FindingLine("note", f"{each.text} (allowed)", each.evidence, each.remedy)
        if each.allowed
        else FindingLine(each.severity, each.text, each.evidence, each.remedy)
        for each in findings
    )


STEPS = {
    "prepare": "preparing",
    "start": "starting the stack",
    "ready": "first good answer",
    "idle": "idle memory",
    "warm-up": "warm-up",
    "round": "rounds",
}


def _steps(state: RunState, now: float) -> tuple[Step, ...]:
    """The phases up to the first round: how long each took, and which one is current."""
    begun = {phase.phase: phase.t for phase in state.phases}
    current = state.phase_name or "prepare"
    names = list(STEPS)
    at = names.index(current) if current in names else len(names)
    steps: list[Step] = []
    for i, name in enumerate(names):
        begin = begun.get(name)  # type: ignore[call-overload]
        end = begun.get(names[i + 1]) if i + 1 < len(names) else None  # type: ignore[call-overload]
        seconds = None
        if begin is not None and i <= at:
            seconds = round(
                max(0.0, (end if i < at and end is not None else now) - begin), 1 if i == at else 3
            )
        steps.append(
            Step(
                STEPS[name], "done" if i < at else "now" if i == at else "next", seconds, _detail(state, name)
            )
        )
    return tuple(steps)


def _detail(state: RunState, step: str) -> str:
    """The details of a step, as far as they are known."""
    facts, load = (state.planned.facts, state.planned.load) if state.planned else (None, None)
    if step == "start":
        started = [f"{service.service} (pid {service.pid})" for service in state.services]
        return ", ".join(started)
    if step == "ready" and facts:
        if state.ready is not None:
            cold = state.ready.cold_start
            return "already up" if cold is None else f"cold start {units.duration(cold)}"
        return f"{facts.url} must answer with {facts.expect}" if facts.expect else facts.url
    if step == "warm-up" and load:
        return time_words(load.warmup) if load.warmup else "none"
    if step == "round" and load:
        rounds = rounds_words(load.rounds, load.requests, load.duration)
        return f"{rounds}, {load_words(load)}"
    return ""


def _failure(state: RunState) -> Failure:
    if state.ended is None:
        return Failure(_cut_off(state), ())
    return Failure(state.ended.reason or state.ended.verdict, state.ended.log_tail)


def _machine(state: RunState) -> str:
    """How busy the server's and the load's CPUs are, the host's memory, and steal if there is any."""
    host = state.host
    if host is None or state.planned is None:
        return ""
    facts = state.planned.facts
    parts = [_busy("server", facts.server_cpus, host), _busy("load", facts.load_cpus, host)]
    if facts.server_cpus == facts.load_cpus:
        parts = [_busy("server and load", facts.server_cpus, host)]
    memory = state.started.machine.memory_total if state.started else None
    if memory:
        parts.append(f"memory {units.size(host.memory_used)} of {units.size(memory)}")
    if host.swap_used:
        parts.append(f"swap {units.size(host.swap_used)}")
    steal = max(host.cpu_steal.values(), default=0.0)
    if steal >= 0.01:
        parts.append(f"stolen {units.share(steal)}")
    return "   ".join(part for part in parts if part)


def _busy(whose: str, cpus: tuple[int, ...], host: HostReading) -> str:
    shares = [host.cpu_busy[cpu] for cpu in cpus if cpu in host.cpu_busy]
    if not shares:
        return ""
    return f"{whose} CPU {format_cpu_list(cpus)} {units.share(sum(shares) / len(shares))}"
