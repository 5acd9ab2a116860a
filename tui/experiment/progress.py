"""What an experiment has done so far: the events in ``progress.jsonl``, one per line, and their fold.

As with a run, everything shown or decided is a view of the fold: which run is next, which variants are given up, and
which runs a comparison uses.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from tui.experiment.plan import Experiment, PlannedRun
from tui.experiment.record import ExperimentRecord
from tui.record.events import EventPart
from tui.record.folders import is_kept
from tui.record.record import PROOF as RUN_PROOF
from tui.record.record import Record, VariantRuns
from tui.record.second_place import LastingReader, LastingWriter
from tui.system.errors import UserError
from tui.system.text_fields import Text

HOPELESS = 2
"""A variant is given up when this many of its first runs failed."""

RecordName = Annotated[str, Field(pattern=r"^[^/\x00]+$", max_length=255)]
"""A folder's name."""

VariantRunVerdict = Literal["good", "stopped", "failed", "cut off"]
"""How a run ended; "cut off" when its runner died."""


class ExperimentBegan(EventPart):
    """The first line."""

    type: Literal["campaign-began"] = "campaign-began"
    wall: float
    """Seconds since the epoch."""
    expected: tuple[float | None, ...]
    """Seconds that a run of each variant should take by its profile; None if only a number of requests is given."""


class ExperimentResumed(EventPart):
    """A new process continues it after it was stopped, was interrupted or failed."""

    type: Literal["campaign-resumed"] = "campaign-resumed"
    wall: float


class MachineTaken(EventPart):
    """Another run holds the machine; the next run waits for it to end."""

    type: Literal["machine-taken"] = "machine-taken"
    by: Text


class VariantRunBegan(EventPart):
    """A run has its record; its runner is about to start."""

    type: Literal["start-began"] = "start-began"
    number: int
    record: RecordName
    """The name of its record."""


class VariantRunEnded(EventPart):
    type: Literal["start-ended"] = "start-ended"
    number: int
    record: RecordName | None
    """None when no run was made: the reason says why."""
    verdict: VariantRunVerdict
    reason: Text | None = None
    seconds: float | None = None
    """From its launch to its end; None when it wasn't watched from the start."""


class ExperimentEnded(EventPart):
    """The last line, unless the experiment is resumed. "complete" when every run is done or given up."""

    type: Literal["campaign-ended"] = "campaign-ended"
    verdict: Literal["complete", "stopped", "failed"]
    reason: Text | None = None


class Moved(EventPart):
    """The experiment's folder can't be written any more, so this is written elsewhere, or nowhere."""

    type: Literal["moved"] = "moved"
    text: Text
    """What can't be written, why, and where the experiment went on."""


class LinesLost(EventPart):
    """Never written: a reader puts it in the place of a line that it can't read."""

    type: Literal["lines-lost"] = "lines-lost"


ProgressEvent = (
    LinesLost
    | Moved
    | ExperimentBegan
    | ExperimentResumed
    | MachineTaken
    | VariantRunBegan
    | VariantRunEnded
    | ExperimentEnded
)
_EVENT: TypeAdapter[ProgressEvent] = TypeAdapter(Annotated[ProgressEvent, Field(discriminator="type")])


@dataclass(frozen=True, slots=True)
class Done:
    """A run that won't be repeated, and how it ended."""

    run: PlannedRun
    ended: VariantRunEnded

    @property
    def good(self) -> bool:
        return self.ended.verdict == "good"


