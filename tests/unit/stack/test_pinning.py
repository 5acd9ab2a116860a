"""Workers get a CPU each, in turn, and a replacement takes the one that became free."""

from __future__ import annotations

from collections.abc import Sequence

from tui.stack.pinning import Pinning
from tui.stack.roles import Member, Role
from tui.system.procfs import Identity, ProcessStat


def member(pid: int, start: int, role: Role = "worker") -> Member:
    stat = ProcessStat(Identity(pid, start), 1, 1, 1, "S", "x", 0.0, 0.0, 0.0, 0.0, 1, 0, 0, False)
    return Member(stat, "app", role, 1, "x")


class Bound(dict[int, Sequence[int]]):
    def __call__(self, pid: int, cpus: Sequence[int]) -> None:
        self[pid] = cpus


def test_workers_share_the_cpus_in_turn_and_masters_are_left_alone() -> None:
    bound = Bound()
    pinning = Pinning((2, 3), bound)
    master = member(1, 1, "master")
    pinning.pin([master, member(12, 30), member(10, 10), member(11, 20)])
    assert bound == {10: [2], 11: [3], 12: [2]}
    assert pinning.cpu_of(master.stat.identity) is None


def test_a_replacement_takes_the_cpu_that_became_free() -> None:
    bound = Bound()
    pinning = Pinning((0, 1), bound)
    first, second = member(10, 10), member(11, 20)
    pinning.pin([first, second])
    replacement = member(12, 40)
    pinning.pin([second, replacement])
    assert bound[12] == [0]
    assert pinning.cpu_of(replacement.stat.identity) == 0
    assert pinning.cpu_of(first.stat.identity) is None


def test_a_worker_that_is_gone_before_it_is_bound_breaks_nothing() -> None:
    def gone(pid: int, cpus: Sequence[int]) -> None:
        raise ProcessLookupError

    pinning = Pinning((0,), gone)
    pinning.pin([member(10, 10)])
    assert pinning.cpu_of(member(10, 10).stat.identity) == 0
