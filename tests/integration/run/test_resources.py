"""Findings on the machine and on what a stack uses of it: each is provoked on real processes, and a quiet run has none.

A hypervisor can't be made to steal and a clock rate can't be changed for others from inside, so ``steal``, ``governor``
and ``turbo`` are judged from events alone, in tests/unit/report/test_strain.py.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import Command
from tests.support.memory_groups import MemoryGroup, memory_group
from tui.record.record import read_state
from tui.system.cpus import usable_cpus

MB = 1 << 20
LEAKING = str(Path(__file__).parent / "leaking" / "leaking.toml")
QUICK = (
    "--set", "load.warmup=300ms", "--set", "load.rounds=2", "--set", "load.duration=1s", "--format", "json",
)  # fmt: skip
OF_RESOURCES = {
    "governor", "swapping", "memory-pressure", "descriptors", "time-wait", "worker-oom", "memory-grows",
}  # fmt: skip

READS_AGAIN = """
import mmap, os, random, sys
with open(sys.argv[1], 'w+b') as file:
    for _ in range(96):
        file.write(bytes(1 << 20))
    file.flush()
    os.fsync(file.fileno())
    pages = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    print('ready', flush=True)
    sys.stdin.readline()
    while True:
        pages[random.randrange(len(pages))]
"""
"""Makes and reads a file that is larger than what its group may have: its pages are read anew, which is waiting."""

TOUCHES_AGAIN = """
import sys
memory = bytearray(96 << 20)
print('ready', flush=True)
sys.stdin.readline()
while True:
    for place in range(0, len(memory), 4096):
        memory[place] = (memory[place] + 1) % 256
