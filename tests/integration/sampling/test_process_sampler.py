"""CPU time of real trees: of the living, and of those that ended."""

from sampled_programs import Start, eventually

from tui.sampling.processes import ProcessSampler

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
    sampler = ProcessSampler(program.pid)
    first = sampler.sample()
    (process,) = first.processes
    assert process.identity.pid == program.the("child")
    assert (process.ppid, process.threads, process.alive) == (program.pid, 1, True)
    assert process.cpu_share is None
    assert process.rss > 1_000_000
    assert 0 <= process.age < 60

    def busy() -> bool:
        share = sampler.sample().processes[0].cpu_share
        return share is not None and share > 0.2

    eventually(busy)
    assert sampler.sample().at > first.at


def test_the_share_is_cpu_time_over_the_time_that_went_by(start: Start) -> None:
    program = start(BURNS)
    now = [10.0]
    sampler = ProcessSampler(program.pid, clock=lambda: now[0])
    before = sampler.sample().processes[0].cpu_seconds
    now[0] += 4.0
    eventually(lambda: ProcessSampler(program.pid).sample().processes[0].cpu_seconds >= 0.25)
    process = sampler.sample().processes[0]
    assert process.cpu_share == (process.cpu_seconds - before) / 4.0


def test_the_time_of_those_that_ended_stays_in_the_sum(start: Start) -> None:
    program = start(BURNS_AND_ENDS)
    sampler = ProcessSampler(program.pid)
    sampler.sample()
    program.go_on()
    after = sampler.sample()
    assert after.processes == ()
    assert after.cpu_seconds >= 0.28


def test_a_zombie_is_shown_as_dead_and_a_new_process_has_no_share_yet(start: Start) -> None:
    program = start("import os, sys; os.fork() or os._exit(0); print('ready', flush=True); sys.stdin.read()")
    sampler = ProcessSampler(program.pid)
    eventually(lambda: [process.state for process in sampler.sample().processes] == ["Z"])
    (zombie,) = sampler.sample().processes
    assert not zombie.alive


def test_the_tree_of_a_root_that_is_gone_is_empty(start: Start) -> None:
    program = start("print('ready', flush=True); input()")
    sampler = ProcessSampler(program.pid)
    program.end()
    assert sampler.sample().processes == ()
