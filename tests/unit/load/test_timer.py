import select
import time

from tui.load.timer import Timer


def test_it_is_readable_from_its_time_on_until_it_is_set_anew():
    timer, epoll = Timer(), select.epoll()
    epoll.register(timer.fd, select.EPOLLIN)
    assert epoll.poll(0) == []
    due = time.perf_counter_ns() + 300_000
    timer.set(due)
    assert epoll.poll(5) == [(timer.fd, select.EPOLLIN)]
    assert time.perf_counter_ns() >= due
    assert epoll.poll(0) == [(timer.fd, select.EPOLLIN)]
    timer.set(time.perf_counter_ns() + 10**12)
    assert epoll.poll(0) == []
    timer.set(1)
    assert epoll.poll(5) == [(timer.fd, select.EPOLLIN)]
    timer.close()
