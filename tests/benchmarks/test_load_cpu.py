"""CPU time that the load generator needs for a request, compared with wrk and ab on the same nginx.

User and system time of the load alone, not wall time, since the server is the bottleneck. One program after
the other on the same CPU, the order turned round every time; what is compared is the ratio within each such
turn. Ours is its load process's time in the round, with everything recorded; the others' is the whole
process's, whose start is negligible against some ten thousand requests.
"""

import os
import re
import shutil
import statistics
import subprocess

import pytest

from tests.support.load import spec_of
from tui.load.generator import LoadGenerator

TURNS = 9
SECONDS = 1.2
AIM = 1.2  # times wrk, at most, on kept connections
# Times ab, with a connection a request. No aim was set; 1.2 to 1.4 was measured, so this only catches a blunder.
WORST = 2.0

pytestmark = pytest.mark.benchmark


class Ours:
    def __init__(self, address, cpu, connections, keepalive):
        spec = spec_of(
            address=address,
            host="localhost",
            path="/",
            expect_body=b"Hello, World!\n",
            connections=connections,
            keepalive=keepalive,
            timeout=5.0,
        )
        self._generator = LoadGenerator(spec, [cpu])

    async def __aenter__(self):
        await self._generator.start()
        return self

    async def __aexit__(self, *_):
        await self._generator.close()

    async def measure(self):
        result = await self._generator.round(requests=None, duration=SECONDS, on_tick=lambda tick: None)
        assert result.tally.outcomes.bad == 0
        return sum(result.cpu_seconds) / result.tally.outcomes.ok * 1e6


def peer(cpu, pattern, *command):
    """µs of CPU time a request of another load generator, which tells the number of requests itself."""
    if shutil.which(command[0]) is None:
        pytest.skip(f"not installed: {command[0]}")
    process = subprocess.Popen(["taskset", "-c", str(cpu), *command], stdout=subprocess.PIPE, text=True)
    with process.stdout:
        output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    requests = int(re.search(pattern, output)[1])
    return (usage.ru_utime + usage.ru_stime) / requests * 1e6


def wrk(address, cpu, connections):
    command = ("wrk", "-t1", f"-c{connections}", "-d1s", f"http://{address}/")
    return peer(cpu, r"(\d+) requests in", *command)


def ab(address, cpu, connections, requests, *options):
    command = ("ab", "-q", *options, "-n", str(requests), "-c", str(connections), f"http://{address}/")
    return peer(cpu, r"Complete requests:\s+(\d+)", *command)


async def take_turns(ours, peers):
    measured = {name: [] for name in ("ours", *peers)}
    for turn in range(TURNS):
        order = list(measured) if turn % 2 else list(reversed(measured))
        for name in order:
            measured[name].append(await ours.measure() if name == "ours" else peers[name]())
    return measured


def report(capsys, title, measured):
    """Print the figures; returns the median ratio to each peer."""
    lines = [title]
    for name, values in measured.items():
        lines.append(
            f"  {name:6} {statistics.median(values):6.2f} µs a request ({min(values):.2f} to {max(values):.2f})"
        )
    medians = {}
    for name in measured.keys() - {"ours"}:
        ratios = [mine / theirs for mine, theirs in zip(measured["ours"], measured[name], strict=True)]
        medians[name] = statistics.median(ratios)
        lines.append(
            f"  ours / {name}: median {medians[name]:.2f} of {TURNS} ({min(ratios):.2f} to {max(ratios):.2f})"
        )
    with capsys.disabled():
        print("\n" + "\n".join(lines))
    return medians


async def test_kept_connections_against_wrk_and_ab(static_nginx, two_cpus, capsys):
    cpu = two_cpus[1]
    peers = {
        "wrk": lambda: wrk(static_nginx, cpu, 100),
        "ab -k": lambda: ab(static_nginx, cpu, 100, 60_000, "-k"),
    }
    async with Ours(static_nginx, cpu, 100, keepalive=True) as ours:
        measured = await take_turns(ours, peers)
    assert report(capsys, "kept connections, 100 of them", measured)["wrk"] <= AIM


async def test_one_connection_per_request_against_ab(static_nginx, two_cpus, capsys):
    cpu = two_cpus[1]
    async with Ours(static_nginx, cpu, 50, keepalive=False) as ours:
        measured = await take_turns(ours, {"ab": lambda: ab(static_nginx, cpu, 50, 10_000)})
    assert report(capsys, "a connection a request, 50 at a time", measured)["ab"] <= WORST
