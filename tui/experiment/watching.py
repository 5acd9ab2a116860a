"""Following an experiment from a terminal or a pipe: progress on stderr, and signals."""

from __future__ import annotations

import contextlib
import json
import sys
import time
from pathlib import Path

from tui.experiment.plan import PlannedRun
from tui.experiment.process import is_running, process_pid, request_stop
from tui.experiment.progress import (
    MachineTaken,
    Moved,
    Progress,
    ProgressEvent,
    ProgressFollower,
    VariantRunEnded,
)
from tui.experiment.record import ExperimentRecord
from tui.formats.progress import ProgressLine, progress_line
from tui.record.held_up import HeldUp
from tui.record.record import Follower, Record
from tui.record.second_place import find_place
from tui.record.series import MOST
from tui.record.state import RunState
from tui.summary import units
from tui.system.errors import UserError
from tui.system.regularfiles import read_regular
from tui.system.signals import StopSignals
from tui.system.text import printable

PERIOD = 0.2
"""Seconds between two looks."""
_LABEL = 8
"""Characters of a label that a narrow terminal still shows."""


def watch_experiment(record: ExperimentRecord, signals: StopSignals) -> Progress | None:
    """Follow an experiment until its process ends; None if a SIGHUP let go of it, or it is held up.

    SIGINT and SIGTERM ask it to stop; it then stops and summarises its current run. A terminal gets one line of
    progress, a pipe one line for each finished run; both get a line for each failure.

    Raises:
        UserError: Its progress is damaged.
    """
    watch = _Watch(record)
    asked = False
    held_up: HeldUp | None = None
    while True:
        alive = is_running(record)  # asked before reading: everything that a dead process wrote is then read
        watch.read()
        if not alive or signals.let_go:
            watch.line.clear()
            return None if alive else watch.progress
        if signals.stop and not asked:
            asked = True
            watch.stopping = True
            with contextlib.suppress(UserError):  # it is just ending
                request_stop(record)
            held_up = HeldUp(process_pid(record) or 0)
        if held_up is not None and (why := held_up.look()):
            watch.line.clear()
            said = f"{record.name}: left it running, since {why}; it was asked to stop and does so once that continues"
            print(printable(f"stackdyno: {said}"), file=sys.stderr, flush=True)
            return None
        watch.show()
        time.sleep(PERIOD)


def _whole(seconds: float) -> str:
    """Whole seconds: what changes every second needs no more."""
    return f"{seconds:.0f} s" if seconds < 59.5 else units.duration(float(round(seconds)))


class _Watch:
    def __init__(self, record: ExperimentRecord) -> None:
        self._record = record
        self._follower = ProgressFollower(record)
        self._run: Follower | None = None
        self._run_state = RunState(most=MOST)
        self._began = time.monotonic()
        self.progress = Progress(record.read())
        self.line = ProgressLine()
        self.stopping = False
        for event in self._follower.poll():
            self.progress.apply(event)
        self._follow_run()
        self._say(f"{self._standing()}, kept as\n  {record.name}")

    def _standing(self) -> str:
        """ "12 runs, about 2 min" at first, later what is left: "7 of 12 runs to go, about 70 s"."""
        left, total = len(self.progress.remaining), self.progress.total
        words = f"{total} runs" if left == total else f"{left} of {total} runs to go"
        seconds = self.progress.seconds_left()
        return words if seconds is None else f"{words}, about {_whole(seconds)}"

    def read(self) -> None:
        """Read what has happened since the last call, and report what is worth a line."""
        for event in self._follower.poll():
            before = self.progress.current
            self.progress.apply(event)
            self._report(event)
            if isinstance(event, VariantRunEnded) and event.record is not None:
                self._report_place(self._record.runs / event.record)
            if self.progress.current != before:
                self._follow_run()
        if self.line.wanted and self._run is not None:
            for each in self._run.events():
                self._run_state.apply(each)

    def _follow_run(self) -> None:
        self._run, self._run_state = None, RunState(most=MOST)
        if self.progress.current is not None:
            self._run = Follower(Record(self._record.runs / self.progress.current[1]))

    def _report(self, event: ProgressEvent) -> None:
        match event:
            case Moved():
                self._say(event.text)
            case MachineTaken():
                self._say(f"{event.by} is active; waiting for it to end")
            case VariantRunEnded(verdict="good"):
                if not self.line.wanted:
                    self._say(f"{self._place(event.number)}: {self._sentence(event)}")
            case VariantRunEnded(verdict="failed" | "cut off"):
                ended = event.verdict if event.reason is None else f"{event.verdict}: {event.reason}"
                given_up = self.progress.given_up(self._planned(event.number).variant)
                more = "; it won't be tried again" if given_up else ""
                self._say(f"{self._place(event.number)}: {ended}{more}")

    def _report_place(self, run: Path) -> None:
        if (place := find_place(run)) is not None:
            self._say(f"{run}: could not be written any more; the run went on in {place}")

    def _say(self, text: str) -> None:
        self.line.clear()
        print(printable(text), file=sys.stderr, flush=True)

    def _sentence(self, event: VariantRunEnded) -> str:
        """The run's summary as one sentence."""
        try:
            run = self._record.runs / str(event.record)
            summary = json.loads(read_regular(Record(find_place(run) or run).summary_path))
            return str(summary["sentence"]).removesuffix(".")
        except (OSError, ValueError, KeyError, TypeError):
            return event.verdict

    def _planned(self, number: int) -> PlannedRun:
        return next(run for run in self.progress.experiment.order() if run.number == number)

    def _label(self, run: PlannedRun) -> str:
        return self.progress.experiment.variants[run.variant].label

    def _place(self, number: int) -> str:
        return f"run {number} of {self.progress.total}: {self._label(self._planned(number))}"

    def show(self) -> None:
        """Draw the progress line."""
        self.line.show(self._line)

    def _line(self, width: int) -> str:
        """ "run 5 of 12  A  round 2 of 3  41 s of about 3 min 10 s  1,980 req/s", the label cut to fit."""
        progress, elapsed = self.progress, time.monotonic() - self._began
        times = _whole(elapsed)
        if (left := progress.seconds_left(self._run_state.now)) is not None:
            times += f" of about {_whole(elapsed + left)}"
        stopping = "Stopping  " if self.stopping else ""
        if progress.current is None:
            doing = f"waiting for {progress.taken_by}" if progress.taken_by else "starting"
            return f"{stopping}{doing}  {times}"[:width]
        run = progress.current[0]
        head = f"{stopping}run {run.number} of {progress.total}  "
        tail = "  " + progress_line(self._run_state, times)
        label, room = self._label(run), max(_LABEL, width - len(head) - len(tail))
        if len(label) > room:
            label = f"{label[: room - 1]}…"
        return f"{head}{label}{tail}"[:width]
