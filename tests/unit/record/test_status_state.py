"""What the fold keeps of status pages: levels while rounds run, and requests since the first round began."""

from __future__ import annotations

from tests.support.story import planned, seen, started
from tui.record.events import Event, PhaseChanged, StackReady, StatusRead, WorkerServed
from tui.record.state import RunState, fold


def phase(t: float, name: str, number: int | None = None) -> PhaseChanged:
    return PhaseChanged(t=t, phase=name, round=number)  # type: ignore[arg-type]


def read(t: float, requests: int | None = None, *workers: tuple[int, int], **told: int | None) -> StatusRead:
    served = tuple(WorkerServed(pid=pid, requests=number, busy=None) for pid, number in workers)
    return StatusRead(t=t, source="fpm", requests=requests, workers=served, took=0.001, **told)  # type: ignore[arg-type]


def folded(*events: Event) -> RunState:
    ready = StackReady(t=0.8, cold_start=0.6, status=200, server=None, body_length=14)
    return fold([started(), planned(), seen(11), seen(12), ready, *events])


def test_requests_are_counted_from_the_first_round_on() -> None:
    state = folded(
        phase(0.9, "idle"),
        read(0.9, 1, (11, 1), (12, 0)),
        phase(1, "warm-up"),
        phase(2, "memory"),
        read(2.1, 501, (11, 300), (12, 201)),
        phase(3, "round", 1),
        phase(4, "memory", 1),
        read(4.1, 900, (11, 500), (12, 400)),
        phase(5, "round", 2),
        phase(6, "memory", 2),
        read(6.1, 1501, (11, 800), (12, 701)),
    )
    assert state.status["fpm"].served.measured == 1000
    assert [process.served.measured for process in state.processes.values()] == [500, 500]


def test_before_the_first_round_nothing_is_measured() -> None:
    state = folded(phase(1, "warm-up"), read(1.5, 100, (11, 60)))
    assert state.status["fpm"].served.measured is None
    assert state.processes[11, 110].served.now == 60
    assert state.processes[11, 110].served.measured is None


def test_a_worker_that_came_while_rounds_ran_began_at_nothing() -> None:
    state = folded(
        read(1, 0, (11, 0)), phase(3, "round", 1), seen(13, t=3.5), read(4, 90, (11, 50), (13, 40))
    )
    assert state.processes[13, 130].served.measured == 40
    assert state.processes[12, 120].served.measured is None


def test_levels_are_of_reads_while_rounds_run() -> None:
    state = folded(
        read(1, busy=9, idle=0),
        phase(3, "round", 1),
        read(3.5, busy=3, idle=1),
        read(4.5, busy=4, idle=0, queue=None),
        phase(5, "memory", 1),
        read(5.1, busy=0, idle=4),
    )
    fpm = state.status["fpm"]
    assert (fpm.busy.reads, fpm.busy.mean, fpm.busy.most) == (2, 3.5, 4)
    assert (fpm.idle.mean, fpm.idle.most) == (0.5, 1)
    assert (fpm.queue.mean, fpm.queue.most) == (None, None)
    assert fpm.latest is not None and fpm.latest.busy == 0


def test_an_error_is_kept_and_is_no_level() -> None:
    state = folded(
        phase(3, "round", 1),
        read(3.5, busy=3),
        StatusRead(t=4, source="fpm", error="status 404", took=0.1),
    )
    fpm = state.status["fpm"]
    assert (fpm.reads, fpm.errors, fpm.error) == (2, 1, "status 404")
    assert (fpm.busy.reads, fpm.latest is not None and fpm.latest.t) == (1, 3.5)
