"""/proc read on real processes: trees, daemons, zombies, threads."""

import os
import re
import time

import psutil
import pytest

from tests.support.sampled_programs import Start, eventually
from tui.system import procfs
from tui.system.cpus import usable_cpus
from tui.system.procfs import (
    Identity,
    affinities,
    bind,
    descendants,
    every_process,
    is_alive,
    read_cmdline,
    read_environ,
    read_stat,
)

NOBODY_HAS = 2**22 + 1  # above the kernel's largest pid

WAITS = "print('ready', flush=True); input()"

TREE = """
import os, sys
reading, writing = os.pipe()
child = os.fork()
if not child:
    grandchild = os.fork()
    if grandchild:
        os.write(writing, b'%d' % grandchild)
    sys.stdin.read()
print(f'child={child} child={int(os.read(reading, 20))}', flush=True)
sys.stdin.read()
"""

DAEMON_UNDER_SUBREAPER = """
import ctypes, os, sys
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
reading, writing = os.pipe()
master = os.fork()
if not master:
    os.setsid()
    daemon = os.fork()
    if not daemon:
        os.setsid()
        worker = os.fork()
        if worker:
            os.write(writing, b'%d %d' % (os.getpid(), worker))
        sys.stdin.read()
    os._exit(0)
os.waitpid(master, 0)
daemon, worker = os.read(reading, 40).split()
print(f'child={int(daemon)} child={int(worker)}', flush=True)
sys.stdin.read()
"""

WALKS = """
import ctypes, os, signal, sys, time
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
if not os.fork():
    until = time.monotonic() + 60
    while time.monotonic() < until and os.getppid() != 1:
        if os.fork():
            os._exit(0)
    os._exit(0)
print('ready', flush=True)
while True:
    os.wait()
"""

FORKS_IN_A_THREAD = """
import os, sys, threading
children = []
def fork():
    child = os.fork()
    if not child:
        sys.stdin.read()
        os._exit(0)
    children.append(child)
    stay.wait()
stay = threading.Event()
thread = threading.Thread(target=fork, daemon=True)
thread.start()
while not children:
    pass
print(f'child={children[0]}', flush=True)
sys.stdin.read()
"""

ZOMBIE = """
import os, sys
child = os.fork()
if not child:
    os._exit(3)
print(f'child={child}', flush=True)
sys.stdin.read()
"""

THREADS = """
import os, sys, threading
def bound():
    os.sched_setaffinity(threading.get_native_id(), {int(sys.argv[1])})
    tids.append(threading.get_native_id())
    stay.wait()
stay, tids = threading.Event(), []
threading.Thread(target=bound, daemon=True).start()
while not tids:
    pass
print(f'thread={tids[0]}', flush=True)
sys.stdin.read()
"""

KEEPS_STARTING_THREADS = """
import threading, time
def brood(depth):
    while True:
        thread = threading.Thread(target=time.sleep, args=(0.002,))
        thread.start()
        thread.join()
for number in range(3):
    threading.Thread(target=brood, args=(number,), daemon=True).start()
print('ready', flush=True)
input()
"""


