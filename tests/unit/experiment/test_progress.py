"""The order of runs, and what follows from how they ended."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from tests.support.failing_disk import refuse_writes
from tui.experiment.plan import Experiment, Kind, Variant
from tui.experiment.progress import (
    ExperimentBegan,
    ExperimentEnded,
    ExperimentResumed,
    MachineTaken,
    Moved,
    Progress,
    ProgressEvent,
    ProgressFollower,
    ProgressWriter,
    VariantRunBegan,
    VariantRunEnded,
    VariantRunVerdict,
    fold,
    read_progress,
    variant_runs,
)
from tui.experiment.record import create_experiment
from tui.system.errors import UserError


def experiment(labels: str = "AB", runs_each: int = 3, kind: Kind = "comparison") -> Experiment:
    variants = tuple(Variant(label=label, profile=label) for label in labels)
    return Experiment(kind=kind, title="t", variants=variants, runs_each=runs_each)


def ended(number: int, verdict: VariantRunVerdict = "good", seconds: float | None = 10.0) -> VariantRunEnded:
    reason = None if verdict == "good" else f"reason {number}"
    return VariantRunEnded(
        number=number, record=f"run-{number}", verdict=verdict, reason=reason, seconds=seconds
    )


def after(told: Experiment, *events: ProgressEvent) -> Progress:
    return fold(told, events)


def numbers(progress: Progress) -> list[int]:
    return [start.number for start in progress.remaining]


def test_every_second_pass_goes_backwards() -> None:
    order = list(experiment("ABC", runs_each=3).order())
    assert "".join("ABC"[start.variant] for start in order) == "ABCCBAABC"
    assert [start.number for start in order] == list(range(1, 10))
    assert [start.repetition for start in order] == [1, 1, 1, 2, 2, 2, 3, 3, 3]


def test_good_runs_are_their_variants() -> None:
    progress = after(experiment(), ended(1), ended(2), ended(3, "failed"), ended(4))
    assert progress.records_of(0) == ("run-1", "run-4")
    assert progress.records_of(1) == ("run-2",)
    assert [each.run.number for each in progress.failed] == [3]
    assert numbers(progress) == [5, 6]
    assert progress.total == 6


def test_a_start_under_way_is_known_with_its_record() -> None:
    progress = after(experiment(), ended(1), VariantRunBegan(number=2, record="run-2"))
    assert progress.current is not None
    start, record = progress.current
    assert (start.number, start.variant, record) == (2, 1, "run-2")
    progress.apply(ended(2))
    assert progress.current is None


def test_an_variant_that_fails_twice_at_first_is_given_up() -> None:
    progress = after(experiment("ABC"), ended(1), ended(2), ended(3, "failed"), ended(4, "failed"))
    assert progress.given_up(2)
    assert numbers(progress) == [5, 6, 7, 8]  # of A and B; run 9 would be C's
    assert progress.lost is None


@pytest.mark.parametrize("second", ["good", "failed"])
def test_a_variant_that_was_good_once_is_continued(second: VariantRunVerdict) -> None:
    first: VariantRunVerdict = "failed" if second == "good" else "good"
    progress = after(experiment(), ended(1, first), ended(4, second), ended(5, "failed"))
    assert not progress.given_up(0)


def test_with_one_variant_left_there_is_nothing_to_compare() -> None:
    progress = after(experiment(), ended(1), ended(2, "failed"), ended(3, "cut off"))
    assert progress.lost == "B: reason 2"


def test_a_suite_continues_with_what_is_left_of_it() -> None:
    progress = after(experiment(kind="suite"), ended(1), ended(2, "failed"), ended(3, "failed"))
    assert progress.lost is None
    assert numbers(progress) == [4, 5]
    for number in (4, 5):
        progress.apply(ended(number))
    assert numbers(progress) == []


def test_a_start_that_was_stopped_is_repeated_after_a_resume() -> None:
    over = ExperimentEnded(verdict="stopped", reason="it was asked to stop")
    progress = after(experiment(), ended(1), VariantRunBegan(number=2, record="x"), ended(2, "stopped"), over)
    assert progress.ended == over
    assert numbers(progress)[0] == 2
    progress.apply(ExperimentResumed(wall=1.0))
    assert progress.ended is None
    assert progress.seconds_left() == pytest.approx(50.0)


def test_a_start_that_was_cut_off_with_everything_else_is_repeated() -> None:
    progress = after(
        experiment(), ended(1), VariantRunBegan(number=2, record="lost"), ExperimentResumed(wall=1.0)
    )
    assert progress.current is None
    assert numbers(progress)[0] == 2


def test_who_holds_the_machine_is_known_until_the_start_begins() -> None:
    progress = after(experiment(), MachineTaken(by="the run of x"))
    assert progress.taken_by == "the run of x"
    progress.apply(VariantRunBegan(number=1, record="run-1"))
    assert progress.taken_by is None


def test_time_left_is_told_by_profiles_at_first_and_by_starts_later() -> None:
    progress = after(experiment(), ExperimentBegan(wall=1.0, expected=(10.0, 20.0)))
    assert progress.seconds_left() == pytest.approx(90.0)
    progress.apply(ended(1, seconds=12.0))
    assert progress.seconds_left() == pytest.approx(2 * 12.0 + 3 * 20.0)
    progress.apply(VariantRunBegan(number=2, record="run-2"))
    assert progress.seconds_left(elapsed=5.0) == pytest.approx(2 * 12.0 + 3 * 20.0 - 5.0)
    assert progress.seconds_left(elapsed=500.0) == pytest.approx(2 * 12.0 + 2 * 20.0)


def test_time_left_of_profiles_that_do_not_tell_is_unknown_until_a_start_has_ended() -> None:
    progress = after(experiment(), ExperimentBegan(wall=1.0, expected=(None, None)))
    assert progress.seconds_left() is None
    progress.apply(ended(1, seconds=12.0))
    assert progress.seconds_left() == pytest.approx(5 * 12.0)


def test_a_failed_start_says_nothing_of_the_time_that_is_left() -> None:
    progress = after(experiment(), ExperimentBegan(wall=1.0, expected=(10.0, 10.0)))
    progress.apply(ended(1, "failed", seconds=0.5))
    assert progress.seconds_left() == pytest.approx(50.0)


def test_progress_comes_back_as_it_was_written(tmp_path: Path) -> None:
    record = create_experiment(tmp_path, experiment())
    writer, follower = ProgressWriter(record), ProgressFollower(record)
    assert follower.poll() == []
    events = [
        ExperimentBegan(wall=1.0, expected=(None, 4.0)),
        VariantRunBegan(number=1, record="a"),
        ended(1),
    ]
    for event in events:
        writer.write(event)
    assert follower.poll() == events
    assert read_progress(record).records_of(0) == ("run-1",)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EROFS])
def test_progress_that_can_not_be_written_goes_on_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    record = create_experiment(tmp_path / "runs", experiment())
    writer, follower = ProgressWriter(record), ProgressFollower(record)
    writer.write(ended(1))
    assert follower.poll() == [ended(1)]
    refuse_writes(monkeypatch, tmp_path / "runs", number)
    writer.write(ended(2))
    writer.write(ended(3))
    moved, *after = follower.poll()
    assert isinstance(moved, Moved) and os.strerror(number) in moved.text
    assert str(tmp_path / "state" / "stackdyno" / "rescued") in moved.text
    assert after == [ended(2), ended(3)]
    writer.close()
    writer = ProgressWriter(record)  # as when it is resumed
    writer.write(ended(4))
    progress = read_progress(record)
    assert [each.run.number for each in progress.done] == [1, 2, 3, 4] and progress.damage is None


def test_progress_that_can_be_written_nowhere_ends_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "tmp"))
    (tmp_path / "tmp").write_text("")
    (tmp_path / "state").write_text("")
    record = create_experiment(tmp_path / "runs", experiment())
    writer = ProgressWriter(record)
    with monkeypatch.context() as full:
        refuse_writes(full, tmp_path, errno.ENOSPC)
        writer.write(ended(1))
    writer.write(ended(2))  # there is room again
    assert [each.run.number for each in read_progress(record).done] == [1, 2]


def test_a_line_that_was_cut_off_does_not_spoil_what_is_written_after_it(tmp_path: Path) -> None:
    record = create_experiment(tmp_path, experiment())
    writer = ProgressWriter(record)
    writer.write(ended(1))
    writer.close()
    with record.progress_path.open("ab") as file:
        file.write(b'{"type": "start-en')
    assert read_progress(record).records_of(0) == ("run-1",)
    writer = ProgressWriter(record)
    writer.write(ended(2))
    assert read_progress(record).records_of(1) == ("run-2",)


@pytest.mark.parametrize("line", ['{"type": "holiday"}', "\x00", ended(1000).model_dump_json()])
def test_a_damaged_line_is_skipped_and_counted(tmp_path: Path, line: str) -> None:
    record = create_experiment(tmp_path, experiment())
    record.progress_path.write_text(f"{ended(1).model_dump_json()}\n{line}\n{ended(2).model_dump_json()}\n")
    progress = read_progress(record)
    assert progress.damage == "1 of 3 lines of progress.jsonl can't be read"
    assert [each.run.number for each in progress.done] == [1, 2]


def test_a_pipe_in_place_of_the_progress_is_one_clear_line(tmp_path: Path) -> None:
    record = create_experiment(tmp_path, experiment())
    os.mkfifo(record.progress_path)
    with pytest.raises(UserError, match=r"progress\.jsonl: can't be read \(it is a named pipe, not a file\)"):
        read_progress(record)


def test_variants_are_the_good_runs_that_are_still_kept(tmp_path: Path) -> None:
    record = create_experiment(tmp_path, experiment())
    writer = ProgressWriter(record)
    for number in (1, 2, 4):
        writer.write(ended(number))
        if number != 4:
            (tmp_path / f"run-{number}").mkdir()
            (tmp_path / f"run-{number}" / "events.jsonl").touch()
    found = [(label, [run.name for run in runs]) for label, runs in variant_runs(record)]
    assert found == [("A", ["run-1"]), ("B", ["run-2"])]
