"""Slow work that a key must not wait for: launching, stopping, exporting, reading. One job at a time, in a thread.

A job never touches a widget; it posts its outcome. A job imports what only it needs: planning pulls in Jinja2 and more,
and the first screen would wait half a second for that.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from textual.message import Message

from tui.compare.evidence import VariantEvidence
from tui.compare.schema import Comparison
from tui.console.experiment.source import ExperimentSource
from tui.console.footprint import Launcher
from tui.console.history.rows import HistoryRow, named
from tui.console.history.screen import HistoryRead
from tui.console.messages import Broken, Done, LeftBehind, Refused
from tui.console.profiles.rows import ProfileRow
from tui.console.profiles.widgets import ProfilesRead
from tui.console.run.source import RunSource
from tui.console.session import (
    ComparisonOf,
    Event,
    Found,
    Kept,
    Launched,
    LaunchFailed,
    MachineBusy,
    OtherMachine,
    RunOf,
    StopRefused,
    Untrusted,
    Wanted,
)
from tui.experiment import process
from tui.experiment.plan import Experiment, Variant
from tui.experiment.record import ExperimentRecord, list_experiments
from tui.experiment.rows import ExperimentRow, delete_experiment, read_experiments
from tui.formats.export import export, write
from tui.record import control, lock, running
from tui.record.deletion import delete_record
from tui.record.record import Record, default_runs, list_records, read_state
from tui.summary.history import RunRow, read_history
from tui.system.errors import UserError

ENDS = 60.0
"""Seconds that a stopped run may take to end before the next one is abandoned."""


@dataclass
class Happened(Message):
    """An event for the session."""

    event: Event


class Backend:
    """The console's access to processes and folders. Tests replace it."""

    trust = False
    """Run profiles and stacks from elsewhere without asking."""

    def read_profiles(self, profiles: Path | None) -> tuple[tuple[ProfileRow, ...], int]:
        from tui.console.profiles.reading import read_profiles

        return read_profiles(profiles)

    def read_history(self, runs: Path, known: Sequence[RunRow]) -> Sequence[RunRow]:
        return read_history(runs, known)

    def holder(self) -> str | None:
        """Who is running what on this machine, in words."""
        by = lock.holder()
        return None if by is None else str(by)

    def left_behind(self) -> str | None:
        """What killed runs left behind, in one line."""
        return running.notice(running.look())

    def launch(
        self, profile: Path, profiles: Path | None, runs: Path | None, *, concurrent: bool, remote: bool
    ) -> Record:
        from tui.run.launch import launch

        return launch(
            str(profile), profiles=profiles, runs=runs, concurrent=concurrent, remote=remote, trust=self.trust
        )

    def launch_experiment(self, experiment: Experiment, runs: Path | None) -> ExperimentRecord:
        from tui.experiment.launch import launch_experiment

        return launch_experiment(experiment, runs, trust=self.trust)

    def is_running(self, record: Kept) -> bool:
        return control.is_running(record) if isinstance(record, Record) else process.is_running(record)

    def request_stop(self, record: Kept) -> None:
        if isinstance(record, Record):
            control.request_stop(record)
        else:
            process.request_stop(record)

    def follow_run(self, record: Record, post: Callable[[Message], object], *, fresh: bool) -> RunSource:
        return RunSource(record, post, fresh=fresh, is_running=self.is_running)

    def follow_experiment(
        self, record: ExperimentRecord, post: Callable[[Message], object]
    ) -> ExperimentSource:
        return ExperimentSource(record, post, is_running=self.is_running)


