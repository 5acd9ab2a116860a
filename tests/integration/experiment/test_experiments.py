"""Experiments with real stacks: to their ends, stopped, killed and resumed, and with a variant that can't start."""

from __future__ import annotations

import contextlib
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command import Command, gone
from tests.support.watched import measuring, nothing_left, wait_for
from tui.experiment.launch import launch_experiment, resume_experiment
from tui.experiment.plan import Experiment, Variant
from tui.experiment.process import is_running, request_stop
from tui.experiment.progress import Progress, read_progress
from tui.experiment.record import ExperimentRecord, create_experiment
from tui.experiment.runner import ExperimentRunner
from tui.record import control
from tui.record.record import list_records, read_state
from tui.system.errors import UserError
from tui.system.procfs import Identity, descendants

SHORT = (
    "load.warmup=0s", "load.rounds=1", "load.requests=100", "load.connections=5", "workers=1",
)  # fmt: skip
LONG = (
    "load.warmup=0s", "load.rounds=1", "load.duration=60s", "load.rate=50", "load.connections=5", "workers=1",
)  # fmt: skip
"""At a rate, so that a run that only has to last leaves the CPUs alone."""
SLOW = (*LONG, "load.duration=5s")


def experiment(
    *variants: tuple[str, ...], runs_each: int = 2, profiles: Path | None = None, concurrent: bool = True
) -> Experiment:
    """Each variant a profile and its overrides."""
    return Experiment(
        kind="comparison",
        title="t",
        variants=tuple(
            Variant(label=f"{profile} {index}", profile=profile, overrides=overrides)
            for index, (profile, *overrides) in enumerate(variants)
        ),
        runs_each=runs_each,
        profiles=profiles,
        concurrent=concurrent,
    )


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Path]:
    """A folder of runs; what is still going on in it at the end is stopped."""
    folder = tmp_path / "runs"
    yield folder
    for path in folder.glob("*/process.json"):
        with contextlib.suppress(UserError):
            request_stop(ExperimentRecord(path.parent))
    for record in list_records(folder):
        with contextlib.suppress(UserError):
            control.request_stop(record)


def at_its_end(record: ExperimentRecord, seconds: float = 60.0) -> Progress:
    wait_for(record, lambda progress: not is_running(record), seconds)
    return read_progress(record)


def process_of(record: ExperimentRecord) -> Identity:
    told = json.loads(record.process_path.read_text())
    return Identity(told["pid"], told["start"])


def test_a_stop_ends_the_run_under_way_and_resume_repeats_it(runs: Path) -> None:
    told = experiment(("gunicorn-sync", *LONG), ("gunicorn-gthread", *LONG))
    record = launch_experiment(told, runs)
    run = measuring(record)
    request_stop(record)
    progress = at_its_end(record, 15)
    assert progress.ended is not None
    assert (progress.ended.verdict, progress.ended.reason) == ("stopped", "it was asked to stop")
    state = read_state(run)
    assert state.ended is not None
    assert state.ended.verdict == "stopped"
    assert progress.done == []
    assert nothing_left(runs)
    resume_experiment(record)
    again = measuring(record)
    assert again.name != run.name
    with pytest.raises(UserError, match="already running"):
        resume_experiment(record)
    control.request_stop(again)  # as a person does with `s`
    progress = at_its_end(record, 15)
    assert progress.ended is not None
    assert (progress.ended.verdict, progress.ended.reason) == ("stopped", f"{again.name} was stopped")
    assert nothing_left(runs)


def test_a_experiment_that_was_killed_with_its_run_repeats_that_run(runs: Path) -> None:
    record = launch_experiment(experiment(("gunicorn-sync", *LONG), ("gunicorn-gthread", *LONG)), runs)
    run = measuring(record)
    runner = json.loads(run.runner_path.read_text())
    ours = [stat.identity for stat in descendants(runner["pid"])]
    os.kill(process_of(record).pid, signal.SIGKILL)
    os.kill(runner["pid"], signal.SIGKILL)
    assert gone(ours, 5.0)
    resume_experiment(record)
    progress = wait_for(record, lambda progress: progress.current and progress.current[1] != run.name)
    assert progress.current is not None
    assert progress.current[0].number == 1
    assert progress.done == []
    measuring(record)
    request_stop(record)
    at_its_end(record, 15)
    assert nothing_left(runs)


