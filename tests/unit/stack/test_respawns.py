"""When workers end one after another before anything was answered."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tui.stack.respawns import Respawns
from tui.stack.roles import Member, Role
from tui.system.procfs import Identity, read_stat


@pytest.fixture(autouse=True)
def programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pids below 1000 run the server, those above something else."""
    monkeypatch.setattr(
        "tui.stack.respawns.read_exe", lambda pid: "/server" if pid < 1000 else "/usr/bin/git"
    )


def member(pid: int, role: Role = "worker", ppid: int = 10) -> Member:
    some = read_stat(os.getpid())
    assert some is not None
    return Member(replace(some, identity=Identity(pid, pid), ppid=ppid), "app", role, 1, "server")


MASTER = member(10, "master", ppid=1)


def numbers(first: int) -> Iterator[int]:
    return iter(range(first, first + 100))


def after(respawns: Respawns, *looks: list[Member]) -> str | None:
    for living in looks:
        respawns.look([MASTER, *living])
    return respawns.problem()


def test_workers_that_end_at_every_look_are_reported() -> None:
    pids = numbers(20)
    looks = [[member(next(pids)), member(next(pids))] for _ in range(4)]
    assert after(Respawns(2), *looks[:3]) is None
    assert after(Respawns(2), *looks, []) == "8 workers ended one after another"


def test_workers_that_stay_are_not() -> None:
    assert after(Respawns(2), *[[member(20), member(21)]] * 20) is None


def test_many_that_end_at_once_may_be_a_pool_that_has_done_its_work() -> None:
    assert after(Respawns(2), [member(pid) for pid in range(20, 40)], []) is None


def test_what_an_app_runs_while_it_is_loaded_is_no_worker() -> None:
    pids = numbers(1000)
    others = [[member(next(pids))] for _ in range(10)]
    assert after(Respawns(1), *others) is None
    pids = numbers(100)
    below_a_worker = [[member(20), member(next(pids), ppid=20)] for _ in range(10)]
    assert after(Respawns(1), *below_a_worker) is None


def test_more_workers_may_be_replaced_once() -> None:
    pids = numbers(20)
    looks = [[member(next(pids)), member(next(pids))] for _ in range(4)]
    assert after(Respawns(16), *looks, []) is None