@dataclass(slots=True)
class Progress:
    """Everything known about one experiment so far."""

    experiment: Experiment
    done: list[Done] = field(default_factory=list)
    """In the order in which they ended, without runs that the user stopped."""
    current: tuple[PlannedRun, str] | None = None
    """The active run and the name of its record."""
    taken_by: str | None = None
    """The other run that the next run is waiting for, in words."""
    ended: ExperimentEnded | None = None
    lines: int = 0
    """Lines of ``progress.jsonl``, readable or not."""
    lost_lines: int = 0
    """Those that couldn't be read: what they said of a run is not known, so that run is not counted."""
    expected: tuple[float | None, ...] = ()
    """Seconds that a run of each variant takes by its profile."""

    def apply(self, event: ProgressEvent) -> None:
        """Fold one event in."""
        self.lines += 1
        if isinstance(event, LinesLost) or not self._is_planned(event):
            self.lost_lines += 1
            return
        if isinstance(event, Moved):
            return
        self.taken_by = event.by if isinstance(event, MachineTaken) else None
        match event:
            case ExperimentBegan():
                self.expected = event.expected
            case ExperimentResumed():
                self.ended, self.current = None, None
            case MachineTaken():
                self.current = None
            case VariantRunBegan():
                self.current = self._planned(event.number), event.record
            case VariantRunEnded():
                self.current = None
                if event.verdict != "stopped":
                    self.done.append(Done(self._planned(event.number), event))
            case ExperimentEnded():
                self.ended = event

    def _is_planned(self, event: ProgressEvent) -> bool:
        """Whether a run of which it tells is one of the experiment."""
        return not isinstance(event, VariantRunBegan | VariantRunEnded) or 1 <= event.number <= self.total

    @property
    def damage(self) -> str | None:
        """ "3 of 40 lines of progress.jsonl can't be read"; None if all could be."""
        if not self.lost_lines:
            return None
        return f"{self.lost_lines:,} of {self.lines:,} lines of progress.jsonl can't be read"

    def _planned(self, number: int) -> PlannedRun:
        return next(run for run in self.experiment.order() if run.number == number)

    @property
    def total(self) -> int:
        """How many runs there are in all."""
        return self.experiment.runs_each * len(self.experiment.variants)

    @property
    def remaining(self) -> list[PlannedRun]:
        """What is left to do, in order, including the current run but no runs of variants that are given up."""
        done = {each.run.number for each in self.done}
        return [
            run
            for run in self.experiment.order()
            if run.number not in done and not self.given_up(run.variant)
        ]

    @property
    def failed(self) -> list[Done]:
        """The runs without a result."""
        return [each for each in self.done if not each.good]

    def given_up(self, variant: int) -> bool:
        """Whether all of the variant's first runs failed."""
        first = [each for each in self.done if each.run.variant == variant][:HOPELESS]
        return len(first) == HOPELESS and not any(each.good for each in first)

    def records_of(self, variant: int) -> tuple[str, ...]:
        """The names of the variant's good runs, in the order of its runs."""
        return tuple(
            each.ended.record
            for each in self.done
            if each.run.variant == variant and each.good and each.ended.record is not None
        )

    @property
    def lost(self) -> str | None:
        """Why the experiment can't succeed any more: too few variants are left. None while there are enough."""
        variants = range(len(self.experiment.variants))
        needed = min(2, len(variants)) if self.experiment.kind == "comparison" else 1
        if sum(not self.given_up(each) for each in variants) >= needed:
            return None
        first = next(each for each in self.done if not each.good and self.given_up(each.run.variant))
        return f"{self.experiment.variants[first.run.variant].label}: {first.ended.reason or first.ended.verdict}"

    def seconds_left(self, elapsed: float = 0.0) -> float | None:
        """Seconds until everything is done, judged by the runs so far or else by the profiles; None if unknown.

        ``elapsed`` is the number of seconds since the current run began.
        """
        if self.ended is not None:
            return 0.0
        left = self.remaining
        each = [self._seconds(run.variant) for run in left]
        if None in each:
            return None
        seconds = sum(filter(None, each))
        if self.current is not None and each:
            seconds -= min(elapsed, each[0] or 0.0)
        return seconds

    def _seconds(self, variant: int) -> float | None:
        """Seconds of one run: the variant's mean so far, else what its profile says, else the mean of all runs."""
        timed = [each for each in self.done if each.ended.seconds is not None and each.good]
        own = [each for each in timed if each.run.variant == variant]
        expected = self.expected[variant] if variant < len(self.expected) else None
        if not own and expected is not None:
            return expected
        chosen = [each.ended.seconds or 0.0 for each in own or timed]
        return sum(chosen) / len(chosen) if chosen else None


class ProgressWriter:
    """Appends events."""

    def __init__(self, record: ExperimentRecord) -> None:
        path = record.progress_path
        try:
            self._lines = LastingWriter(record.folder, path.name, "experiment", self._moved)
        except OSError as error:
            raise UserError(f"{path}: can't be written ({error.strerror})") from error

    def write(self, event: ProgressEvent) -> None:
        """Append an event; this never fails, since a full disk must not end a measurement."""
        self._lines.write(event.model_dump_json().encode())

    def _moved(self, code: str, text: str) -> bytes:
        return Moved(text=text).model_dump_json().encode()

    def close(self) -> None:
        """Close it; whoever follows it gets the events that couldn't be kept."""
        self._lines.close()


class ProgressFollower:
    """Reads the progress as ``tail -f`` would. A line that can't be read becomes :class:`LinesLost`."""

    def __init__(self, record: ExperimentRecord) -> None:
        self._lines = LastingReader(record.folder, record.progress_path.name)

    def poll(self) -> list[ProgressEvent]:
        """The events since the last call.

        Raises:
            UserError: The file can't be read.
        """
        return [_parsed(line) for line in self._lines.poll()]


def _parsed(line: bytes) -> ProgressEvent:
    try:
        return _EVENT.validate_json(line)
    except ValidationError:
        return LinesLost()


def read_progress(record: ExperimentRecord) -> Progress:
    """Fold every event written so far.

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


def variant_runs(record: ExperimentRecord) -> tuple[VariantRuns, ...]:
    """Each variant with the records of its good runs that still exist.

    Raises:
        UserError: The experiment or its progress is damaged.
    """
    progress = read_progress(record)
    return tuple(
        VariantRuns(
            variant.label,
            tuple(
                Record(record.runs / name)
                for name in progress.records_of(index)
                if is_kept(record.runs / name, RUN_PROOF)
            ),
        )
        for index, variant in enumerate(progress.experiment.variants)
    )
