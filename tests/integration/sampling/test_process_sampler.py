"""CPU time of real trees: of the living, and of those that ended."""

import pytest

from tests.support.sampled_programs import Start, eventually
from tui.sampling.processes import ProcessSampler
from tui.system.procfs import ProcessStat, Tree, tree

BURNS = """
import os, sys, time
child = os.fork()
if not child:
    while time.process_time() < 10:
        pass
    os._exit(0)
print(f'child={child}', flush=True)
sys.stdin.read()
"""

BURNS_AND_ENDS = """
import os, sys, time
master = os.fork()
if not master:
    for number in range(2):
        if not os.fork():
            while time.process_time() < 0.15:
                pass
            os._exit(0)
    os.wait(), os.wait()
    os._exit(0)
print('ready', flush=True)
input()
os.waitpid(master, 0)
print('ended', flush=True)
sys.stdin.read()
"""


def test_the_cpu_share_is_that_since_the_last_look(start: Start) -> None:
    program = start(BURNS)
    sampler = ProcessSampler()
    first = sampler.sample(tree(program.pid))
    (process,) = first.processes
    assert process.identity.pid == program.the("child")
    assert (process.ppid, process.threads, process.alive) == (program.pid, 1, True)
    assert process.cpu_share is None
    assert process.rss > 1_000_000
    assert 0 <= process.age < 60

    def busy() -> bool:
        share = sampler.sample(tree(program.pid)).processes[0].cpu_share
        return share is not None and share > 0.2

    eventually(busy)
    assert sampler.sample(tree(program.pid)).at > first.at


def test_the_share_is_cpu_time_over_the_time_that_went_by(start: Start) -> None:
    program = start(BURNS)
    now = [10.0]
    sampler = ProcessSampler(clock=lambda: now[0])
    before = sampler.sample(tree(program.pid)).processes[0].cpu_seconds
    now[0] += 4.0
    eventually(lambda: ProcessSampler().sample(tree(program.pid)).processes[0].cpu_seconds >= 0.25)
    process = sampler.sample(tree(program.pid)).processes[0]
    assert process.cpu_share == (process.cpu_seconds - before) / 4.0


def test_the_time_of_those_that_ended_stays_in_the_sum(start: Start) -> None:
    program = start(BURNS_AND_ENDS)
    sampler = ProcessSampler()
    sampler.sample(tree(program.pid))
    program.go_on()
    after = sampler.sample(tree(program.pid))
    assert after.processes == ()
    assert after.cpu_seconds >= 0.28


def test_one_that_ends_in_the_middle_of_a_look_is_never_counted_twice(start: Start) -> None:
    """The look ends after it was reaped: its time is in the sum of the next look, once."""
    program = start(BURNS_AND_ENDS)
    (zombie,) = eventually_zombie(program.pid)
    sampler = ProcessSampler()
    look = tree(program.pid)
    program.go_on()
    first, second = sampler.sample(look).cpu_seconds, sampler.sample(tree(program.pid)).cpu_seconds
    used = zombie.cpu_seconds + zombie.cutime + zombie.cstime
    assert [first, second] == pytest.approx([used, used], abs=0.03)  # of ticks that are rounded apart


def eventually_zombie(pid: int) -> list[ProcessStat]:
    eventually(lambda: [each.state for each in tree(pid).below] == ["Z"])
    return tree(pid).below


def test_a_zombie_is_shown_as_dead_and_a_new_process_has_no_share_yet(start: Start) -> None:
    program = start("import os, sys; os.fork() or os._exit(0); print('ready', flush=True); sys.stdin.read()")
    sampler = ProcessSampler()
    eventually(lambda: [process.state for process in sampler.sample(tree(program.pid)).processes] == ["Z"])
    (zombie,) = sampler.sample(tree(program.pid)).processes
    assert not zombie.alive


def test_the_tree_of_a_root_that_is_gone_is_empty(start: Start) -> None:
    program = start("print('ready', flush=True); input()")
    sampler = ProcessSampler()
    program.end()
    assert sampler.sample(tree(program.pid)).processes == ()


def test_without_a_root_the_time_of_a_tree_that_is_gone_still_counts(start: Start) -> None:
    first, second = start(BURNS), start(BURNS)
    sampler = ProcessSampler()
    eventually(lambda: sampler.sample(Tree(None, tree(first.pid).below)).cpu_seconds > 0.2)
    so_far = sampler.sample(Tree(None, tree(first.pid).below)).cpu_seconds
    look = tree(second.pid).below
    of_the_second = sum(stat.cpu_seconds for stat in look)
    assert sampler.sample(Tree(None, look)).cpu_seconds == pytest.approx(so_far + of_the_second)
    assert sampler.sample(Tree(None, look)).cpu_seconds == pytest.approx(so_far + of_the_second)
