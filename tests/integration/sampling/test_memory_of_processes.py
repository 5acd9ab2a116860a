"""RSS, PSS and USS of real processes that share memory, and of those that may not be read."""

import ctypes
import os
import signal

import psutil
import pytest

from tests.support.sampled_programs import Start, as_another_user, eventually
from tui.sampling.memory import CarefulReader, MemoryParts, Unreadable, read_rollup, read_rss

MB = 1_000_000

FORKS_AFTER_ALLOCATING = """
import os, signal, sys
held = bytearray(os.urandom(20_000_000))
children = []
for number in range(2):
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.write(writing, b'x')
        signal.pause()
    os.read(reading, 1)
    children.append(child)
print(*(f'child={child}' for child in children), flush=True)
input()
held[:] = os.urandom(20_000_000)
print('written', flush=True)
sys.stdin.read()
"""

SHARES_MEMORY = """
import mmap, os, sys
held = mmap.mmap(-1, 10_000_000)
held.write(bytes(range(250)) * 40_000)
child = os.fork()
if not child:
    held.seek(0)
    held.read()
    os.write(1, b'child=%d\\n' % os.getpid())
sys.stdin.read()
"""

WAITS = "print('ready', flush=True); input()"


def parts_of(pid: int) -> MemoryParts:
    parts = read_rollup(pid)
    assert isinstance(parts, MemoryParts), parts
    return parts


def test_memory_shared_by_copy_on_write_is_counted_once(start: Start) -> None:
    program = start(FORKS_AFTER_ALLOCATING)
    pids = [program.pid, *program.all("child")]
    shared = [parts_of(pid) for pid in pids]
    assert 20 * MB < sum(parts.pss_anon or 0 for parts in shared) < 30 * MB
    assert sum(parts.rss for parts in shared) > 60 * MB  # which is why it is never summed
    assert all(parts.private < 10 * MB and parts.shared > 20 * MB for parts in shared)

    program.go_on()
    parent, *children = (parts_of(pid) for pid in pids)
    assert parent.private > 20 * MB
    assert all(child.private < 10 * MB for child in children)
    assert 40 * MB < sum(parts.comparable or 0 for parts in (parent, *children)) < 55 * MB


def test_shared_memory_is_part_of_what_is_compared_and_counted_once(start: Start) -> None:
    program = start(SHARES_MEMORY)
    both = [parts_of(program.pid), parts_of(program.the("child"))]
    assert sum(parts.pss_shmem or 0 for parts in both) == pytest.approx(10 * MB, rel=0.05)
    assert all((parts.comparable or 0) >= 5 * MB for parts in both)


def test_the_figures_are_those_of_psutil_and_of_the_kernel(start: Start) -> None:
    pid = start(WAITS).pid
    parts, theirs = parts_of(pid), psutil.Process(pid).memory_full_info()
    assert (parts.pss, parts.private) == (
        pytest.approx(theirs.pss, rel=0.02),
        pytest.approx(theirs.uss, rel=0.02),
    )
    assert None not in (parts.pss_anon, parts.pss_file, parts.pss_shmem, parts.swap_pss)
    assert (parts.pss_anon or 0) + (parts.pss_file or 0) + (parts.pss_shmem or 0) == pytest.approx(
        parts.pss, abs=4096
    )
    assert parts.missing is None
    assert read_rss(pid) == pytest.approx(parts.rss, rel=0.1)


def test_a_zombie_and_a_process_that_is_gone_have_no_memory(start: Start) -> None:
    program = start(WAITS)
    program.process.kill()
    eventually(lambda: read_rollup(program.pid) is None)  # a zombie, since nobody waited for it yet
    program.process.wait()
    assert read_rollup(program.pid) is None


def test_a_process_of_another_user_shows_its_rss_and_the_reason(start: Start) -> None:
    if os.geteuid() == 0:
        pid = start(WAITS).pid
        found = as_another_user(lambda: read_rollup(pid))
    else:
        pid = 1
        found = read_rollup(pid)
    assert isinstance(found, Unreadable)
    assert found.reason == "permission denied: a process of user root"
    now = read_rss(pid)
    assert found.rss and now
    assert abs(found.rss - now) < 1_000_000  # two looks; it may have touched a page in between


def read_a_private_child() -> object:
    """What is read of a child of the same user that isn't dumpable, like a server that changed its user."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE
        os.write(writing, b"x")
        signal.pause()
    os.read(reading, 1)
    os.close(reading)
    os.close(writing)
    found = read_rollup(child)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return found


def test_a_process_of_the_same_user_that_is_private_says_so() -> None:
    found = as_another_user(read_a_private_child) if os.geteuid() == 0 else read_a_private_child()
    assert isinstance(found, Unreadable)
    assert found.reason == "permission denied: a process that changed its user or was made private"
    assert found.rss


def test_the_careful_reader_on_real_processes(start: Start) -> None:
    pids = [start(WAITS).pid for _ in range(3)]
    reader = CarefulReader(budget=0.05)
    seen: set[int] = set()

    def all_were_read() -> bool:
        step = reader.step(pids)
        if step is not None:
            assert isinstance(step[1], MemoryParts)
            seen.add(step[0])
        return seen == set(pids)

    eventually(all_were_read)
    assert reader.reads == 3
    assert reader.cpu_seconds > 0
    assert all(isinstance(parts, MemoryParts) for parts in reader.full_pass(pids).values())
    assert reader.reads == 6
