"""Stands for the process of an experiment: what it would write down is written by a test."""

from __future__ import annotations

from pathlib import Path

from tests.support import recorded_runs as runs
from tests.support.kept_runs import keep, named
from tui.experiment.plan import Experiment, Variant
from tui.experiment.progress import (
    ExperimentBegan,
    ExperimentEnded,
    ProgressEvent,
    ProgressWriter,
    VariantRunBegan,
    VariantRunEnded,
)
from tui.experiment.record import ExperimentRecord, create_experiment
from tui.record.record import Record

BOTH = ("gunicorn-sync", "gunicorn-preload")


class Experiments:
    """The experiments that were launched, and which of them are running."""

    def __init__(self) -> None:
        self.launched: list[Experiment] = []
        self.going_on: set[ExperimentRecord] = set()
        self.stopped: list[ExperimentRecord] = []

    def launch(self, experiment: Experiment, runs: Path | None = None) -> ExperimentRecord:
        assert runs is not None
        self.launched.append(experiment)
        record = create_experiment(runs, experiment)
        self.note(record, ExperimentBegan(wall=1.0, expected=(10.0,) * len(experiment.variants)))
        self.going_on.add(record)
        return record

    def is_running(self, record: ExperimentRecord) -> bool:
        return record in self.going_on

    def request_stop(self, record: ExperimentRecord) -> None:
        self.stopped.append(record)
        self.end(record, "stopped", "it was asked to stop")

    def note(self, record: ExperimentRecord, event: ProgressEvent) -> None:
        writer = ProgressWriter(record)
        writer.write(event)
        writer.close()

    def begin(self, record: ExperimentRecord, number: int, profile: str) -> Record:
        """A run under way."""
        run = keep(
            record.runs / f"run-{number}", named(runs.running(), profile, profile), summary=False, alive=True
        )
        self.note(record, VariantRunBegan(number=number, record=run.name))
        return run

    def whole(self, record: ExperimentRecord, number: int, profile: str) -> Record:
        """A run that is done."""
        run = keep(record.runs / f"whole-{number}", named(runs.finished(), profile, profile))
        self.note(record, VariantRunBegan(number=number, record=run.name))
        self.note(record, VariantRunEnded(number=number, record=run.name, verdict="good", seconds=10.0))
        return run

    def end(self, record: ExperimentRecord, verdict: str = "complete", reason: str | None = None) -> None:
        self.note(record, ExperimentEnded.model_validate({"verdict": verdict, "reason": reason}))
        self.going_on.discard(record)


def a_comparison(experiments: Experiments, folder: Path, *, whole: int = 4) -> ExperimentRecord:
    """An experiment of two profiles with two runs each that is running, with this many runs done."""
    variants = tuple(Variant(label=name, profile=name) for name in BOTH)
    record = experiments.launch(
        Experiment(kind="comparison", title="both", variants=variants, runs_each=2), folder
    )
    for number, name in list(zip((1, 2, 3, 4), (*BOTH, *reversed(BOTH)), strict=True))[:whole]:
        experiments.whole(record, number, name)
    return record
