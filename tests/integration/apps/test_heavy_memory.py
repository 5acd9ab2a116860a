"""What of the heavy app's memory stays shared after a fork."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.support.serving import APPS, needs_of_ruby

MB = 1024

PYTHON = """
import os, re, sys
import heavy_data

def memory(kind):
    with open("/proc/self/smaps_rollup") as rollup:
        return re.search(kind + r": +(\\d+)", rollup.read())[1]

print(memory("Pss"), flush=True)
if os.fork() == 0:
    heavy_data.answer(sys.argv[1])
    print(memory("Private_Dirty"), flush=True)
else:
    os.wait()
"""

RUBY = """
require "./heavy"
memory = ->(kind) { File.read("/proc/self/smaps_rollup")[/#{kind}: +(\\d+)/, 1] }
puts memory.("Pss")
Process.wait(fork do
  Heavy.call("PATH_INFO" => ARGV[0], "REQUEST_METHOD" => "GET")
  puts memory.("Private_Dirty")
end)
"""


def measured(*command: str, **env: str) -> tuple[int, int]:
    """KiB of the loaded app, and of what is private to a forked worker after its first answer."""
    plain = {"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        command, cwd=APPS / "heavy", env=plain | env, capture_output=True, text=True, check=True, timeout=60
    )
    loaded, private = map(int, done.stdout.split())
    return loaded, private


def python(path: str, **env: str) -> tuple[int, int]:
    return measured(sys.executable, "-c", PYTHON, path, **env)


def test_python_keeps_it_shared() -> None:
    loaded, private = python("/")
    assert 80 * MB < loaded < 130 * MB
    assert private < 10 * MB


def test_a_collection_in_a_worker_unshares_it() -> None:
    _, private = python("/collected")
    assert private > 25 * MB


def test_what_is_frozen_before_the_fork_stays_shared() -> None:
    _, private = python("/collected", HEAVY_FREEZE="1")
    assert private < 10 * MB


@pytest.mark.parametrize("path", ["/", "/collected"])
def test_ruby_keeps_it_shared(path: str) -> None:
    needs_of_ruby()
    loaded, private = measured("ruby", "-e", RUBY, path)
    assert 80 * MB < loaded < 150 * MB
    assert private < 20 * MB
