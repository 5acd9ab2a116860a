"""Whole runs at a rate, with another generator, and without a load of ours."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import urllib.request
from typing import Any

import pytest

from tests.support.command import Command, processes_of
from tui.formats.export import FORMATS, render
from tui.record.record import Follower, read_state

QUICK = ("--set", "load.warmup=200ms", "--set", "load.rounds=2", "--set", "load.duration=500ms")
WRK = 'load.command=["wrk", "-t1", "-c4", "-d1s", "{{ url }}"]'


def codes(summary: dict[str, Any]) -> set[str]:
    return {finding["code"] for finding in summary["findings"]}


def over(summary: dict[str, Any]) -> None:
    assert summary["verdict"] == "good", summary["reason"]
    assert summary["left_running"] == []
    assert processes_of(summary["run"]) == []


def test_a_rate_that_the_stack_can_serve(stackdyno: Command) -> None:
    summary = stackdyno.run(
        "gunicorn-sync",
        *QUICK,
        "--set",
        "load.rate=200",
        "--set",
        "load.arrivals=poisson",
        "--format",
        "json",
    ).summary
    over(summary)
    result, loop = summary["result"], summary["result"]["open_loop"]
    assert (summary["load"]["mode"], summary["load"]["rate"]) == ("open", 200)
    assert (loop["arrivals"], loop["seeds"]) == ("poisson", [1, 2])
    assert loop["planned"] == result["sent"] + loop["never_sent"]
    assert sum(result["outcomes"].values()) == result["sent"]
    assert result["good"] >= 0.98 * loop["planned"]
    assert loop["service"]["count"] == result["total"]["count"] == result["good"]
    assert loop["service"]["mean"] <= result["total"]["mean"]
    assert not {"rate-not-reached", "caught-up"} & codes(summary)
    told = [event.tick for event in Follower(stackdyno.record).poll() if event.type == "load" and event.round]
    assert sum(tick.tally.planned for tick in told) == loop["planned"]


def test_a_rate_beyond_the_stack_is_not_reached(stackdyno: Command) -> None:
    done = stackdyno.run("gunicorn-sync", *QUICK, "--set", "load.rate=50_000", "--format", "json")
    summary = done.summary
    over(summary)
    assert "rate-not-reached" in codes(summary)
    assert {"rate", "latency"} <= set(summary["invalid"])
    assert done.status == 1
    loop = summary["result"]["open_loop"]
    assert loop["planned"] == 50_000
    assert loop["never_sent"] > 25_000
    assert summary["result"]["oldest_unfinished"] > 0.25


def test_what_is_sent_faster_than_the_rate_after_a_stall_is_said(stackdyno: Command) -> None:
    running = stackdyno.start(
        "gunicorn-sync", "--set", "load.rate=200", "--set", "load.duration=3s", "--set", "load.rounds=1",
        "--set", "load.warmup=300ms", "--set", "load.connections=4", "--format", "json",
    )  # fmt: skip
    state = stackdyno.wait_for(lambda state: any(point.round == 1 for point in state.rate))
    frozen = [process.seen.pid for process in state.living]
    for pid in frozen:
        os.kill(pid, signal.SIGSTOP)
    try:  # until half a second of the schedule waits
        stackdyno.wait_for(lambda state: sum(p.planned - p.sent for p in state.rate if p.round == 1) >= 100)
    finally:
        for pid in frozen:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
    out, _ = running.communicate(timeout=60)
    summary = json.loads(out)
    over(summary)
    (finding,) = [each for each in summary["findings"] if each["code"] == "caught-up"]
    assert finding["severity"] == "note"
    assert "instead of the planned 200; they had waited up to" in finding["evidence"]


def test_another_generator_is_run_in_each_round_and_its_output_kept(stackdyno: Command) -> None:
    if shutil.which("wrk") is None:
        pytest.skip("not installed: wrk")
    summary = stackdyno.run(
        "gunicorn-sync",
        "--set",
        WRK,
        "--set",
        "load.warmup=300ms",
        "--set",
        "load.rounds=2",
        "--format",
        "json",
    ).summary
    over(summary)
    assert summary["result"] is None
    other = summary["other_load"]
    assert (other["requests"], other["requests_per_second"]) == (None, None)
    assert "status page" in other["reason"]
    for name in other["outputs"]:
        assert "Requests/sec" in (stackdyno.record.folder / name).read_text()
    assert all(row["seconds"] > 0.9 for row in summary["rounds"])
    assert all(row["memory"] > 0 and row["stack_cpu"] > 0.05 for row in summary["rounds"])
    assert "load-command" not in codes(summary)


def test_a_command_is_ended_with_its_round(stackdyno: Command) -> None:
    command = 'load.command=["sleep", "3600"]'
    rounds = ("--set", "load.duration=400ms", "--set", "load.rounds=2", "--set", "load.warmup=200ms")
    summary = stackdyno.run("gunicorn-sync", "--set", command, *rounds, "--format", "json").summary
    over(summary)
    assert all(0.39 < row["seconds"] < 3 for row in summary["rounds"])
    assert "load-command" not in codes(summary)


def test_a_command_that_fails_is_a_finding_with_its_words(stackdyno: Command) -> None:
    command = """load.command=["sh", "-c", "echo it was full >&2; exit 5"]"""
    rounds = ("--set", "load.rounds=1", "--set", "load.warmup=0s")
    summary = stackdyno.run("gunicorn-sync", "--set", command, *rounds, "--format", "json").summary
    over(summary)
    (finding,) = [each for each in summary["findings"] if each["code"] == "load-command"]
    assert finding["text"] == 'sh ended with exit 5 in round 1: "it was full"'


@pytest.mark.parametrize(
    ("override", "line"),
    [
        (
            'load.command=["no-such-generator"]',
            "load.command[0]: there is no program no-such-generator; install it",
        ),
        (
            'load.command=["wrk", "{{ urll }}"]',
            "load.command[1]: 'urll' is undefined; known: address, host, path, url",
        ),
    ],
)
def test_a_command_that_cannot_be_run_is_told_before_the_start(
    stackdyno: Command, override: str, line: str
) -> None:
    done = stackdyno.run("gunicorn-sync", "--set", override)
    assert done.status == 2
    assert line in done.err
    assert not stackdyno.runs.exists() or not list(stackdyno.runs.iterdir())


def test_a_stack_is_watched_without_a_load_of_ours(stackdyno: Command) -> None:
    """Somebody else asks it meanwhile: that shows in its CPU time, and in no figure of ours."""
    rounds = ("--set", "load.mode=none", "--set", "load.rounds=2", "--set", "load.duration=1s")
    run = stackdyno.start("gunicorn-sync", *rounds, "--format", "json")
    state = stackdyno.wait_for(lambda state: state.in_round)
    assert state.planned is not None
    for _ in range(20):
        urllib.request.urlopen(state.planned.facts.url, timeout=5).close()
    out, err = run.communicate(timeout=60)
    assert run.returncode == 0, err
    summary = json.loads(out)
    over(summary)
    assert (summary["result"], summary["warmup"], summary["other_load"]["command"]) == (None, None, None)
    assert [row["good"] for row in summary["rounds"]] == [None, None]
    assert all(0.99 < row["seconds"] < 2 for row in summary["rounds"])
    assert summary["memory"]["idle"] > 0
    for form in FORMATS:
        assert render(stackdyno.record, read_state(stackdyno.record), form)


def test_a_watched_stack_can_be_stopped_in_its_round(stackdyno: Command) -> None:
    run = stackdyno.start(
        "gunicorn-sync", "--set", "load.mode=none", "--set", "load.duration=1h", "--format", "json"
    )
    stackdyno.wait_for(lambda state: state.in_round)
    run.terminate()
    out, _ = run.communicate(timeout=30)
    summary = json.loads(out)
    assert summary["verdict"] == "stopped"
    assert summary["rounds"][0]["stopped"]
