"""``stackdyno compare`` as a process of its own, with real stacks."""

from __future__ import annotations

import contextlib
import json
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command import Command
from tests.support.watched import begin, nothing_left
from tui.experiment.process import is_running, request_stop
from tui.experiment.record import find_experiment, list_experiments
from tui.record import control
from tui.system.errors import UserError

SHORT = (
    "--set", "load.warmup=100ms", "--set", "load.rounds=1", "--set", "load.requests=100",
    "--set", "load.connections=5", "--set", "workers=1", "--concurrent",
)  # fmt: skip
LONG = ("gunicorn-sync,load.requests=100", "gunicorn-gthread,load.duration=60s", *SHORT)
"""The first run is soon over, the second lasts a minute."""


@pytest.fixture
def stackdyno(tmp_path: Path) -> Iterator[Command]:
    command = Command(tmp_path)
    yield command
    for experiment in list_experiments(command.runs):
        with contextlib.suppress(UserError):
            request_stop(experiment)


def test_two_profiles_are_compared_with_a_line_for_each_start(stackdyno: Command) -> None:
    done = stackdyno(
        "compare", "gunicorn-sync", "gunicorn-gthread", "--starts", "2", *SHORT, "--format", "json"
    )
    assert done.status == 0, done.err
    told = json.loads(done.out)
    assert [variant["label"] for variant in told["sides"]] == ["gunicorn-sync", "gunicorn-gthread"]
    assert [variant["starts"] for variant in told["sides"]] == [2, 2]
    assert all(cell["median"] > 0 for cell in told["rows"][0]["cells"])
    assert told["rows"][0]["differences"][1]["outcome"] is None  # two runs are no ground for a verdict
    lines = done.err.splitlines()
    assert lines[0] == "4 runs, kept as"
    assert lines[1].strip() == find_experiment(None, stackdyno.runs).name
    for line, (number, label) in zip(
        lines[2:], enumerate(("gunicorn-sync", "gunicorn-gthread", "gunicorn-gthread", "gunicorn-sync"), 1),
        strict=True,
    ):  # fmt: skip
        assert re.match(rf"run {number} of 4: {label}: [\d,.]+ requests/s, ", line)
    again = stackdyno("compare", find_experiment(None, stackdyno.runs).name, "--format", "json")
    assert (again.status, json.loads(again.out)) == (0, told)
    assert nothing_left(stackdyno.runs)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_says_what_there_is_and_how_to_go_on(stackdyno: Command, number: signal.Signals) -> None:
    compare = begin(stackdyno, "compare", *LONG)
    compare.send_signal(number)
    out, err = compare.communicate(timeout=30)
    assert compare.returncode == 1
    assert out == ""  # one side has no whole run yet
    assert "stackdyno: gunicorn-gthread,load.duration=60s: no usable run\n" in err
    name = find_experiment(None, stackdyno.runs).name
    assert err.splitlines()[-1] == (
        "stackdyno: stopped, 1 of 12 runs are done: it was asked to stop; "
        f"continue with: stackdyno compare --resume {name}"
    )
    assert not is_running(find_experiment(None, stackdyno.runs))
    assert nothing_left(stackdyno.runs)


def test_a_lost_terminal_lets_it_go_on_and_resume_follows_it(stackdyno: Command) -> None:
    compare = begin(stackdyno, "compare", *LONG)
    compare.send_signal(signal.SIGHUP)
    compare.communicate(timeout=10)
    assert compare.returncode == 128 + signal.SIGHUP
    experiment = find_experiment(None, stackdyno.runs)
    assert is_running(experiment)
    assert control.is_running(stackdyno.record)
    following = subprocess.Popen(
        stackdyno.words("compare", "--resume"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert following.stderr is not None
    assert following.stderr.readline().startswith("11 of 12 runs to go, about ")
    following.send_signal(signal.SIGINT)
    following.communicate(timeout=30)
    assert following.returncode == 1
    assert not is_running(experiment)
    assert nothing_left(stackdyno.runs)
