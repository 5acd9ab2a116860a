"""The stack that only the tests know runs for real: all that a definition can say is carried out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.checking import check, every_worker, living
from tests.support.command import Command
from tui.plan.checks import free_ports

RELAY = Path(__file__).parents[2] / "relay"


def run(stackdyno: Command, *overrides: str) -> dict[str, Any]:
    words = [word for override in overrides for word in ("--set", override)]
    done = stackdyno("--profiles", str(RELAY), "run", "relay", "--concurrent", *words, "--format", "json")
    summary = done.summary
    assert done.status == bool(summary["invalid"]), done.err
    check(summary)
    assert (summary["result"]["good"], summary["result"]["bad"]) == (400, 0)
    return summary


def ends(summary: dict[str, Any], role: str) -> list[str]:
    """How the processes of a role ended when they were asked to."""
    return [process["ended"] for process in living(summary) if process["role"] == role]


def told(summary: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The findings by their code, without those about the machine."""
    about_the_machine = {"overlap", "disturbed", "generator-busy", "generator-saturated", "generator-lag"}
    codes = {finding["code"]: finding for finding in summary["findings"]}
    return {code: finding for code, finding in codes.items() if code not in about_the_machine}


@pytest.fixture
def leftovers() -> Iterator[tuple[int, Path]]:
    """A port, and a file that fits the pattern of what a relay leaves with it but was there before."""
    (port,) = free_ports(1)
    kept = Path(f"/tmp/stackdyno-relay-{port}.kept")
    kept.touch()
    yield port, kept
    kept.unlink(missing_ok=True)


def test_every_part_of_the_definition_is_carried_out(stackdyno: Command, leftovers: tuple[int, Path]) -> None:
    port, kept = leftovers
    summary = run(stackdyno, "options.logging=loud", f"options.spare_port={port}")
    counted = Counter((process["service"], process["role"]) for process in living(summary))
    assert counted == {
        ("pool", "master"): 1, ("pool", "helper"): 1, ("pool", "worker"): 3, ("front", "front"): 2,
    }  # fmt: skip
    (launcher,) = [process for process in summary["processes"] if process["ended_at"] is not None]
    assert (launcher["service"], launcher["role"], launcher["ended"]) == ("pool", "helper", "exit 0")
    assert ends(summary, "master") == ["exit 0"]  # USR1 is handled there; TERM would have killed it
    assert ends(summary, "front") == ["exit 0", "exit 0"]  # and INT here
    assert summary["removed"] == [f"/tmp/stackdyno-relay-{port}.left"]
    assert not Path(f"/tmp/stackdyno-relay-{port}.left").exists()
    assert kept.exists()
    assert told(summary) == {}
    assert summary["versions"].keys() == {"Python"}
    record = stackdyno.record
    assert {path.name for path in record.logs.glob("*.log")} == {"pool.log", "front-0.log", "front-1.log"}
    assert (record.conf / "loud.txt").read_text().startswith("1 of 3: /tmp/stackdyno-")


def test_workers_that_are_replaced_are_seen_and_reported(stackdyno: Command) -> None:
    summary = run(stackdyno, "options.answers_per_worker=40")
    seen = every_worker(summary)
    went = [process for process in seen if process["ended_at"] is not None]
    assert len(seen) - len(went) == 3
    assert went  # each of the rounds takes 200 answers of workers that give 40
    findings = told(summary)
    assert findings.keys() == {"worker-came", "worker-went"}
    assert f"worker {went[0]['pid']}" in findings["worker-went"]["evidence"]
    assert {finding["severity"] for finding in findings.values()} == {"warning"}


def test_who_does_not_stop_when_asked_is_killed_and_reported(stackdyno: Command) -> None:
    summary = run(stackdyno, "options.stubborn=true")
    (master,) = [process for process in living(summary) if process["role"] == "master"]
    assert master["ended"] == "SIGKILL"
    assert told(summary).keys() == {"killed"}
    assert told(summary)["killed"]["severity"] == "warning"
    assert f"(pid {master['pid']}) had to be killed" in told(summary)["killed"]["text"]