"""
"""Uses more memory than its group may have, so that there is always a part of it in swap."""


def codes(summary: dict[str, Any]) -> dict[str, dict[str, Any]]:
    assert summary["verdict"] == "good", summary["reason"]
    return {finding["code"]: finding for finding in summary["findings"]}


@contextlib.contextmanager
def alongside(group: MemoryGroup, program: str, *arguments: str) -> Iterator[Callable[[], object]]:
    """A program in the group that has its memory or file and begins to use it when it is told to."""
    process = subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=group.add,
    )  # fmt: skip
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield partial(print, file=process.stdin, flush=True)
    finally:
        process.kill()
        process.wait()


def measured_while(stackdyno: Command, begin: Callable[[], object]) -> dict[str, Any]:
    """The summary of a run at a low rate; something else begins when its load does, and not before: it takes a CPU."""
    running = stackdyno.start("gunicorn-sync", *QUICK, "--set", "load.rounds=1", "--set", "load.rate=100")
    stackdyno.wait_for(lambda state: state.phase_name == "warm-up")
    begin()
    out, err = running.communicate(timeout=60)
    assert out, err
    summary: dict[str, Any] = json.loads(out)
    return summary


@contextlib.contextmanager
def swap(folder: Path) -> Iterator[None]:
    """A swap file, for machines that have no swap."""
    if not (shutil.which("mkswap") and shutil.which("swapon")):
        pytest.skip("not installed: mkswap (apt install util-linux)")
    file = folder / "swap"
    with file.open("wb") as opened:
        opened.write(bytes(128 * MB))  # swapon takes no file with holes
    file.chmod(0o600)
    subprocess.run(["mkswap", file], check=True, capture_output=True)
    on = subprocess.run(["swapon", file], capture_output=True, text=True)
    if on.returncode:
        pytest.skip(f"this machine takes no swap file: {on.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["swapoff", file], check=True)
        file.unlink()


@pytest.mark.alone
def test_a_quiet_run_finds_nothing_of_all_this(stackdyno: Command) -> None:
    summary = stackdyno.run("gunicorn-sync", *QUICK, "--set", "load.rounds=3").summary
    state = read_state(stackdyno.record)
    assert not OF_RESOURCES & set(codes(summary))
    assert summary["ports"]["client_time_wait"] == 0, "the server closes first"
    assert summary["ports"]["server_time_wait"] > 0
    of_the_run = {*summary["stack"]["server_cpus"], *summary["stack"]["load_cpus"]}
    for ended in state.rounds:
        assert ended.strain is not None
        assert set(ended.strain.steal) == of_the_run
    before, after = state.host_labelled["before start"], state.host_labelled["after round 3"]
    assert before.generator_cpu is None, "there was no load process yet"
    assert after.generator_cpu
    assert state.resources.of_stack.keys() >= {process.key for process in state.processes.values()}


def test_a_program_that_waits_for_memory_is_memory_pressure(stackdyno: Command, tmp_path: Path) -> None:
    if not Path("/proc/pressure/memory").exists():
        pytest.skip("this kernel has no PSI")
    with memory_group(32 * MB) as group, alongside(group, READS_AGAIN, str(tmp_path / "large")) as begin:
        finding = codes(measured_while(stackdyno, begin))["memory-pressure"]
    assert finding["severity"] == "warning"
    assert "/proc/pressure/memory" in finding["evidence"]


def test_a_program_that_swaps_is_reported(stackdyno: Command, tmp_path: Path) -> None:
    with memory_group(32 * MB) as group, swap(tmp_path), alongside(group, TOUCHES_AGAIN) as begin:
        finding = codes(measured_while(stackdyno, begin))["swapping"]
    assert finding["quantities"] == ["rate", "latency", "memory"]
    assert "none of the stack was in swap at the last reading" in finding["evidence"]


def test_an_app_that_keeps_2_kb_of_each_request_leaks(stackdyno: Command) -> None:
    summary = stackdyno.run(LEAKING, "--format", "json").summary
    finding = codes(summary)["memory-grows"]
    assert (finding["severity"], finding["quantities"]) == ("warning", ["memory"])
    assert summary["memory"]["growth_per_1000_requests"] == pytest.approx(2_080_000, rel=0.15)


def test_the_same_app_that_keeps_nothing_does_not(stackdyno: Command) -> None:
    summary = stackdyno.run(LEAKING, "--set", "app.env.KEEPS=0", "--format", "json").summary
    assert "memory-grows" not in codes(summary)
    assert abs(summary["memory"]["growth_per_1000_requests"]) < 200_000


def test_descriptors_that_run_out_on_either_side(stackdyno: Command) -> None:
    """The limits of a worker and of a load process are lowered in the first round, to a little more than they have."""
    running = stackdyno.start(
        "gunicorn-uvicorn", *QUICK, "--set", "workers=1", "--set", "load.keepalive=true", "--set",
        "load.connections=60", "--set", "load.rounds=3",
    )  # fmt: skip
    state = stackdyno.wait_for(lambda state: state.resources.of_load)
    worker = next(process.seen.pid for process in state.living if process.seen.role == "worker")
    (load,) = state.resources.of_load.values()
    of_worker = next(each for each in state.resources.of_stack.values() if each.pid == worker)
    for seen in (of_worker, load):
        assert seen.open is not None
        assert seen.open > 60
        resource.prlimit(seen.pid, resource.RLIMIT_NOFILE, (seen.open + 2, seen.open + 2))
    out, err = running.communicate(timeout=60)
    assert out, err
    findings = [each for each in json.loads(out)["findings"] if each["code"] == "descriptors"]
    by_side = {finding["text"].split(" is ")[0]: finding["evidence"] for finding in findings}
    assert set(by_side) == {"the stack", "the load"}
    assert by_side["the stack"].startswith(f"worker {worker}: ")
    assert by_side["the load"].startswith(f"load process {load.pid}: ")


def test_more_connections_than_the_load_may_have_are_told_before_anything_is_started(
    stackdyno: Command,
) -> None:
    done = subprocess.run(
        stackdyno.words(
            "run", "gunicorn-sync", "--set", "load.connections=100", "--set", f"load.cpus={usable_cpus()[0]}"
        ),
        capture_output=True, text=True, timeout=30,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100)),
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "stackdyno: gunicorn-sync: load.connections: found 100, but the load process may open only 100 descriptors "
        "(ulimit -Hn); at most 84, more load.cpus, or a higher limit\n"
    )


def in_a_network_of_its_own(stackdyno: Command, ports: str, *arguments: str) -> dict[str, Any]:
    """A run in a network namespace whose clients have only these ports."""
    if os.geteuid() != 0 or not (shutil.which("unshare") and shutil.which("ip")):
        pytest.skip(
            "only root can make a network namespace, with unshare and ip (apt install util-linux iproute2)"
        )
    set_up = f'ip link set lo up && echo {ports} > /proc/sys/net/ipv4/ip_local_port_range && exec "$@"'
    done = subprocess.run(
        ["unshare", "--net", "sh", "-c", set_up, "sh", *stackdyno.words("run", "--concurrent", *arguments)],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    if "unshare failed" in done.stderr:
        pytest.skip(f"no network namespace can be made here: {done.stderr.strip()}")
    assert done.stdout, done.stderr
    summary: dict[str, Any] = json.loads(done.stdout)
    return summary


def test_a_load_that_closes_first_runs_out_of_ports(stackdyno: Command) -> None:
    """It closes kept connections that are idle at a round's end: then 140 of 150 ports, and our probe's, wait."""
    summary = in_a_network_of_its_own(
        stackdyno, "40000 40149", "gunicorn-uvicorn", *QUICK, "--set", "load.keepalive=true", "--set",
        "load.connections=140", "--set", "load.warmup=0s", "--set", "load.rounds=1", "--set", "load.duration=", "--set",
        "load.requests=1400",
    )  # fmt: skip
    waiting = summary["ports"]["client_time_wait"]
    assert 140 <= waiting <= 143
    assert (summary["ports"]["server_time_wait"], summary["ports"]["ports"]) == (0, 150)
    finding = codes(summary)["time-wait"]
    assert finding["evidence"].startswith(f"{waiting} of 150 after a round, and 0 sockets of the server")


def test_a_server_that_closes_first_costs_the_client_no_port(stackdyno: Command) -> None:
    summary = in_a_network_of_its_own(
        stackdyno, "40000 40149", "gunicorn-sync", *QUICK, "--set", "load.duration=", "--set",
        "load.requests=1000", "--set", "load.connections=20",
    )  # fmt: skip
    assert summary["result"]["good"] == 2000
    assert summary["ports"]["client_time_wait"] == 0
    assert summary["ports"]["server_time_wait"] > 20
    assert "time-wait" not in codes(summary)


@pytest.mark.alone
def test_a_worker_that_the_kernel_kills_for_memory(stackdyno: Command) -> None:
    """All of stackdyno is in a cgroup of 320 MB, and the app keeps 4 MB of each request.

    On a busy CPU a killed worker is slow to give its memory back, and the kernel may choose our runner next.
    """
    with memory_group(320 * MB) as group:
        done = subprocess.run(
            stackdyno.words(
                "run", "--concurrent", LEAKING, *QUICK, "--set", "app.env.KEEPS=4000000", "--set", "load.warmup=0s",
                "--set", "load.duration=", "--set", "load.requests=120",
            ),
            capture_output=True, text=True, timeout=90, preexec_fn=group.add,
        )  # fmt: skip
    assert done.stdout, done.stderr
    finding = codes(json.loads(done.stdout))["worker-oom"]
    assert " out-of-memory kill" in finding["evidence"]
    assert f"/{group.path.name} (limit 336 MB)" in finding["evidence"]