class Jobs:
    """The console's jobs, in the order they were requested."""

    def __init__(
        self,
        post: Callable[[Message], object],
        profiles: Path | None,
        runs: Path | None,
        backend: Backend,
    ) -> None:
        self._post, self._backend = post, backend
        self._profiles, self._runs = profiles, runs
        self._rows: tuple[HistoryRow, ...] = ()
        """The last read of the history: reopened, it doesn't read thousands of finished runs again."""
        self._launcher = Launcher()

    def be_small(self, server_cpus: Iterable[int], load_cpus: Iterable[int]) -> None:
        """Keep the console off the CPUs that are measured."""
        self._launcher.be_small(server_cpus, load_cpus)

    def close(self) -> None:
        """Accept no more jobs; the current one finishes."""
        self._launcher.close()

    def read_profiles(self) -> None:
        """Posts ProfilesRead."""
        self._do(self._read_profiles)

    def look_for_run(self) -> None:
        """Posts Found if the newest experiment or run is running."""
        self._do(self._running_now)

    def look_for_left_behind(self) -> None:
        """Posts LeftBehind if killed runs left processes behind."""
        self._do(self._left_behind)

    def launch(self, wanted: Wanted, follows: Record | None) -> None:
        """Posts Launched or LaunchFailed, or MachineBusy, OtherMachine or Untrusted if the user has to agree first.

        ``follows`` is a run that is being stopped and must have ended.
        """
        self._do(lambda: self._launch(wanted, follows))

    def stop(self, record: Kept) -> None:
        """Asks it to stop and summarise; posts StopRefused if it keeps running and doesn't respond."""
        self._do(lambda: self._stop(record))

    def export(self, record: Record, file_format: str, path: Path) -> None:
        """Posts Done."""
        self._do(lambda: Done(f"Wrote {export(record, file_format, path)}"))

    def export_comparison(
        self, comparison: Comparison, variants: Sequence[VariantEvidence], file_format: str, path: Path
    ) -> None:
        """Posts Done."""
        self._do(lambda: self._export_comparison(comparison, variants, file_format, path))

    def read_history(self, known: Sequence[HistoryRow]) -> None:
        """Posts HistoryRead; ``known`` holds the rows from the last read."""
        self._do(lambda: self._read_history(known))

    def delete(self, rows: Sequence[HistoryRow]) -> None:
        """Deletes these and posts Done, plus Refused for each one that can't be deleted."""
        self._do(lambda: self._delete(rows))

    def _do(self, job: Callable[[], Message | None]) -> None:
        self._launcher.submit(lambda: self._post_result(job))

    def _post_result(self, job: Callable[[], Message | None]) -> None:
        try:
            message = job()
        except UserError as error:
            message = Refused(str(error))
        except Exception as error:
            message = Broken(error)
        if message is not None:
            self._post(message)

    def _read_profiles(self) -> Message:
        try:
            return ProfilesRead(*self._backend.read_profiles(self._profiles))
        except UserError as error:
            self._post(Refused(str(error)))
            return ProfilesRead((), 0)

    def _running_now(self) -> Message | None:
        folder = self._runs or default_runs()
        experiment = next(iter(list_experiments(folder)), None)
        if experiment is not None and self._backend.is_running(experiment):
            return Happened(Found(experiment))
        newest = next(iter(list_records(folder)), None)
        if newest is None or not self._backend.is_running(newest):
            return None
        profile = ""
        with contextlib.suppress(UserError):  # damaged: following it says so
            started = read_state(newest).started
            profile = started.profile_name if started else ""
        return Happened(Found(newest, profile))

    def _left_behind(self) -> Message | None:
        said = self._backend.left_behind()
        return LeftBehind(said) if said else None

    def _launch(self, wanted: Wanted, follows: Record | None) -> Message:
        try:
            return Happened(self._launched(wanted, follows))
        except UserError as error:
            return Happened(LaunchFailed(str(error)))

    def _launched(self, wanted: Wanted, follows: Record | None) -> Event:
        from tui.plan.trust import NotTrusted, remember
        from tui.run.launch import AnotherMachine

        if follows is not None:
            self._wait_for_end(follows)
        if not wanted.concurrent and (other := self._backend.holder()):
            return MachineBusy(other)
        if wanted.trusted:
            remember(wanted.trusted)
        try:
            if isinstance(wanted, ComparisonOf):
                experiment = _experiment(wanted, self._profiles)
                return Launched(self._backend.launch_experiment(experiment, self._runs))
            return Launched(self._launch_run(wanted))
        except NotTrusted as refusal:
            return Untrusted(refusal.places, refusal.commands, refusal.digests)
        except AnotherMachine as refusal:
            return OtherMachine(refusal.target)

    def _launch_run(self, wanted: RunOf) -> Record:
        return self._backend.launch(
            wanted.row.path, self._profiles, self._runs, concurrent=wanted.concurrent, remote=wanted.remote
        )

    def _wait_for_end(self, run: Record) -> None:
        deadline = time.monotonic() + ENDS
        while self._backend.is_running(run):
            if time.monotonic() > deadline:
                raise UserError(f"{run.name}: it was asked to stop {ENDS:.0f} s ago and is still running")
            time.sleep(0.1)

    def _stop(self, record: Kept) -> Message | None:
        try:
            self._backend.request_stop(record)
        except UserError as error:
            if self._backend.is_running(record):
                return Happened(StopRefused(record, str(error)))
        return None  # if it has already ended, its follower sees that

    def _read_history(self, known: Sequence[HistoryRow]) -> Message:
        folder = self._runs or default_runs()
        known = known or self._rows
        try:
            runs = self._backend.read_history(folder, [row for row in known if isinstance(row, RunRow)])
            experiments = read_experiments(folder, [row for row in known if isinstance(row, ExperimentRow)])
        except UserError as error:
            return HistoryRead((), str(error))
        self._rows = tuple(sorted((*runs, *experiments), key=lambda row: row.record.name, reverse=True))
        return HistoryRead(self._rows)

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

    def _export_comparison(
        self, comparison: Comparison, variants: Sequence[VariantEvidence], file_format: str, path: Path
    ) -> Message:
        from tui.compare.formats import render

        write(render(comparison, variants, file_format), path)
        return Done(f"Wrote {path}")


def _experiment(wanted: ComparisonOf, profiles: Path | None) -> Experiment:
    return Experiment(
        kind="comparison",
        title=" against ".join(wanted.labels),
        variants=tuple(
            Variant(label=label, profile=str(row.path.absolute()))
            for label, row in zip(wanted.labels, wanted.rows, strict=True)
        ),
        runs_each=wanted.runs,
        profiles=profiles.absolute() if profiles else None,
        concurrent=wanted.concurrent,
    )
