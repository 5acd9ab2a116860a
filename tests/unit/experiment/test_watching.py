"""What is reported of an experiment while it runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import story
from tests.support.kept_runs import keep
from tui.experiment.plan import Experiment, Variant
from tui.experiment.progress import (
    ExperimentBegan,
    MachineTaken,
    ProgressEvent,
    ProgressWriter,
    VariantRunBegan,
    VariantRunEnded,
)
from tui.experiment.record import ExperimentRecord, create_experiment
from tui.experiment.watching import _Watch

LABELS = ("gunicorn-sync,workers=2", "gunicorn-sync,workers=4")


@pytest.fixture
def record(tmp_path: Path) -> ExperimentRecord:
    variants = tuple(Variant(label=label, profile="gunicorn-sync") for label in LABELS)
    told = create_experiment(
        tmp_path, Experiment(kind="comparison", title="t", variants=variants, runs_each=6)
    )
    note(told, ExperimentBegan(wall=1.0, expected=(10.0, 10.0)))
    return told


def note(record: ExperimentRecord, *events: ProgressEvent) -> None:
    writer = ProgressWriter(record)
    for event in events:
        writer.write(event)
    writer.close()


def good(number: int, record: str) -> VariantRunEnded:
    return VariantRunEnded(number=number, record=record, verdict="good", seconds=10.0)


def line(record: ExperimentRecord, width: int) -> str:
    watch = _Watch(record)
    watch.line.wanted = True
    watch.read()
    return watch._line(width)


def test_the_line_says_which_start_how_far_and_how_fast(record: ExperimentRecord) -> None:
    *events, last = story.run(rounds=1, ended=False)[:-2]
    keep(record.runs / "run-2", [*events, last], summary=False)
    note(record, good(1, "run-1"), VariantRunBegan(number=2, record="run-2"))
    told = line(record, 120)
    assert told.startswith("run 2 of 12  gunicorn-sync,workers=4  round 1 of 2  0 s of about 1 min 4")
    assert told.endswith("  1,000 req/s")
    narrow = line(record, 79)
    assert len(narrow) <= 79
    assert narrow.startswith("run 2 of 12  gunicorn-")
    assert "…  round 1 of 2  0 s of about" in narrow
    assert narrow.endswith("  1,000 req/s")


def test_the_line_says_who_is_waited_for(record: ExperimentRecord) -> None:
    note(record, MachineTaken(by="the run of shop by ada, pid 7"))
    assert line(record, 79) == "waiting for the run of shop by ada, pid 7  0 s of about 2 min"


def test_in_a_pipe_a_finished_start_is_a_line(
    record: ExperimentRecord, capsys: pytest.CaptureFixture[str]
) -> None:
    watch = _Watch(record)
    assert capsys.readouterr().err == f"12 runs, about 2 min, kept as\n  {record.name}\n"
    keep(record.runs / "run-1", story.run())
    failed = VariantRunEnded(number=2, record=None, verdict="failed", reason="no port is free")
    again = VariantRunEnded(number=3, record=None, verdict="failed", reason="no port is free")
    note(record, good(1, "run-1"), failed, again)
    watch.read()
    assert capsys.readouterr().err.splitlines() == [
        "run 1 of 12: gunicorn-sync,workers=2: 1,000 requests/s, p99 5.00 ms, 60.0 MB of memory, no errors",
        "run 2 of 12: gunicorn-sync,workers=4: failed: no port is free",
        "run 3 of 12: gunicorn-sync,workers=4: failed: no port is free; it won't be tried again",
    ]


def test_who_comes_later_is_told_what_is_left(
    record: ExperimentRecord, capsys: pytest.CaptureFixture[str]
) -> None:
    note(record, good(1, "run-1"), good(2, "run-2"))
    _Watch(record)
    assert capsys.readouterr().err.startswith("10 of 12 runs to go, about 1 min 40 s, kept as\n")
