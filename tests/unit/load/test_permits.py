import os
import threading

import pytest

from tui.load.permits import Permits, shared_permits


def take_all(permits):
    taken = 0
    while permits.left or permits.refill():
        permits.left -= 1
        taken += 1
    return taken


@pytest.mark.parametrize("count", [0, 1, 1000])
def test_a_single_process_counts_down(count):
    permits = Permits(count, None)
    assert take_all(permits) == count
    assert permits.exhausted


def test_without_a_limit_they_do_not_end():
    permits = Permits(None, None)
    permits.left -= 1
    assert permits.left > 10**15
    assert not permits.exhausted


def test_shared_permits_are_taken_exactly_once():
    descriptor = shared_permits(20_000)
    taken = []
    takers = [
        threading.Thread(target=lambda: taken.append(take_all(Permits(0, descriptor)))) for _ in range(4)
    ]
    for taker in takers:
        taker.start()
    for taker in takers:
        taker.join()
    os.close(descriptor)
    assert sum(taken) == 20_000


def test_reserved_ones_are_taken_only_when_released():
    permits = Permits(2, None, reserved=1)
    assert take_all(permits) == 2
    assert not permits.exhausted
    permits.release()
    assert take_all(permits) == 1
    assert permits.exhausted
    permits.release()
    assert take_all(permits) == 0
