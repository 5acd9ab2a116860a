"""Runner and supervisor are killed together; and a run is stopped from elsewhere."""

from __future__ import annotations

import json
import os
import signal

from tests.support.command import Command, gone, processes_of
from tests.support.long_runs import LONG, measuring, supervisor_of


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


def test_a_run_is_stopped_from_elsewhere(stackdyno: Command) -> None:
    running = stackdyno.start("gunicorn-sync", *LONG, "--format", "json")
    stackdyno.wait_for(measuring)
    done = stackdyno("stop")
    assert (done.status, done.err) == (0, f"{stackdyno.record.name}: stopped: it was asked to stop\n")
    out, _ = running.communicate(timeout=10)
    assert json.loads(out)["verdict"] == "stopped"
    again = stackdyno("stop")
    assert (again.status, again.err) == (2, "stackdyno: nothing is running\n")
