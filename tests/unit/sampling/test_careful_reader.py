"""The pace of the PSS reads, on clocks that the test winds."""

import pytest

from tui.sampling.memory import CarefulReader, Unreadable


class Clocks:
    """Wall and CPU clock, and a read that costs what the test says."""

    def __init__(self, cost: float) -> None:
        self.now = 100.0
        self.cpu = 5.0
        self.cost = cost
        self.seen: list[int] = []

    def read(self, pid: int) -> Unreadable | None:
        self.seen.append(pid)
        self.cpu += self.cost
        self.now += 3 * self.cost  # somebody else had the CPU for a while
        return Unreadable("test", pid)

    def reader(self, budget: float = 0.01) -> CarefulReader:
        return CarefulReader(budget, self.read, lambda: self.now, lambda: self.cpu)


def test_the_next_read_waits_for_the_budget() -> None:
    clocks = Clocks(cost=0.008)
    reader = clocks.reader()
    assert reader.step([1]) == (1, Unreadable("test", 1))
    clocks.now += 0.79
    assert reader.step([1]) is None
    clocks.now += 0.02
    assert reader.step([1]) is not None
    assert (reader.reads, reader.cpu_seconds) == (2, pytest.approx(0.016))


def test_an_hour_of_eager_asking_stays_within_the_budget() -> None:
    clocks = Clocks(cost=0.008)
    reader = clocks.reader()
    began = clocks.now
    while clocks.now < began + 3600:
        reader.step([1, 2, 3])
        clocks.now += 0.05
    assert 0.005 < reader.cpu_seconds / 3600 <= 0.01


def test_workers_are_read_in_turn_one_at_a_time() -> None:
    clocks = Clocks(cost=0.001)
    reader = clocks.reader()
    for _ in range(7):
        reader.step([30, 10, 20])
        clocks.now += 1
    assert clocks.seen == [30, 10, 20, 30, 10, 20, 30]


def test_a_new_worker_comes_next_and_a_gone_one_is_forgotten() -> None:
    clocks = Clocks(cost=0.001)
    reader = clocks.reader()
    for pids in ([1, 2], [1, 2], [1, 2, 3], [1, 3], [1, 3]):
        reader.step(pids)
        clocks.now += 1
    assert clocks.seen == [1, 2, 3, 1, 3]


def test_without_workers_nothing_is_read() -> None:
    clocks = Clocks(cost=0.001)
    reader = clocks.reader()
    assert reader.step([]) is None
    assert reader.reads == 0


def test_a_full_pass_reads_all_at_once_and_is_counted() -> None:
    clocks = Clocks(cost=0.002)
    reader = clocks.reader()
    assert list(reader.full_pass([4, 5, 6])) == [4, 5, 6]
    assert (reader.reads, reader.cpu_seconds) == (3, pytest.approx(0.006))
