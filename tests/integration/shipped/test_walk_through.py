"""The stack that the documentation adds in ten minutes runs."""

from __future__ import annotations

from pathlib import Path

from tests.support.command import SHORT, Command
from tests.support.documented import write_walk_through


def test_the_documented_stack_runs(stackdyno: Command, tmp_path: Path) -> None:
    write_walk_through(tmp_path / "mine")
    # Its speed isn't the subject, and other tests may keep the load's CPU busy.
    quiet = ("--allow", "generator-lag", "--allow", "generator-saturated")
    done = stackdyno.run("--profiles", str(tmp_path / "mine"), "wsgiref", *SHORT, *quiet, "--format", "json")
    assert done.status == 0, done.err
    assert done.summary["result"]["good"] > 0
    assert [process["role"] for process in done.summary["processes"]] == ["worker"]
