"""What an experiment has done so far: one event a line in ``progress.jsonl``, and their fold.

As with a run, everything that is shown or decided is a view of the fold: which start is next, which are given up,
and which runs a comparison is made of.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from tui.experiment.plan import Experiment, Start
from tui.experiment.record import ExperimentRecord
from tui.record.events import EventPart
from tui.record.jsonlines import LineReader, LineWriter
from tui.record.record import Record
from tui.system.errors import UserError

HOPELESS = 2
"""An entrant whose first starts failed so many times isn't tried again."""

StartVerdict = Literal["good", "stopped", "failed", "cut off"]
"""How a start's run ended; "cut off" when its runner died."""


class ExperimentBegan(EventPart):
    """The first line."""

    type: Literal["campaign-began"] = "campaign-began"
    wall: float
    """Seconds since the epoch."""
    expected: tuple[float | None, ...]
    """Seconds that a start of each entrant should take by its profile; None where only the requests are given."""


class ExperimentResumed(EventPart):
    """A new process goes on with it, after it was stopped, interrupted, or failed."""

    type: Literal["campaign-resumed"] = "campaign-resumed"
    wall: float


class MachineTaken(EventPart):
    """Another run holds the machine, and the next start waits for its end."""

    type: Literal["machine-taken"] = "machine-taken"
    by: str


class StartBegan(EventPart):
    """A start's run has its record; its runner is about to be started."""

    type: Literal["start-began"] = "start-began"
    number: int
    record: str
    """The name of its run's record."""


class StartEnded(EventPart):
    type: Literal["start-ended"] = "start-ended"
    number: int
    record: str | None
    """None when there was no run: the reason says why."""
    verdict: StartVerdict
    reason: str | None = None
    seconds: float | None = None
    """From asking for it to its end; None when it wasn't watched from its begin."""


class ExperimentEnded(EventPart):
    """The last line, unless it is resumed. "complete" when every start is done or given up."""

    type: Literal["campaign-ended"] = "campaign-ended"
    verdict: Literal["complete", "stopped", "failed"]
    reason: str | None = None


ProgressEvent = ExperimentBegan | ExperimentResumed | MachineTaken | StartBegan | StartEnded | ExperimentEnded
_EVENT: TypeAdapter[ProgressEvent] = TypeAdapter(Annotated[ProgressEvent, Field(discriminator="type")])


@dataclass(frozen=True, slots=True)
class Done:
    """A start that isn't repeated, and how it ended."""

    start: Start
    ended: StartEnded

    @property
    def good(self) -> bool:
        return self.ended.verdict == "good"


