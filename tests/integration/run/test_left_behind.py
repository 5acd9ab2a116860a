"""Runner and supervisor are killed together; and a run is stopped from elsewhere."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.support.command import Command, gone, processes_of
from tests.support.long_runs import LONG, measuring, supervisor_of
from tui.plan.checks import free_ports

RELAY = Path(__file__).parents[2] / "relay"


def test_what_killed_processes_leave_is_listed_told_and_cleaned(stackdyno: Command) -> None:
    running = stackdyno.start("gunicorn-sync", *LONG, "--format", "json")
    state = stackdyno.wait_for(measuring)
    assert state.started is not None
    runner = stackdyno.runner()
    listed = json.loads(stackdyno("ps", "--format", "json").out)
    assert [(each["folder"], each["pid"]) for each in listed["running"]] == [
        (str(stackdyno.record.folder), runner.pid)
    ]
    assert (listed["left_behind"], listed["runtime_folders"]) == ([], [])
    supervisor = supervisor_of(runner.pid)
    for pid in (runner.pid, supervisor):
        os.kill(pid, signal.SIGKILL)
    running.communicate(timeout=10)
    orphans = processes_of(state.started.run)
    assert len(orphans) == 3
    name = stackdyno.record.name
    listed = json.loads(stackdyno("ps", "--format", "json").out)
    assert listed["running"] == []
    assert [left["run"] for left in listed["left_behind"]] == [name]
    assert {each["pid"] for each in listed["left_behind"][0]["processes"]} == {each.pid for each in orphans}
    assert len(listed["runtime_folders"]) == 1
    said = stackdyno("history").err
    assert said.startswith(f"stackdyno: 3 processes were left behind by {name}, ended 20")
    assert len(said.splitlines()) == 1
    done = stackdyno("clean")
    assert (done.status, done.err) == (0, "")
    assert len(done.out.splitlines()) == 4
    assert gone(orphans, 0.1)
    assert stackdyno("clean").err == "nothing was left behind\n"
    assert stackdyno("history").err == ""


@pytest.mark.parametrize("runner_too", [True, False], ids=["both", "supervisor"])
def test_a_killed_supervisor_leaves_no_file_of_its_stack(stackdyno: Command, runner_too: bool) -> None:
    """With its runner, `clean` removes it; alone, the runner does."""
    (port,) = free_ports(1)
    left = Path(f"/tmp/stackdyno-relay-{port}.left")
    running = subprocess.Popen(
        stackdyno.words(
            "--profiles", str(RELAY), "run", "relay", "--concurrent", "--format", "json",
            "--set", f"options.spare_port={port}", "--set", "load.rounds=1", "--set", "load.requests=100000",
        ),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    stackdyno.wait_for(lambda state: state.in_round)
    assert left.exists()
    runner = stackdyno.runner().pid
    for pid in [supervisor_of(runner), runner][: 1 + runner_too]:
        os.kill(pid, signal.SIGKILL)
    out, _ = running.communicate(timeout=30)
    if runner_too:
        assert left.exists()
        assert str(left) in stackdyno("clean", "--list").out.splitlines()
        done = stackdyno("clean")
        assert (done.status, done.err) == (0, "")
        assert f"removed {left}" in done.out.splitlines()
    else:
        summary = json.loads(out)
        assert summary["removed"] == [str(left)] and summary["left_running"] == []
    assert not left.exists()


def test_a_run_is_stopped_from_elsewhere(stackdyno: Command) -> None:
    running = stackdyno.start("gunicorn-sync", *LONG, "--format", "json")
    stackdyno.wait_for(measuring)
    done = stackdyno("stop")
    assert (done.status, done.err) == (0, f"{stackdyno.record.name}: stopped: it was asked to stop\n")
    out, _ = running.communicate(timeout=10)
    assert json.loads(out)["verdict"] == "stopped"
    again = stackdyno("stop")
    assert (again.status, again.err) == (2, "stackdyno: nothing is running\n")
