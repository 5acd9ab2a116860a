"""Carries out an experiment: one run after another, each a complete run with its own record.

This process doesn't measure, and doesn't read what a run records until the run ends: it only checks a few times a
second whether the runner is alive. When this process is killed, the active run still runs to its end, as every run
does; nothing else is started, and ``resume`` counts that run.
"""

from __future__ import annotations

import contextlib
import signal
import time
import traceback
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Literal

from tui.experiment.plan import PlannedRun
from tui.experiment.progress import (
    ExperimentEnded,
    ExperimentResumed,
    MachineTaken,
    ProgressEvent,
    ProgressWriter,
    VariantRunBegan,
    VariantRunEnded,
    read_progress,
)
from tui.experiment.record import ExperimentRecord
from tui.record.control import is_running, request_stop
from tui.record.events import Event, RunEnded
from tui.record.record import Record, handed_over, last_event
from tui.run.launch import MachineBusy, launch
from tui.run.launched import read_launch
from tui.system.errors import UserError

STOPS = (signal.SIGINT, signal.SIGTERM)
"""Signals that ask an experiment to stop."""
PERIOD = 0.2
"""Seconds between two checks whether a run is still running."""
PATIENCE = 60.0
"""Seconds that another run may hold the machine before the experiment fails."""
DISMANTLED = 10.0
"""Seconds that a supervisor may take to stop the stack of a runner that died."""


class _Over(Exception):
    """Nothing more may be started."""

    def __init__(self, verdict: Literal["stopped", "failed"], reason: str) -> None:
        super().__init__(reason)
        self.ended = ExperimentEnded(verdict=verdict, reason=reason)


class ExperimentRunner:
    """One experiment, from its progress so far to its end."""

    def __init__(self, record: ExperimentRecord) -> None:
        self._record = record
        self._progress = read_progress(record)
        self._experiment = self._progress.experiment
        self._writer = ProgressWriter(record)
        self._stop = False

    def run(self) -> None:
        """Do everything that is left. However it ends, the last event says how."""
        for number in STOPS:
            signal.signal(number, self._asked_to_stop)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
        try:
            self._adopt()
            while self._progress.remaining:
                self._go_on_or_end()
                self._make(self._progress.remaining[0])
            self._note(ExperimentEnded(verdict="complete"))
        except _Over as over:
            self._note(over.ended)
        except Exception as error:
            traceback.print_exc()
            reason = f"a fault of stackdyno: {error!r}; see {self._record.errors_path}"
            self._note(ExperimentEnded(verdict="failed", reason=reason))
        self._writer.close()

    def _asked_to_stop(self, number: int, frame: FrameType | None) -> None:
        self._stop = True

    def _note(self, event: ProgressEvent) -> None:
        self._progress.apply(event)
        self._writer.write(event)

    def _go_on_or_end(self) -> None:
        if self._stop:
            raise _Over("stopped", "it was asked to stop")
        if self._progress.lost is not None:
            raise _Over("failed", self._progress.lost)

    def _adopt(self) -> None:
        """Take over the run that was active at an interruption: it counts if it is complete or becomes complete."""
        before, current = self._progress, self._progress.current
        if before.done or current or before.ended:
            self._note(ExperimentResumed(wall=time.time()))
        if current is None:
            return
        planned, name = current
        run = Record(self._record.runs / name)
        ended = last_event(run)
        if is_running(run) or (isinstance(ended, RunEnded) and ended.verdict != "stopped"):
            self._note(VariantRunBegan(number=planned.number, record=name))
            self._follow(planned, run, None)

    def _make(self, planned: PlannedRun) -> None:
        """Make one fresh run and wait for its end. If another run holds the machine, wait for that first."""
        deadline = time.monotonic() + PATIENCE
        while (by := self._try(planned)) is not None:
            if time.monotonic() > deadline:
                reason = f"{by} has held the machine for {PATIENCE:.0f} s"
                raise _Over("failed", f"{reason}; resume when it has ended")
            if self._progress.taken_by != by:
                self._note(MachineTaken(by=by))
            time.sleep(1.0)
            self._go_on_or_end()

    def _try(self, planned: PlannedRun) -> str | None:
        """Make a run. Returns who holds the machine if that prevented it."""
        began = time.monotonic()
        try:
            run = self._launch(planned)
        except MachineBusy as busy:
            return busy.by
        except UserError as error:
            reason = "; ".join(str(error).splitlines())
            self._note(VariantRunEnded(number=planned.number, record=None, verdict="failed", reason=reason))
            return None
        return self._follow(planned, run, began)

    def _launch(self, planned: PlannedRun) -> Record:
        experiment, variant = self._experiment, self._experiment.variants[planned.variant]
        return launch(
            variant.profile,
            profiles=experiment.profiles,
            runs=self._record.runs,
            overrides=variant.overrides,
            concurrent=experiment.concurrent,
            allow=(*experiment.allow, *variant.allow),
            announce=lambda run: self._note(VariantRunBegan(number=planned.number, record=run.name)),
        )

    def _follow(self, planned: PlannedRun, run: Record, began: float | None) -> str | None:
        """Wait for a run to end and note how it ended; stop it when the experiment is stopped.

        Returns who held the machine if another run was quicker: then nothing was started, and nothing is noted.
        """
        asked = False
        lost: Event | None = None
        while is_running(run):
            lost = handed_over(run) or lost
            if self._stop and not asked:
                with contextlib.suppress(UserError):  # it has ended, or doesn't answer yet
                    request_stop(run)
                    asked = True
            time.sleep(PERIOD)
        ended = last_event(run)
        seconds = None if began is None else time.monotonic() - began
        note = partial(VariantRunEnded, number=planned.number, record=run.name, seconds=seconds)
        if isinstance(ended, RunEnded) and ended.busy is not None:
            return ended.busy
        if isinstance(ended, RunEnded):
            self._note(note(verdict=ended.verdict, reason=ended.reason))
            if ended.verdict == "stopped":
                raise _Over("stopped", "it was asked to stop" if self._stop else f"{run.name} was stopped")
        elif isinstance(lost, RunEnded):
            reason = f"its record can't be written any more, so it isn't kept that it was {lost.verdict}"
            self._note(note(verdict="failed", reason=reason))
        else:
            _wait_until_gone(read_launch(run).plan.runtime)
            self._note(note(verdict="cut off", reason="its runner died; see logs/runner.err in its record"))
        return None


def _wait_until_gone(runtime: Path) -> None:
    """Wait for the supervisor: it stops what the runner left, and removes the runtime folder last."""
    deadline = time.monotonic() + DISMANTLED
    while runtime.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
