"""What holds for every stack that is run for real: good answers, the right processes in place, nothing left."""

from __future__ import annotations

import os
import pwd
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import Command, processes_of
from tui.plan.planning import requirements_missing
from tui.profile.catalogue import Catalogue
from tui.record.events import RoundEnded
from tui.record.record import Follower, Record

FIVE_HUNDRED = (
    "--set", "load.requests=500", "--set", "load.rounds=1", "--set", "load.connections=20",
    "--set", "load.warmup=300ms",
)  # fmt: skip


def needs(profile: str, *overrides: str) -> None:
    """Skip where a server isn't installed, with the package's name; CI turns that into a failure."""
    catalogue = Catalogue()
    if missing := requirements_missing(catalogue.load(profile, overrides), catalogue):
        pytest.skip(f"not installed: {'; '.join(missing)}")


def run(stackdyno: Command, profile: str, *overrides: str) -> dict[str, Any]:
    """One short run of a profile; ``overrides`` are ``KEY=VALUE``. Its summary, after the checks that always hold."""
    needs(profile, *overrides)
    words = [word for override in overrides for word in ("--set", override)]
    homes_before = in_the_home()
    done = stackdyno.run(profile, *FIVE_HUNDRED, *words, "--format", "json")
    assert in_the_home() <= homes_before, "a stack wrote into the real home"
    assert done.out, done.err
    summary = done.summary
    assert summary["verdict"] == "good", f"{summary['reason']}\n" + "\n".join(summary["log_tail"])
    result = summary["result"]
    assert sum(result["outcomes"].values()) == result["sent"]
    assert summary["left_running"] == []
    assert processes_of(summary["run"]) == []
    assert not any(finding["code"] == "killed" for finding in summary["findings"]), summary["findings"]
    for process in living(summary):
        if process["role"] == "helper" and process["bound"] is None:
            continue  # one that lives for a moment, and had ended when it was looked at
        assert process["pss"] is not None, f"no memory of {process['title']}: {process['reason']}"
        assert process["bound"] == summary["stack"]["server_cpus"], process["title"]
    check_status(summary, under_way(stackdyno.record))
    return summary


def in_the_home() -> set[Path]:
    """What others keep in our real home, and in its usual folders."""
    home = Path(pwd.getpwuid(os.geteuid()).pw_dir)
    places = (home, *(home / name for name in (".cache", ".config", ".local/share", ".local/state")))
    return {
        path for place in places if place.is_dir() for path in place.iterdir() if path.name != "stackdyno"
    }


def under_way(record: Record) -> int:
    """Requests that the load left at the end of an interval, each round's and each warm-up's."""
    return sum(
        event.result.tally.outcomes.unfinished
        for event in Follower(record).poll()
        if isinstance(event, RoundEnded) and event.result is not None
    )


def check_status(summary: dict[str, Any], slack: int) -> None:
    """Every status page was read every time, and has counted in the rounds what the load has sent.

    What was under way when a warm-up or a round ended may be counted or not (``slack``): mod_fcgid tries a request
    that found all workers busy again each second, even when nobody waits for it any more. The counts of workers that
    answer for the page themselves include those requests. A file that the front serves reaches no worker.
    """
    sent = summary["result"]["sent"]
    of_the_front = summary["stack"]["app"] == "static"
    for page in summary["status"]:
        assert page["errors"] == 0, page["error"]
        if page["requests"] is not None and not (of_the_front and page["requests"] == 0):
            assert page["requests"] == pytest.approx(sent, abs=slack), page
    counted = [worker["requests"] for worker in workers(summary) if worker["requests"] is not None]
    reads = max((page["reads"] for page in summary["status"]), default=0)
    if counted and not of_the_front:
        assert sum(counted) == pytest.approx(sent, abs=slack + reads), counted


def good(stackdyno: Command, profile: str, *overrides: str, roles: dict[str, int]) -> dict[str, Any]:
    """A run in which every answer is good, with so many living processes of each role at its end.

    ``roles`` need not name helpers; every other role that it doesn't name must have no process.
    """
    summary = run(stackdyno, profile, *overrides)
    result = summary["result"]
    assert (result["good"], result["bad"]) == (500, 0), result["outcomes"]
    counted = Counter(process["role"] for process in living(summary))
    if "helper" not in roles:
        counted.pop("helper", None)
    assert counted == Counter(roles), [(each["role"], each["title"]) for each in living(summary)]
    return summary


def living(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """The processes that lived until the stack was stopped."""
    return [process for process in summary["processes"] if process["ended_at"] is None]


def workers(summary: dict[str, Any]) -> list[dict[str, Any]]:
    return [process for process in living(summary) if process["role"] == "worker"]


def check(summary: dict[str, Any]) -> None:
    """What holds for every good run, whatever the profile asks for."""
    result = summary["result"]
    assert summary["verdict"] == "good"
    assert sum(result["outcomes"].values()) == result["sent"]
    assert result["good"] > 0
    assert result["requests_per_second"] == pytest.approx(result["good"] / result["seconds"])
    assert summary["left_running"] == []
    assert processes_of(summary["run"]) == []
    for process in summary["processes"]:
        if process["ended_at"] is None:
            assert process["pss"] > 0
            assert process["uss"] > 0


def every_worker(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """Those that have ended before the stack was stopped, too."""
    return [process for process in summary["processes"] if process["role"] == "worker"]


def comparable(summary: dict[str, Any]) -> int:
    """Bytes by which stacks are compared, summed over the stack after the last round."""
    after: int = summary["memory"]["after"]
    return after
