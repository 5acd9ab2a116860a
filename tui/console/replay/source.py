"""Makes a replay's frames in a thread: reads the record, shows the moment that is asked for, looks for findings.

A frame that is asked for comes first; between two of them the thread looks for the findings, a second of the run at a
time. Requests merge, so a slow frame delays only itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from textual.message import Message

from tui.console.messages import Broken
from tui.console.on_demand import OnDemand
from tui.console.replay.recording import Place, Recording, read_recording
from tui.console.run.frame import Frame
from tui.record.record import Record
from tui.system.errors import UserError


@dataclass
class Opened(Message):
    """The record was read."""

    recording: Recording


@dataclass
class NotOpened(Message):
    """The record can't be replayed; the text says why in one line."""

    reason: str


@dataclass
class Shown(Message):
    """The frame of the moment that was asked for last."""

    frame: Frame

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, Shown)


@dataclass
class FindingsFound(Message):
    """The findings found so far, in order of time."""

    places: tuple[Place, ...]
    all: bool
    """Whether the run has no others."""


class ReplaySource:
    """The frames of one recorded run."""

    def __init__(self, what: Record | Recording, post: Callable[[Message], object]) -> None:
        """The thread calls ``post``."""
        self._what, self._post = what, post
        self._recording: Recording | None = None
        self._wanted = 0.0
        self._made: float | None = None
        self._search: Iterator[Place | None] | None = None
        self._found: list[Place] = []
        self._thread = OnDemand("replay-source", self._step)
        self.close = self._thread.close
        self._thread.start()
        self._thread.ask()

    def ask(self, t: float) -> None:
        """Request the frame of this moment."""
        self._wanted = t
        if self._made != t:
            self._thread.ask()

    def _tell(self, message: Message) -> None:
        if not self._thread.closed:
            self._post(message)

    def _step(self) -> bool:
        try:
            self._work()
        except UserError as error:
            self._tell(NotOpened(str(error)))
            return False
        except Exception as error:
            self._tell(Broken(error))
            return False
        return True

    def _work(self) -> None:
        if self._recording is None:
            self._recording = self._what if isinstance(self._what, Recording) else read_recording(self._what)
            self._search = self._recording.findings()
            self._tell(Opened(self._recording))
        wanted = self._wanted
        if wanted != self._made:
            frame = self._recording.frame(wanted)
            self._made = wanted
            self._tell(Shown(frame))
        if self._search is not None:
            self._look_on(self._search)
            self._thread.ask()

    def _look_on(self, search: Iterator[Place | None]) -> None:
        """One step of the search for findings."""
        try:
            found = next(search)
        except StopIteration:
            self._search = None
        else:
            if found is None:
                return
            self._found.append(found)
        self._tell(FindingsFound(tuple(self._found), all=self._search is None))
