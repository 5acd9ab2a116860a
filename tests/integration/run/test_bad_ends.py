"""Runs that end otherwise than planned: nothing is left running, and what was measured is kept."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import time
from pathlib import Path

import pytest

from tests.support.command import SHORT, Command, gone, processes_of
from tests.support.long_runs import LONG, LONG_AND_BUSY, measuring, supervisor_of
from tui.findings.judged import summarise
from tui.record.record import read_state
from tui.system.procfs import Identity, descendants, is_alive, read_stat


def everything(stackdyno: Command) -> list[Identity]:
    """The runner and all that is below it."""
    runner = stackdyno.runner()
    return [runner, *(stat.identity for stat in descendants(runner.pid))]


def test_a_killed_runner_leaves_nothing_and_its_record_opens(stackdyno: Command) -> None:
    running = stackdyno.start("gunicorn-sync", *LONG, "--format", "json")
    state = stackdyno.wait_for(measuring)
    assert state.started is not None
    ours = everything(stackdyno)
    assert len(ours) >= 6  # runner, supervisor, master, two workers, a load process
    os.kill(stackdyno.runner().pid, signal.SIGKILL)
    assert gone(ours, 5.0)
    assert processes_of(state.started.run) == []
    out, err = running.communicate(timeout=10)
    assert running.returncode == 1
    told = json.loads(out)
    assert told["verdict"] == "cut off"
    assert told["findings"][0]["code"] == "cut-off"
    assert "Traceback" not in err
    summary = summarise(stackdyno.record, read_state(stackdyno.record))
    assert summary.verdict == "cut off"
    assert summary.memory.idle is not None


def test_a_killed_supervisor_fails_the_run_and_leaves_nothing(stackdyno: Command) -> None:
    running = stackdyno.start("gunicorn-sync", *LONG_AND_BUSY, "--format", "json")
    stackdyno.wait_for(measuring)
    ours = everything(stackdyno)
    supervisor = next(
        stat for stat in descendants(stackdyno.runner().pid) if _is(stat.pid, b"tui.stack.supervisor")
    )
    os.kill(supervisor.pid, signal.SIGKILL)
    out, _ = running.communicate(timeout=30)
    summary = json.loads(out)
    assert (running.returncode, summary["verdict"]) == (1, "failed")
    assert "supervisor process was killed" in summary["reason"]
    assert summary["rounds"][0]["good"] > 0
    assert summary["left_running"] == []
    assert gone(ours, 1.0)


def test_a_server_that_dies_under_load_ends_the_round_and_says_how(stackdyno: Command) -> None:
    running = stackdyno.start("gunicorn-sync", *LONG_AND_BUSY, "--format", "json")
    state = stackdyno.wait_for(measuring)
    master = next(process for process in state.living if process.seen.role == "master")
    os.kill(master.seen.pid, signal.SIGKILL)
    out, _ = running.communicate(timeout=30)
    summary = json.loads(out)
    assert (running.returncode, summary["verdict"]) == (1, "failed")
    assert summary["reason"].startswith("gunicorn ended with SIGKILL in the middle of the run")
    assert summary["rounds"][0]["good"] > 0
    assert summary["rounds"][0]["stopped"] is True
    assert summary["left_running"] == []
    assert processes_of(summary["run"]) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_summarises_what_there_is(stackdyno: Command, number: signal.Signals) -> None:
    running = stackdyno.start("gunicorn-sync", *LONG_AND_BUSY, "--format", "json")
    stackdyno.wait_for(measuring)
    began = time.monotonic()
    running.send_signal(number)
    out, err = running.communicate(timeout=30)
    assert time.monotonic() - began < 10
    summary = json.loads(out)
    assert (running.returncode, summary["verdict"]) == (1, "stopped")
    assert summary["rounds"][0]["stopped"] is True
    assert summary["rounds"][0]["good"] > 0
    result = summary["result"]
    assert sum(result["outcomes"].values()) == result["sent"]
    assert result["requests_per_second"] == pytest.approx(result["good"] / result["seconds"])
    assert summary["left_running"] == []
    assert "Traceback" not in err


def test_a_stop_that_comes_while_the_run_is_launched(stackdyno: Command) -> None:
    running = stackdyno.start("gunicorn-sync", *LONG, "--format", "json")
    deadline = time.monotonic() + 20
    while not list(stackdyno.runs.glob("*")):
        assert time.monotonic() < deadline
        time.sleep(0.001)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=30)
    summary = json.loads(out)
    assert (running.returncode, summary["verdict"]) == (1, "stopped")
    assert "Traceback" not in err
    assert summary["left_running"] == []
    assert processes_of(summary["run"]) == []


def test_a_lost_terminal_lets_the_run_go_on_to_its_end(stackdyno: Command) -> None:
    running = stackdyno.start(
        "gunicorn-sync", "--set", "load.warmup=200ms", "--set", "load.rounds=2", "--set", "load.duration=1s",
        "--set", "load.rate=100",
    )  # fmt: skip
    stackdyno.wait_for(measuring)
    running.send_signal(signal.SIGHUP)
    running.communicate(timeout=10)
    assert is_alive(stackdyno.runner())
    state = stackdyno.wait_for(lambda state: state.ended is not None)
    assert state.ended is not None
    assert state.ended.verdict == "good"
    assert len(state.rounds) == 2
    assert gone([stackdyno.runner()], 5.0)
    assert json.loads(stackdyno.record.summary_path.read_text())["verdict"] == "good"


def test_a_second_run_is_refused_and_names_the_first(stackdyno: Command) -> None:
    running = stackdyno.start("gunicorn-sync", *LONG)
    stackdyno.wait_for(lambda state: state.ready is not None)
    second = stackdyno("run", "gunicorn-sync")
    assert second.status == 2
    kept = f"is active, kept in {stackdyno.record.folder}, and two runs disturb each other"
    assert kept in second.err
    assert "`stackdyno stop`" in second.err
    running.terminate()
    running.communicate(timeout=30)


def test_of_four_runs_that_start_at_once_one_runs_and_the_others_leave_nothing(stackdyno: Command) -> None:
    four = [stackdyno.begin("run", "gunicorn-sync", *SHORT, "--set", "load.rate=100") for _ in range(4)]
    said = [running.communicate(timeout=90) for running in four]
    assert sorted(running.returncode for running in four) == [0, 2, 2, 2], said
    refused = [err for running, (_, err) in zip(four, said, strict=True) if running.returncode == 2]
    for err in refused:
        assert len(err.splitlines()) == 1, err
        assert "disturb each other" in err
        assert str(stackdyno.record.folder) in err
    assert [folder.name for folder in stackdyno.runs.iterdir()] == [stackdyno.record.name]
    runtimes = [path.read_text() for path in Path("/tmp").glob("stackdyno-*/stackdyno.run")]
    assert not any(str(stackdyno.runs) in note for note in runtimes)


def _is(pid: int, words: bytes) -> bool:
    stat = read_stat(pid)
    if stat is None:
        return False
    return words in Path(f"/proc/{pid}/cmdline").read_bytes()


@pytest.mark.parametrize("phase", ["ready", "idle", "warm-up"])
def test_a_stop_before_the_first_round_ends_in_order(stackdyno: Command, phase: str) -> None:
    running = stackdyno.start("gunicorn-sync", *LONG, "--format", "json")
    stackdyno.wait_for(lambda state: any(each.phase == phase for each in state.phases))
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=30)
    summary = json.loads(out)
    assert (running.returncode, summary["verdict"]) == (1, "stopped")
    assert summary["left_running"] == []
    assert "Traceback" not in err
    assert "Traceback" not in (stackdyno.record.logs / "runner.err").read_text()


def test_requests_to_a_server_that_hangs_have_an_end(stackdyno: Command) -> None:
    running = stackdyno.start(
        "gunicorn-sync", "--set", "load.warmup=200ms", "--set", "load.rounds=1", "--set", "load.requests=200000",
        "--set", "load.timeout=700ms", "--format", "json",
    )  # fmt: skip
    state = stackdyno.wait_for(measuring)
    frozen = [process.seen.pid for process in state.living]
    for pid in frozen:
        os.kill(pid, signal.SIGSTOP)
    try:
        out, _ = running.communicate(timeout=30)
    finally:
        for pid in frozen:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
    summary = json.loads(out)
    assert (running.returncode, summary["verdict"]) == (1, "failed")
    assert "the server hangs" in summary["reason"]
    assert summary["rounds"][0]["good"] > 0
    assert summary["left_running"] == []


def test_a_server_that_hangs_for_a_round_is_reported(stackdyno: Command) -> None:
    running = stackdyno.start(
        "gunicorn-sync", "--set", "load.warmup=200ms", "--set", "load.rounds=1", "--set", "load.duration=3s",
        "--format", "json",
    )  # fmt: skip
    state = stackdyno.wait_for(measuring)
    frozen = [process.seen.pid for process in state.living]
    for pid in frozen:
        os.kill(pid, signal.SIGSTOP)
    stackdyno.wait_for(lambda state: bool(state.rounds))
    for pid in frozen:
        os.kill(pid, signal.SIGCONT)
    out, _ = running.communicate(timeout=30)
    summary = json.loads(out)
    assert running.returncode == 1
    assert "stalled" in {finding["code"] for finding in summary["findings"]}
    assert summary["invalid"] == ["rate", "latency"]


@pytest.mark.parametrize(
    ("which", "signals"),
    [("runner", [signal.SIGINT, signal.SIGINT]), ("supervisor", [signal.SIGTERM])],
    ids=["runner, Ctrl-C twice", "supervisor, SIGTERM"],
)
def test_what_is_held_up_lets_the_command_end_and_stops_once_it_continues(
    stackdyno: Command, which: str, signals: list[signal.Signals]
) -> None:
    running = stackdyno.start("gunicorn-sync", *LONG)
    stackdyno.wait_for(measuring)
    ours = everything(stackdyno)
    runner = stackdyno.runner().pid
    held = runner if which == "runner" else supervisor_of(runner)
    os.kill(held, signal.SIGSTOP)
    for number in signals:
        running.send_signal(number)
        time.sleep(0.3)
    _, err = running.communicate(timeout=5)
    assert running.returncode == 1
    assert f"its {which} (pid {held}) is stopped by a signal" in err.splitlines()[-1]
    stopped = stackdyno("stop")
    assert (stopped.status, f"(pid {held}) is stopped by a signal" in stopped.err) == (1, True)
    assert is_alive(stackdyno.runner())
    os.kill(held, signal.SIGCONT)
    assert gone(ours, 15.0)
    assert read_state(stackdyno.record).ended is not None