@dataclass(slots=True)
class Progress:
    """Everything known about one experiment so far."""

    experiment: Experiment
    done: list[Done] = field(default_factory=list)
    """In the order in which they ended. A start that a person stopped isn't among them."""
    current: tuple[Start, str] | None = None
    """The start under way and the name of its run's record."""
    taken_by: str | None = None
    """Another run that the next start waits for, in words."""
    ended: ExperimentEnded | None = None
    expected: tuple[float | None, ...] = ()
    """Seconds of a start of each entrant, by its profile."""

    def apply(self, event: ProgressEvent) -> None:
        """Fold one event in."""
        self.taken_by = event.by if isinstance(event, MachineTaken) else None
        match event:
            case ExperimentBegan():
                self.expected = event.expected
            case ExperimentResumed():
                self.ended, self.current = None, None
            case MachineTaken():
                self.current = None
            case StartBegan():
                self.current = self._start(event.number), event.record
            case StartEnded():
                self.current = None
                if event.verdict != "stopped":
                    self.done.append(Done(self._start(event.number), event))
            case ExperimentEnded():
                self.ended = event

    def _start(self, number: int) -> Start:
        return next(start for start in self.experiment.order() if start.number == number)

    @property
    def starts(self) -> int:
        """How many there are in all."""
        return self.experiment.starts * len(self.experiment.entrants)

    @property
    def remaining(self) -> list[Start]:
        """What is left to be done, in order, the current start included; nothing of an entrant that is given up."""
        done = {each.start.number for each in self.done}
        return [
            start
            for start in self.experiment.order()
            if start.number not in done and not self.given_up(start.entrant)
        ]

    @property
    def failed(self) -> list[Done]:
        """The starts that have no result."""
        return [each for each in self.done if not each.good]

    def given_up(self, entrant: int) -> bool:
        """Whether the entrant failed in all of its first starts."""
        first = [each for each in self.done if each.start.entrant == entrant][:HOPELESS]
        return len(first) == HOPELESS and not any(each.good for each in first)

    def records_of(self, entrant: int) -> tuple[str, ...]:
        """The names of the entrant's good runs, in the order of its starts."""
        return tuple(
            each.ended.record
            for each in self.done
            if each.start.entrant == entrant and each.good and each.ended.record is not None
        )

    @property
    def lost(self) -> str | None:
        """Why nothing can come of it any more: too few entrants aren't given up. None while there are enough."""
        entrants = range(len(self.experiment.entrants))
        needed = min(2, len(entrants)) if self.experiment.kind == "comparison" else 1
        if sum(not self.given_up(each) for each in entrants) >= needed:
            return None
        first = next(each for each in self.done if not each.good and self.given_up(each.start.entrant))
        return f"{self.experiment.entrants[first.start.entrant].label}: {first.ended.reason or first.ended.verdict}"

    def seconds_left(self, elapsed: float = 0.0) -> float | None:
        """Until everything is done, as far as the starts so far, or else the profiles, tell; else None.

        ``elapsed`` are the seconds since the current start began.
        """
        if self.ended is not None:
            return 0.0
        left = self.remaining
        each = [self._seconds(start.entrant) for start in left]
        if None in each:
            return None
        seconds = sum(filter(None, each))
        if self.current is not None and each:
            seconds -= min(elapsed, each[0] or 0.0)
        return seconds

    def _seconds(self, entrant: int) -> float | None:
        """Of one start: the mean of the entrant's so far, else what its profile says, else the mean of all so far."""
        timed = [each for each in self.done if each.ended.seconds is not None and each.good]
        own = [each for each in timed if each.start.entrant == entrant]
        expected = self.expected[entrant] if entrant < len(self.expected) else None
        if not own and expected is not None:
            return expected
        chosen = [each.ended.seconds or 0.0 for each in own or timed]
        return sum(chosen) / len(chosen) if chosen else None


class ProgressWriter:
    """Appends events, after dropping a last line that was cut off when the machine went down."""

    def __init__(self, record: ExperimentRecord) -> None:
        path = record.progress_path
        if path.exists():
            content = path.read_bytes()
            os.truncate(path, content.rfind(b"\n") + 1)
        self._lines = LineWriter(path)

    def write(self, event: ProgressEvent) -> None:
        self._lines.write(event.model_dump_json().encode())

    def close(self) -> None:
        self._lines.close()


class ProgressFollower:
    """Reads the progress as ``tail -f`` would."""

    def __init__(self, record: ExperimentRecord) -> None:
        self._path = record.progress_path
        self._lines = LineReader(self._path)

    def poll(self) -> list[ProgressEvent]:
        """The events since the last call.

        Raises:
            UserError: A line is not an event of this version.
        """
        try:
            return [_EVENT.validate_json(line) for line in self._lines.poll()]
        except ValidationError as error:
            raise UserError(f"{self._path}: damaged, or of another version of stackdyno") from error


def read_progress(record: ExperimentRecord) -> Progress:
    """Fold all that is there.

    Raises:
        UserError: The experiment or its progress is damaged.
    """
    return fold(record.read(), ProgressFollower(record).poll())


def fold(experiment: Experiment, events: Iterable[ProgressEvent]) -> Progress:
    """The progress after all of ``events``."""
    progress = Progress(experiment)
    for event in events:
        progress.apply(event)
    return progress


def sides(record: ExperimentRecord, runs: Path) -> tuple[tuple[str, tuple[Record, ...]], ...]:
    """Each entrant's label with the records of its good runs, as far as they are still kept.

    Raises:
        UserError: The experiment or its progress is damaged.
    """
    progress = read_progress(record)
    return tuple(
        (
            entrant.label,
            tuple(
                Record(runs / name)
                for name in progress.records_of(index)
                if (runs / name / "events.jsonl").exists()
            ),
        )
        for index, entrant in enumerate(progress.experiment.entrants)
    )
