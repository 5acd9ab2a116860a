"""``stackdyno suite`` as a process of its own, with real stacks: complete, interrupted and resumed, shown again."""

from __future__ import annotations

import contextlib
import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command import Command
from tests.support.watched import begin, measuring, nothing_left, wait_for
from tui.experiment.process import is_running, request_stop
from tui.experiment.progress import read_progress
from tui.experiment.record import find_experiment, list_experiments
from tui.record.record import list_records
from tui.system.errors import UserError

SUITE = """\
title = "Two of one"
set   = ["workers=1", "load.connections=5", "load.warmup=100ms", "load.rounds=2", "load.requests=300"]

[[variant]]
label   = "sync"
profile = "gunicorn-sync"

[[variant]]
label   = "threads"
profile = "gunicorn-gthread"
{own}
[[variant]]
label   = "never here"
profile = "openlitespeed-lsapi"
set     = ["options.root=/nowhere/at/all"]

[[table]]
title = "Speed"
kind  = "speed"

[[table]]
title    = "Rounds"
kind     = "rounds"
variants = ["sync", "threads"]

[[question]]
text     = "Memory saved by one over the other"
quantity = "memory"
of       = "sync"
over     = "threads"
"""
LONG = 'set     = ["load.duration=60s"]\n'


@pytest.fixture
def stackdyno(tmp_path: Path) -> Iterator[Command]:
    command = Command(tmp_path)
    yield command
    for experiment in list_experiments(command.runs):
        with contextlib.suppress(UserError):
            request_stop(experiment)


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.toml"
    path.write_text(SUITE.format(own=""))
    return path


def test_a_suite_prints_its_tables_and_shows_them_again(stackdyno: Command, suite: Path) -> None:
    done = stackdyno("suite", str(suite), "--concurrent", "--format", "json")
    assert done.status in (0, 1), done.err
    told = json.loads(done.out)
    assert done.status == told["exit_status"]
    assert (told["schema"], told["suite"], told["state"]) == ("stackdyno/suite", "tiny", "complete")
    speed, rounds = told["tables"]
    assert [(row["label"], row["start"]) for row in speed["rows"]] == [("sync", 1), ("threads", 1)]
    assert all(row["requests"] == 600 and row["failed"] == 0 and row["rate"] > 0 for row in speed["rows"])
    [(label, why)] = speed["lacking"]
    assert label == "never here" and why.startswith("not run: needs /nowhere/at/all/")
    assert [[len(start) for start in row["memory"]] for row in rounds["rows"]] == [[2], [2]]
    quoted = {row["label"]: row["memory_quoted"] for row in rounds["rows"]}
    answer = told["answers"][0]
    assert answer["fraction"] == pytest.approx((quoted["threads"] - quoted["sync"]) / quoted["threads"])
    lines = done.err.splitlines()
    assert lines[0].startswith("never here: not run: needs /nowhere/at/all/")
    assert [line.split(": ")[:2] for line in lines[3:]] == [
        ["run 1 of 2", "sync"], ["run 2 of 2", "threads"],
    ]  # fmt: skip
    again = stackdyno("suite", str(suite), "--show", "--format", "json")
    assert json.loads(again.out) == told and again.status == done.status
    shown = stackdyno("suite", str(suite), "--show")
    assert max(map(len, shown.out.splitlines())) <= 100
    refused = stackdyno("suite", str(suite), "--strict", "--concurrent")
    assert refused.status == 2 and "never here: needs /nowhere/at/all/" in refused.err
    assert len(list_experiments(stackdyno.runs)) == 1
    assert nothing_left(stackdyno.runs)


def test_an_interrupted_suite_is_gone_on_with_by_the_same_call(stackdyno: Command, suite: Path) -> None:
    suite.write_text(SUITE.format(own=LONG))
    started = begin(stackdyno, "suite", str(suite), "--concurrent")
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=30)
    assert started.returncode == 1
    assert "The suite didn't run to its end" in out and "threads: 0 of 1 runs so far" in out
    assert err.splitlines()[-1] == (
        "stackdyno: stopped, 1 of 2 runs are done: it was asked to stop; the same command continues it"
    )
    experiment = find_experiment(None, stackdyno.runs)
    assert not is_running(experiment)
    first = read_progress(experiment).records_of(0)
    assert "no finished run of this suite" in stackdyno("suite", str(suite), "--show").err

    following = stackdyno.begin("suite", str(suite), "--concurrent")
    assert following.stderr is not None
    assert following.stderr.readline().startswith("continuing the unfinished suite of ")
    assert following.stderr.readline().startswith("1 of 2 runs to go")
    wait_for(experiment, lambda progress: is_running(experiment) and progress.current)
    following.send_signal(signal.SIGHUP)  # the terminal is lost
    following.communicate(timeout=10)
    assert following.returncode == 128 + signal.SIGHUP
    assert is_running(experiment)
    measuring(experiment)
    request_stop(experiment)
    wait_for(experiment, lambda progress: not is_running(experiment))

    suite.write_text(SUITE.format(own=""))  # another content: what was interrupted is left as it is
    done = stackdyno("suite", str(suite), "--concurrent", "--format", "json")
    assert "continuing" not in done.err
    assert json.loads(done.out)["state"] == "complete"
    assert len(list_experiments(stackdyno.runs)) == 2
    assert read_progress(experiment).records_of(0) == first
    assert len(list_records(stackdyno.runs)) == 5  # one whole, two stopped, two whole
    assert nothing_left(stackdyno.runs)


def test_a_resumed_suite_runs_only_what_is_left(stackdyno: Command, suite: Path) -> None:
    started = stackdyno.begin("suite", str(suite), "--concurrent")
    deadline = time.monotonic() + 20
    while not list_experiments(stackdyno.runs):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    experiment = find_experiment(None, stackdyno.runs)
    wait_for(experiment, lambda progress: len(progress.done) == 1 and progress.current)
    started.send_signal(signal.SIGTERM)
    started.communicate(timeout=30)
    first = read_progress(experiment).records_of(0)
    assert len(first) == 1
    done = stackdyno("suite", str(suite), "--concurrent", "--format", "json")
    told = json.loads(done.out)
    assert told["state"] == "complete"
    assert [row["label"] for row in told["tables"][0]["rows"]] == ["sync", "threads"]
    assert told["tables"][0]["rows"][0]["record"] == first[0]
    assert list_experiments(stackdyno.runs) == [experiment]
    assert nothing_left(stackdyno.runs)
