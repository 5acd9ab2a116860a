"""Findings on the machine and on what a stack uses of it: each is provoked on real processes, and a quiet run has none.

A hypervisor can't be made to steal and a clock rate can't be changed for others from inside, so ``steal``, ``governor``
and ``turbo`` are judged from events alone, in tests/unit/report/test_strain.py.
"""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.run.command import Command
from tests.integration.run.memory_groups import MemoryGroup, memory_group

MB = 1 << 20
LEAKING = str(Path(__file__).parent / "leaking" / "leaking.toml")
QUICK = (
    "--set", "load.warmup=300ms", "--set", "load.rounds=2", "--set", "load.duration=1s", "--format", "json",
)  # fmt: skip
OF_RESOURCES = {"governor", "swapping", "memory-pressure"}

READS_AGAIN = """
import mmap, os, random, sys
with open(sys.argv[1], 'w+b') as file:
    for _ in range(96):
        file.write(bytes(1 << 20))
    file.flush()
    os.fsync(file.fileno())
    pages = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    print('ready', flush=True)
    while True:
        pages[random.randrange(len(pages))]
"""
"""Makes and reads a file that is larger than what its group may have: its pages are read anew, which is waiting."""

TOUCHES_AGAIN = """
import sys
memory = bytearray(96 << 20)
print('ready', flush=True)
while True:
    for place in range(0, len(memory), 4096):
        memory[place] = (memory[place] + 1) % 256
"""
"""Uses more memory than its group may have, so that there is always a part of it in swap."""


def codes(summary: dict[str, Any]) -> dict[str, dict[str, Any]]:
    assert summary["verdict"] == "good", summary["reason"]
    return {finding["code"]: finding for finding in summary["findings"]}


@contextlib.contextmanager
def beside(group: MemoryGroup, program: str, *arguments: str) -> Iterator[None]:
    """A program that runs in the group meanwhile, from its first line of output on."""
    process = subprocess.Popen(
        [sys.executable, "-c", program, *arguments], stdout=subprocess.PIPE, text=True, preexec_fn=group.add
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield
    finally:
        process.kill()
        process.wait()


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


def test_a_quiet_run_finds_nothing_of_the_machine(stackdyno: Command) -> None:
    findings = codes(stackdyno.run("gunicorn-sync", *QUICK).summary)
    assert not OF_RESOURCES & set(findings)


def test_a_program_that_waits_for_memory_is_memory_pressure(stackdyno: Command, tmp_path: Path) -> None:
    if not Path("/proc/pressure/memory").exists():
        pytest.skip("this kernel has no PSI")
    with memory_group(32 * MB) as group, beside(group, READS_AGAIN, str(tmp_path / "large")):
        finding = codes(stackdyno.run("gunicorn-sync", *QUICK).summary)["memory-pressure"]
    assert finding["severity"] == "warning"
    assert "/proc/pressure/memory" in finding["evidence"]


def test_a_program_that_swaps_is_told(stackdyno: Command, tmp_path: Path) -> None:
    with memory_group(32 * MB) as group, swap(tmp_path), beside(group, TOUCHES_AGAIN):
        finding = codes(stackdyno.run("gunicorn-sync", *QUICK).summary)["swapping"]
    assert finding["quantities"] == ["rate", "latency", "memory"]
    assert "nothing of the stack was in swap" in finding["evidence"]


def test_an_app_that_keeps_2_kb_of_each_request_leaks(stackdyno: Command) -> None:
    summary = stackdyno.run(LEAKING, "--format", "json").summary
    finding = codes(summary)["memory-grows"]
    assert (finding["severity"], finding["quantities"]) == ("warning", ["memory"])
    assert summary["memory"]["growth_per_1000_requests"] == pytest.approx(2_080_000, rel=0.15)


def test_the_same_app_that_keeps_nothing_does_not(stackdyno: Command) -> None:
    summary = stackdyno.run(LEAKING, "--set", "app.env.KEEPS=0", "--format", "json").summary
    assert "memory-grows" not in codes(summary)
    assert abs(summary["memory"]["growth_per_1000_requests"]) < 200_000
