"""The folder of one experiment, next to the records of its runs.

::

    2026-12-01_03-20-00_compare_gunicorn-sync_gunicorn-gthread/
        campaign.json     what is run, and in what order
        progress.jsonl    what has happened so far, one JSON object per line
        process.json      the process that carries it out
        process.err       what that process wrote to stderr: nothing, unless it has a fault

The runs themselves are records like any other; the progress names them.
"""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

from pydantic import ValidationError

from tui.experiment.plan import SCHEMA_VERSION, Experiment, Kind
from tui.record.folders import KeptFolder, is_kept, list_folders, named, new_folder
from tui.system.errors import UserError
from tui.system.regularfiles import read_regular
from tui.system.wholefiles import fault, write_whole

PROOF = "campaign.json"
"""The file that makes a folder an experiment's folder."""
_LONGEST = 60
"""Characters that name the variants in a folder's name."""


class ExperimentRecord(KeptFolder):
    """One experiment's folder."""

    @property
    def runs(self) -> Path:
        """The folder that holds the records of its runs, and its own folder."""
        return self.folder.parent

    @property
    def kind(self) -> Kind:
        """Taken from its name, so it is known for a damaged experiment too."""
        return "suite" if self.name[19:].startswith(_WORDS["suite"]) else "comparison"

    @property
    def experiment_path(self) -> Path:
        return self.folder / PROOF

    @property
    def progress_path(self) -> Path:
        return self.folder / "progress.jsonl"

    @property
    def process_path(self) -> Path:
        return self.folder / "process.json"

    @property
    def errors_path(self) -> Path:
        return self.folder / "process.err"

    def read(self) -> Experiment:
        """What is run.

        Raises:
            UserError: It can't be read, is damaged, or of another version.
        """
        try:
            content = read_regular(self.experiment_path)
        except OSError as error:
            raise UserError(f"{self.experiment_path}: can't be read ({error.strerror})") from error
        try:
            experiment = Experiment.model_validate_json(content)
        except ValidationError as error:
            raise UserError(f"{self.experiment_path}: damaged, or of another version of stackdyno") from error
        if experiment.schema_version != SCHEMA_VERSION:
            found = f"has schema {experiment.schema_version}, this stackdyno reads {SCHEMA_VERSION}"
            raise UserError(f"{self.experiment_path}: {found}")
        return experiment


_WORDS: dict[Kind, str] = {"comparison": "_compare_", "suite": "_suite_"}


def create_experiment(runs: Path, experiment: Experiment) -> ExperimentRecord:
    """Create a folder below ``runs`` for the experiment; its name sorts by time and says what is run.

    Raises:
        UserError: It can't be created there.
    """
    if experiment.kind == "suite":
        said = experiment.suite.stem if experiment.suite else experiment.title
    else:
        said = "_".join(variant.label for variant in experiment.variants)
    said = re.sub(r"[^A-Za-z0-9._=-]+", "-", said)[:_LONGEST].strip("-_.")
    record = ExperimentRecord(new_folder(runs, f"{_WORDS[experiment.kind].strip('_')}_{said}"))
    try:  # the folder counts as an experiment once this file is whole
        write_whole(
            record.experiment_path, experiment.model_dump_json(indent=1, by_alias=True) + "\n", private=True
        )
    except OSError as error:
        with contextlib.suppress(OSError):
            record.folder.rmdir()
        raise UserError(
            f"{runs}: can't keep a run there ({fault(error, runs)}); choose --runs DIR"
        ) from error
    return record


def list_experiments(runs: Path, kind: Kind | None = None) -> list[ExperimentRecord]:
    """The experiments below ``runs`` that we may read, newest first, including damaged ones.

    Raises:
        UserError: ``runs`` can't be read.
    """
    found = map(ExperimentRecord, list_folders(runs, PROOF))
    return [record for record in found if kind in (None, record.kind)]


def find_experiment(name: str | None, runs: Path, kind: Kind | None = None) -> ExperimentRecord:
    """Find an experiment by its folder, its name or the beginning of its name; without a name, the newest one.

    Raises:
        UserError: There is none.
    """
    if name is not None and is_kept(Path(name), PROOF):
        return ExperimentRecord(Path(name).resolve())
    words = kind or "experiment"
    experiments = list_experiments(runs, kind)
    if not experiments:
        raise UserError(f"{runs}: no {words} yet")
    found = experiments[0] if name is None else named(experiments, name)
    if found is None:
        raise UserError(f"{name}: no such {words} in {runs}; the newest is {experiments[0].name}")
    return found
