"""What takes longer than a key may: launching, stopping, exporting, reading the profiles. One at a time, in a thread.

A job never touches a widget; it posts what came of it. What only a job needs is imported by it: planning brings Jinja2
and more, half a second that the first picture doesn't have to wait for.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from textual.message import Message

from tui.compare.evidence import VariantEvidence
from tui.compare.schema import Comparison
from tui.console.footprint import Launcher
from tui.console.history.rows import HistoryRow, named
from tui.console.history.screen import HistoryRead
from tui.console.messages import (
    Broken,
    Done,
    ExperimentFound,
    ExperimentHeldUp,
    ExperimentLaunched,
    MachineTaken,
    OtherMachineMeant,
    Refused,
    RunFound,
    RunLaunched,
)
from tui.console.profiles.widgets import ProfilesRead
from tui.experiment.plan import Experiment
from tui.experiment.process import is_running as experiment_is_running
from tui.experiment.process import request_stop as request_experiment_stop
from tui.experiment.record import ExperimentRecord, list_experiments
from tui.experiment.rows import ExperimentRow, delete_experiment, read_experiments
from tui.formats.export import export, write
from tui.record.control import is_running, request_stop
from tui.record.deletion import delete_record
from tui.record.record import Record, default_runs, list_records, read_state
from tui.summary.history import RunRow, read_history
from tui.system.errors import UserError

ENDS = 60.0
"""Seconds that a stopped run may take until the next one is given up."""


class Jobs:
    """The jobs of a console, in the order in which they were asked for."""

    def __init__(self, post: Callable[[Message], object], profiles: Path | None, runs: Path | None) -> None:
        self._post = post
        self._profiles, self._runs = profiles, runs
        self._launcher = Launcher()

    def be_small(self, server_cpus: Iterable[int], load_cpus: Iterable[int]) -> None:
        """Keep the console off the CPUs that are measured."""
        self._launcher.be_small(server_cpus, load_cpus)

    def close(self) -> None:
        """Take no more jobs; the one at work ends."""
        self._launcher.close()

    def read_profiles(self) -> None:
        """Posts ProfilesRead."""
        self._do(self._read_profiles)

    def look_for_run(self) -> None:
        """Posts RunFound when the newest run goes on."""
        self._do(self._running_now)

    def launch(
        self, profile: Path, after: Record | None = None, *, concurrent: bool = False, remote: bool = False
    ) -> None:
        """Posts RunLaunched, or what a yes is needed for: MachineTaken where another run goes on and it isn't to run
        ``concurrent`` that, OtherMachineMeant where the load would go to a ``remote`` machine.

        ``after`` is a run that is being stopped and must be over first.
        """
        self._do(lambda: self._launch(profile, after, concurrent=concurrent, remote=remote), launching=True)

    def launch_experiment(self, experiment: Experiment, after: Record | None = None) -> None:
        """Posts ExperimentLaunched, or ExperimentHeldUp where another run goes on and it isn't to run beside that.

        ``after`` is a run that is being stopped and must be over first.
        """
        self._do(lambda: self._launch_experiment(experiment, after), launching=True)

    def stop_experiment(self, record: ExperimentRecord) -> None:
        """Asks the experiment to stop its run and to start no other."""
        self._do(lambda: request_experiment_stop(record))

    def export_comparison(
        self, comparison: Comparison, variants: Sequence[VariantEvidence], form: str, path: Path
    ) -> None:
        """Posts Done."""
        self._do(lambda: self._export_comparison(comparison, variants, form, path))

    def stop(self, record: Record) -> None:
        """Asks the run to stop and summarise."""
        self._do(lambda: request_stop(record))

    def export(self, record: Record, form: str, path: Path) -> None:
        """Posts Done."""
        self._do(lambda: Done(f"Wrote {export(record, form, path)}"))

    def read_history(self, known: Sequence[HistoryRow]) -> None:
        """Posts HistoryRead; ``known`` are rows of the last reading."""
        self._do(lambda: self._read_history(known))

    def delete(self, rows: Sequence[HistoryRow]) -> None:
        """Deletes what is kept and posts Done, or Refused for one that can't be deleted; the others go all the same."""
        self._do(lambda: self._delete(rows))

    def _do(self, job: Callable[[], Message | None], *, launching: bool = False) -> None:
        self._launcher.submit(lambda: self._post_result(job, launching=launching))

    def _post_result(self, job: Callable[[], Message | None], *, launching: bool) -> None:
        try:
            message = job()
        except UserError as error:
            message = Refused(str(error), launching)
        except Exception as error:
            message = Broken(error)
        if message is not None:
            self._post(message)

    def _read_profiles(self) -> Message:
        from tui.console.profiles.reading import read_profiles

        try:
            return ProfilesRead(*read_profiles(self._profiles))
        except UserError as error:
            self._post(Refused(str(error)))
            return ProfilesRead((), 0)

    def _read_history(self, known: Sequence[HistoryRow]) -> Message:
        folder = self._runs or default_runs()
        try:
            runs = read_history(folder, [row for row in known if isinstance(row, RunRow)])
            experiments = read_experiments(folder, [row for row in known if isinstance(row, ExperimentRow)])
        except UserError as error:
            return HistoryRead((), str(error))
        return HistoryRead(
            tuple(sorted((*runs, *experiments), key=lambda row: row.record.name, reverse=True))
        )

    def _delete(self, rows: Sequence[HistoryRow]) -> Message | None:
        folder = self._runs or default_runs()
        deleted = []
        for row in rows:
            try:
                if isinstance(row, RunRow):
                    delete_record(row.record, folder)
                else:
                    delete_experiment(row.record, folder)
                deleted.append(row)
            except UserError as error:
                self._post(Refused(str(error)))
        return Done(f"Deleted {named(deleted)}") if deleted else None

    def _running_now(self) -> Message | None:
        experiment = next(iter(list_experiments(self._runs or default_runs())), None)
        if experiment is not None and experiment_is_running(experiment):
            return ExperimentFound(experiment)
        newest = next(iter(list_records(self._runs or default_runs())), None)
        if newest is None or not is_running(newest):
            return None
        profile = ""
        with contextlib.suppress(UserError):  # damaged: following it says so
            started = read_state(newest).started
            profile = started.profile_name if started else ""
        return RunFound(newest, profile)

    def _wait_for_end(self, run: Record) -> None:
        deadline = time.monotonic() + ENDS
        while is_running(run):
            if time.monotonic() > deadline:
                raise UserError(f"{run.name}: it was asked to stop {ENDS:.0f} s ago and still goes on")
            time.sleep(0.1)

    def _launch_experiment(self, experiment: Experiment, after: Record | None) -> Message:
        from tui.experiment import launch
        from tui.record import lock

        if after is not None:
            self._wait_for_end(after)
        if not experiment.concurrent and (other := lock.holder()):
            return ExperimentHeldUp(experiment, other)
        return ExperimentLaunched(launch.launch_experiment(experiment, self._runs))

    def _export_comparison(
        self, comparison: Comparison, variants: Sequence[VariantEvidence], form: str, path: Path
    ) -> Message:
        from tui.compare.formats import render

        write(render(comparison, variants, form), path)
        return Done(f"Wrote {path}")

    def _launch(self, profile: Path, after: Record | None, *, concurrent: bool, remote: bool) -> Message:
        from tui.record import lock
        from tui.run import launch

        if after is not None:
            self._wait_for_end(after)
        if not concurrent and (other := lock.holder()):
            return MachineTaken(profile, other)
        try:
            record = launch.launch(
                str(profile), profiles=self._profiles, runs=self._runs, concurrent=concurrent, remote=remote
            )
        except launch.AnotherMachine as refusal:
            return OtherMachineMeant(refusal.target, concurrent)
        return RunLaunched(record)
