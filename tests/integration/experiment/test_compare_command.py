"""``stackdyno compare`` as a process of its own, with real stacks."""

from __future__ import annotations

import contextlib
import json
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command import Command
from tests.support.watched import begin, nothing_left
from tui.experiment.process import is_running, request_stop
from tui.experiment.progress import read_progress, variant_runs
from tui.experiment.record import find_experiment, list_experiments
from tui.record import control
from tui.record.record import first_event, list_records, read_state
from tui.system.errors import UserError

SHORT = (
    "--set", "load.warmup=100ms", "--set", "load.rounds=1", "--set", "load.requests=100",
    "--set", "load.connections=5", "--set", "workers=1", "--concurrent",
)  # fmt: skip
LONG = (
    "gunicorn-sync,load.requests=100",
    "gunicorn-gthread,load.duration=60s",
    *SHORT,
    "--set",
    "load.rate=100",
)
"""The first run is soon over, the second lasts a minute."""


@pytest.fixture
def stackdyno(tmp_path: Path) -> Iterator[Command]:
    command = Command(tmp_path)
    yield command
    for experiment in list_experiments(command.runs):
        with contextlib.suppress(UserError):
            request_stop(experiment)


def turns_of_whole_runs(stackdyno: Command, labels: list[str]) -> bool:
    """Whether an experiment of two runs of each came to its end: each a whole run, one stack up at a time."""
    record = find_experiment(None, stackdyno.runs)
    runs = list(reversed(list_records(stackdyno.runs)))
    states = [read_state(run) for run in runs]
    begins = [state.started.wall for state in states if state.started]
    progress = read_progress(record)
    assert progress.ended is not None
    assert (progress.ended.verdict, progress.ended.reason) == ("complete", None)
    assert progress.seconds_left() == 0.0
    one, other = labels
    profiles = [first.profile_name for run in runs if (first := first_event(run))]
    assert profiles == [one, other, other, one]
    assert [state.ended and state.ended.verdict for state in states] == ["good"] * 4
    assert all(run.summary_path.exists() for run in runs)
    assert [(label, len(records)) for label, records in variant_runs(record)] == [(one, 2), (other, 2)]
    assert record.errors_path.read_text() == ""
    return all(
        begin + state.now <= later for begin, state, later in zip(begins, states, begins[1:], strict=False)
    )


def stopped_with_one_run(stackdyno: Command, err: str) -> bool:
    """Whether a stop in the second run of LONG says what there is and how to go on, and leaves nothing."""
    experiment = find_experiment(None, stackdyno.runs)
    assert "stackdyno: gunicorn-gthread,load.duration=60s: no usable run\n" in err
    assert err.splitlines()[-1] == (
        "stackdyno: stopped, 1 of 12 runs are done: it was asked to stop; "
        f"continue with: stackdyno compare --resume {experiment.name}"
    )
    return not is_running(experiment) and nothing_left(stackdyno.runs)


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
    assert turns_of_whole_runs(stackdyno, ["gunicorn-sync", "gunicorn-gthread"])
    assert nothing_left(stackdyno.runs)


def test_a_stop_says_what_there_is_and_how_to_go_on(stackdyno: Command) -> None:
    compare = begin(stackdyno, "compare", *LONG)
    compare.send_signal(signal.SIGINT)
    out, err = compare.communicate(timeout=30)
    assert compare.returncode == 1
    assert out == ""  # one side has no whole run yet
    assert stopped_with_one_run(stackdyno, err)


def test_a_lost_terminal_lets_it_go_on_and_resume_follows_it(stackdyno: Command) -> None:
    """The one that follows is stopped by the other signal."""
    compare = begin(stackdyno, "compare", *LONG)
    compare.send_signal(signal.SIGHUP)
    compare.communicate(timeout=10)
    assert compare.returncode == 128 + signal.SIGHUP
    experiment = find_experiment(None, stackdyno.runs)
    assert is_running(experiment)
    assert control.is_running(stackdyno.record)
    following = stackdyno.begin("compare", "--resume")
    assert following.stderr is not None
    assert following.stderr.readline().startswith("11 of 12 runs to go, about ")
    following.send_signal(signal.SIGTERM)
    out, err = following.communicate(timeout=30)
    assert following.returncode == 1
    assert out == ""
    assert stopped_with_one_run(stackdyno, err)
