"""Follows a run's record in a thread: reads new events, folds them, makes frames.

The thread sleeps until the console asks for a frame. If one takes long, the requests merge, so nothing queues up, and
the event loop that handles the keys never waits for a file.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from textual.message import Message

from tui.console.on_demand import OnDemand
from tui.console.run.frame import Failure, Frame, frame_of
from tui.console.run.load_view import Settled
from tui.findings.judge import judge
from tui.record.control import is_running
from tui.record.record import Follower, Record
from tui.record.series import MOST
from tui.record.state import RunState
from tui.summary.finding import Judgement
from tui.summary.summary import verdict_sentence
from tui.system.errors import UserError

SELDOM = 1.0
"""Seconds between two checks of what rarely changes: the findings, and whether the runner is alive."""
STARTING = 10.0
"""Seconds in which a new runner must write its first event."""


@dataclass
class FrameReady(Message):
    """A new frame of the run that is followed. Only the newest counts."""

    frame: Frame

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, FrameReady)


class RunSource:
    """The frames of one run."""

    def __init__(
        self,
        record: Record,
        post: Callable[[Message], object],
        *,
        fresh: bool = False,
        is_running: Callable[[Record], bool] = is_running,
    ) -> None:
        """The thread calls ``post``; ``fresh``: the run was just launched."""
        self.record = record
        self.state = RunState(most=MOST)
        """The state folded so far. Read it only after the run has ended."""
        self.fault: str | None = None
        """Why the record can't be read any further."""
        self._post, self._is_running = post, is_running
        self._follower = Follower(record)
        self._over = False
        self._fresh_until = time.monotonic() + STARTING if fresh else 0.0
        self._running = True
        self._judged = Judgement()
        self._settled = Settled()
        self._looked = 0.0
        self._last: Frame | None = None
        self._thread = OnDemand("run-source", self._step)
        self.ask, self.close = self._thread.ask, self._thread.close
        self._thread.start()

    def _step(self) -> bool:
        try:
            frame = self._frame()
        except UserError as error:
            self.fault = str(error)
            self._over = True
            frame = self._failed(self.fault)
        if frame is not None and frame != self._last and not self._thread.closed:
            self._last = frame
            self._post(FrameReady(frame))
        return not self._over

    def _failed(self, reason: str) -> Frame:
        """For a record that can't be read any further."""
        frame = frame_of(self.state, run=self.record.name, now=self.state.now, running=False)
        status = replace(frame.status, verdict=reason, mark="invalid")
        return replace(frame, stage="failed", status=status, failure=Failure(reason, ()))

    def _frame(self) -> Frame | None:
        now = time.monotonic()
        seldom = now - self._looked >= SELDOM
        if seldom:  # checked before reading, so that the last events of an ended runner are read
            self._running = self._is_running(self.record) or (
                self.state.started is None and now < self._fresh_until
            )
        for event in self._follower.events():
            self.state.apply(event)
        state = self.state
        self._over = state.ended is not None or not self._running
        if seldom or self._over:
            self._looked = now
            self._judged = judge(state) if state.started else Judgement()
        if state.started is None and self._running:
            return None
        return frame_of(
            state,
            self._judged.findings,
            verdict_sentence(state, self._judged.invalid) if state.ended else "",
            run=self.record.name,
            now=time.time() - state.started.wall if state.started else 0.0,
            running=self._running,
            settled=self._settled,
        )