@pytest.fixture(params=["children lists", "one scan"])
def each_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways in which a tree is found, whatever this kernel has."""
    has_lists = request.param == "children lists"
    if has_lists and not procfs._has_children_lists():
        pytest.skip("this kernel has no lists of children")
    monkeypatch.setattr(procfs, "_has_children_lists", lambda: has_lists)


def test_a_process_is_described_as_psutil_does(start: Start) -> None:
    program = start(WAITS)
    stat, theirs = read_stat(program.pid), psutil.Process(program.pid)
    assert stat is not None
    assert stat.pid == program.pid
    assert stat.ppid == os.getpid()
    assert stat.session == os.getsid(program.pid)
    assert stat.pgid == os.getpgid(program.pid)
    assert stat.comm == theirs.name()
    assert stat.threads == 1
    assert stat.cpu_last in range(os.cpu_count() or 1)
    assert stat.rss == pytest.approx(theirs.memory_info().rss, rel=0.1)
    assert (stat.utime, stat.stime) == theirs.cpu_times()[:2]
    assert stat.age() == pytest.approx(time.time() - theirs.create_time(), abs=1.5)
    assert stat.alive
    assert not stat.kernel_thread


def test_a_name_with_blanks_and_brackets_does_not_shift_the_fields(start: Start) -> None:
    program = start("open('/proc/self/comm', 'w').write('a) R (b 1 2'); " + WAITS)
    stat = read_stat(program.pid)
    assert stat is not None
    assert (stat.comm, stat.ppid) == ("a) R (b 1 2", os.getpid())


def test_a_process_that_is_gone() -> None:
    assert read_stat(NOBODY_HAS) is None
    assert read_cmdline(NOBODY_HAS) is None
    assert read_environ(NOBODY_HAS) is None
    assert descendants(NOBODY_HAS) == []
    assert affinities(NOBODY_HAS) == {}
    bind(NOBODY_HAS, {0})


def test_a_later_process_with_the_same_pid_is_another_one(start: Start) -> None:
    stat = read_stat(start(WAITS).pid)
    assert stat is not None
    assert is_alive(stat.identity)
    assert not is_alive(Identity(stat.pid, stat.identity.start - 1))


def test_the_command_line_is_one_printable_line(start: Start) -> None:
    program = start(WAITS, "two\nlines", "\x1b[31mred\x07", "ünï", "")
    assert str(read_cmdline(program.pid)).endswith(f"-c {WAITS} two lines  [31mred  ünï")


def test_the_environment_is_that_of_the_start(start: Start) -> None:
    program = start(
        "import os; os.environ['LATER'] = '1'; " + WAITS, env={"STACKDYNO_RUN": "a=b", "EMPTY": ""}
    )
    assert read_environ(program.pid) == {"STACKDYNO_RUN": "a=b", "EMPTY": ""}


@pytest.mark.usefixtures("each_way")
def test_the_whole_tree_is_found_without_its_root(start: Start) -> None:
    program = start(TREE)
    child, grandchild = program.all("child")
    assert [(stat.pid, stat.ppid) for stat in descendants(program.pid)] == [
        (child, program.pid),
        (grandchild, child),
    ]


@pytest.mark.usefixtures("each_way")
def test_a_daemon_stays_in_the_tree_of_its_subreaper(start: Start) -> None:
    program = start(DAEMON_UNDER_SUBREAPER)
    daemon, worker = program.all("child")
    assert {(stat.pid, stat.ppid) for stat in descendants(program.pid)} == {
        (daemon, program.pid),
        (worker, daemon),
    }
    assert os.getsid(daemon) == daemon


def test_a_process_that_keeps_forking_itself_away_is_caught_in_the_act(start: Start) -> None:
    program = start(WALKS)
    missed = sum(not any(stat.alive for stat in descendants(program.pid)) for _ in range(1000))
    assert missed <= 2  # a single pass misses more than ten


@pytest.mark.usefixtures("each_way")
def test_a_child_that_a_thread_forked_is_found(start: Start) -> None:
    program = start(FORKS_IN_A_THREAD)
    assert [stat.pid for stat in descendants(program.pid)] == [program.the("child")]


@pytest.mark.usefixtures("each_way")
def test_a_zombie_is_in_the_tree_and_dead(start: Start) -> None:
    program = start(ZOMBIE)
    zombie = program.the("child")
    eventually(lambda: [stat.state for stat in descendants(program.pid)] == ["Z"])
    (stat,) = descendants(program.pid)
    assert stat.pid == zombie
    assert not stat.alive
    assert not is_alive(stat.identity)
    assert read_cmdline(zombie) == f"[{stat.comm}]"


@pytest.mark.usefixtures("each_way")
def test_processes_of_others_are_not_in_the_tree(start: Start) -> None:
    ours, other = start(TREE), start(TREE)
    assert not {stat.pid for stat in descendants(ours.pid)} & {other.pid, *other.all("child")}


def test_every_process_has_ourselves_and_pid_1_but_is_told_apart_from_the_kernels_threads() -> None:
    found = {stat.pid: stat for stat in every_process()}
    assert not found[os.getpid()].kernel_thread
    threads = [stat.pid for stat in found.values() if stat.kernel_thread]
    shown = list(
        filter(None, map(read_cmdline, threads))
    )  # a kworker renames itself at any time, or has ended
    assert threads
    assert all(re.fullmatch(r"\[.+\]", text) for text in shown)


@pytest.mark.skipif(len(usable_cpus()) < 2, reason="needs two CPUs")
def test_a_thread_with_another_affinity_is_seen_and_bound(start: Start) -> None:
    first, second = usable_cpus()[:2]
    program = start(THREADS, str(second))
    bind(program.pid, {first})
    os.sched_setaffinity(program.the("thread"), {second})
    assert affinities(program.pid) == {program.pid: {first}, program.the("thread"): {second}}
    assert psutil.Process(program.pid).cpu_affinity() == [first]  # which is why psutil isn't asked
    bind(program.pid, {second})
    assert set(affinities(program.pid).values()) == {frozenset({second})}


@pytest.mark.skipif(len(usable_cpus()) < 2, reason="needs two CPUs")
def test_threads_that_start_meanwhile_are_bound_too(start: Start) -> None:
    program = start(KEEPS_STARTING_THREADS)
    for cpu in usable_cpus()[:2] * 3:
        bind(program.pid, {cpu})
        for _ in range(5):
            assert set(affinities(program.pid).values()) == {frozenset({cpu})}


def test_binding_to_no_usable_cpu_says_so(start: Start) -> None:
    with pytest.raises(OSError, match="Invalid argument"):
        bind(start(WAITS).pid, {8000})
