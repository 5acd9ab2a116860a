"""Follows one experiment's progress in a thread, as a run's source does for a run."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from textual.message import Message

from tui.console.experiment.frame import ExperimentFrame, frame_of
from tui.console.on_demand import OnDemand
from tui.experiment.process import is_running
from tui.experiment.progress import Progress, ProgressFollower
from tui.experiment.record import ExperimentRecord
from tui.system.errors import UserError


@dataclass
class ExperimentProgressed(Message):
    """A new frame of the experiment that is followed. Only the newest counts."""

    frame: ExperimentFrame

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, ExperimentProgressed)


class ExperimentSource:
    """The frames of one experiment. The last one says how it ended."""

    def __init__(
        self,
        record: ExperimentRecord,
        post: Callable[[Message], object],
        *,
        is_running: Callable[[ExperimentRecord], bool] = is_running,
    ) -> None:
        """The thread calls ``post``."""
        self.record = record
        self._post, self._is_running = post, is_running
        self._follower = ProgressFollower(record)
        self._progress: Progress | None = None
        self._last: ExperimentFrame | None = None
        self._thread = OnDemand("experiment-source", self._step)
        self.ask, self.close = self._thread.ask, self._thread.close
        self._thread.start()

    def _step(self) -> bool:
        try:
            frame = self._frame()
        except UserError as error:
            frame = self._broken(str(error))
        if frame != self._last:
            self._last = frame
            self._post(ExperimentProgressed(frame))
        return frame.running

    def _frame(self) -> ExperimentFrame:
        running = self._is_running(
            self.record
        )  # checked before reading, so that the last lines of an ended process are read
        if self._progress is None:
            self._progress = Progress(self.record.read())
        for event in self._follower.poll():
            self._progress.apply(event)
        return frame_of(self.record, self._progress, running=running, elapsed=self._elapsed())

    def _elapsed(self) -> float:
        """Seconds since the last line, which began the current run, was written."""
        try:
            return max(0.0, time.time() - self.record.progress_path.stat().st_mtime)
        except OSError:
            return 0.0

    def _broken(self, fault: str) -> ExperimentFrame:
        if self._last is not None:
            return replace(self._last, running=False, run=None, fault=fault)
        return ExperimentFrame(
            name=self.record.name,
            kind=self.record.kind,
            running=False,
            run=None,
            label="",
            number=0,
            runs=0,
            done=0,
            fraction=0.0,
            seconds_left=None,
            taken_by=None,
            fault=fault,
            comparable=False,
        )