def test_a_run_outlives_its_experiment_but_not_its_runner(runs: Path) -> None:
    """The first run loses its runner, the last one the experiment's process: the one failed, the other counts."""
    record = launch_experiment(experiment(("gunicorn-sync", *SLOW), ("gunicorn-gthread", *SHORT)), runs)
    os.kill(json.loads(measuring(record).runner_path.read_text())["pid"], signal.SIGKILL)
    progress = wait_for(record, lambda progress: len(progress.done) >= 3)
    assert [each.ended.verdict for each in progress.done] == ["cut off", "good", "good"]
    assert progress.done[0].ended.reason == "its runner died; see logs/runner.err in its record"
    run = measuring(record)
    killed = process_of(record)
    os.kill(killed.pid, signal.SIGKILL)
    assert gone([killed], 2.0)
    assert control.is_running(run)
    resume_experiment(record)
    progress = at_its_end(record)
    assert progress.ended is not None
    assert progress.ended.verdict == "complete", progress.ended
    assert progress.done[3].ended.verdict == "good"
    assert progress.records_of(0)[-1] == run.name
    assert len(list_records(runs)) == 4
    assert nothing_left(runs)


def test_an_variant_that_cannot_start_is_given_up_with_its_reason(runs: Path, tmp_path: Path) -> None:
    (tmp_path / "broken.toml").write_text(
        'title = "An app that does not load"\nstack = "gunicorn"\n'
        f'[app]\npath = "{tmp_path}"\nentry = "nowhere:application"\n'
        "[load]\nconnections = 5\nrequests = 100\nrounds = 1\n"
    )
    told = experiment(("broken",), ("gunicorn-sync", *SHORT), runs_each=3, profiles=tmp_path)
    progress = at_its_end(launch_experiment(told, runs, trust=True))
    assert progress.ended is not None
    assert progress.ended.verdict == "failed"
    assert progress.ended.reason is not None
    assert progress.ended.reason.startswith("broken 0: ")
    assert "nowhere" in progress.ended.reason
    assert [(each.run.variant, each.good) for each in progress.done] == [
        (0, False), (1, True), (1, True), (0, False),
    ]  # fmt: skip
    assert progress.given_up(0)
    assert nothing_left(runs)


def test_a_start_waits_for_another_run_on_the_machine(runs: Path, tmp_path: Path) -> None:
    others = Command(tmp_path / "others")
    other = others.start("gunicorn-sync", *(word for each in LONG for word in ("--set", each)))
    others.wait_for(lambda state: state.in_round)
    told = experiment(("gunicorn-sync", *LONG), ("gunicorn-gthread", *LONG), concurrent=False)
    record = launch_experiment(told, runs)
    progress = wait_for(record, lambda progress: progress.taken_by)
    assert progress.taken_by is not None
    assert progress.taken_by.startswith("the run of gunicorn-sync by ")
    assert list_records(runs) == []
    other.send_signal(signal.SIGINT)
    other.communicate(timeout=20)
    measuring(record)
    assert read_progress(record).taken_by is None
    request_stop(record)
    at_its_end(record, 15)
    assert nothing_left(runs)


def test_a_start_that_another_run_forestalls_is_made_again(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The machine was free when it was looked at, and taken when the runner came."""
    others = Command(tmp_path / "others")
    other = others.start("gunicorn-sync", *(word for each in LONG for word in ("--set", each)))
    others.wait_for(lambda state: state.in_round)
    monkeypatch.setattr("tui.run.launch.holder", lambda: None)
    told = experiment(("gunicorn-sync", *LONG), ("gunicorn-gthread", *LONG), concurrent=False)
    record = create_experiment(runs, told)
    runner = ExperimentRunner(record)
    by = runner._try(next(told.order()))
    other.send_signal(signal.SIGINT)
    other.communicate(timeout=20)
    assert by is not None and by.startswith("the run of gunicorn-sync by ")
    progress = read_progress(record)
    assert (progress.done, progress.remaining[0].number) == ([], 1)
    assert list_records(runs) == []
    assert nothing_left(runs)


def test_a_stop_right_at_the_begin_is_not_lost(runs: Path) -> None:
    record = launch_experiment(experiment(("gunicorn-sync", *LONG), ("gunicorn-gthread", *LONG)), runs)
    request_stop(record)
    progress = at_its_end(record, 20)
    assert progress.ended is not None
    assert progress.ended.verdict == "stopped"
    assert nothing_left(runs)
