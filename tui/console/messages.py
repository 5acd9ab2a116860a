"""Every message of the console: facts, in the past tense."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from textual.message import Message

from tui.compare.evidence import SideEvidence
from tui.compare.saved import VariantRuns
from tui.compare.schema import Comparison
from tui.console.compare.experiment_view import ExperimentFrame
from tui.console.history.lines import HistoryRow
from tui.console.profiles.rows import ProfileRow
from tui.console.run.frame import Frame
from tui.experiment.plan import Experiment
from tui.experiment.record import ExperimentRecord
from tui.record.record import Record


@dataclass
class FrameReady(Message):
    """A new picture of the run that is followed. Only the newest counts."""

    frame: Frame

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, FrameReady)


@dataclass
class ProfilesRead(Message):
    """The profiles, and which one is selected at first."""

    rows: tuple[ProfileRow, ...]
    default: int


@dataclass
class ProfileSelected(Message):
    """Another profile is selected; this never disturbs a run."""

    index: int


@dataclass
class RunLaunched(Message):
    """A runner has been started and writes into this record."""

    record: Record


@dataclass
class RunFound(Message):
    """A run goes on that this console didn't start."""

    record: Record
    profile: str
    """The name of its profile; empty where its record doesn't tell."""


@dataclass
class MachineTaken(Message):
    """A run wasn't launched because another one, which isn't ours, goes on on this machine."""

    profile: Path
    by: str
    """Who runs what, in words."""


@dataclass
class OtherMachineMeant(Message):
    """A run wasn't launched because its load would go to another machine, and nobody has said yes to that."""

    target: str
    """What is on which machine, in words."""
    beside: bool
    """It is to run beside another run."""


@dataclass
class HistoryAsked(Message):
    """The kept runs are wanted."""

    known: tuple[HistoryRow, ...]
    """As they were last read."""


@dataclass
class HistoryRead(Message):
    """The kept runs and experiments, newest first, or why they can't be read."""

    rows: tuple[HistoryRow, ...]
    fault: str | None = None


@dataclass
class ExportAsked(Message):
    """A kept run is to be exported."""

    record: Record


@dataclass
class DeletionAsked(Message):
    """Kept runs and experiments are to be deleted, which nobody has agreed to yet."""

    rows: tuple[HistoryRow, ...]


@dataclass
class ProfileMarked(Message):
    """A profile is to be marked for a comparison, or unmarked."""

    index: int


@dataclass
class ExperimentLaunched(Message):
    """An experiment's process goes on on its own."""

    record: ExperimentRecord


@dataclass
class ExperimentHeldUp(Message):
    """An experiment wasn't launched because a run that isn't ours goes on on this machine."""

    experiment: Experiment
    by: str
    """Who runs what, in words."""


@dataclass
class ExperimentFound(Message):
    """An experiment goes on that this console didn't start."""

    record: ExperimentRecord


@dataclass
class ExperimentProgressed(Message):
    """A new picture of the experiment that is followed. Only the newest counts."""

    frame: ExperimentFrame

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, ExperimentProgressed)


@dataclass
class ComparisonStarted(Message):
    """The runs of a comparison are being read."""

    source: object
    """Which reading it is of: one that isn't shown any more is ignored."""
    runs: int


@dataclass
class ComparisonRead(Message):
    """The figures of a comparison."""

    source: object
    comparison: Comparison


@dataclass
class EvidenceRead(Message):
    """What the charts of a comparison show."""

    source: object
    sides: tuple[SideEvidence, ...]


@dataclass
class NotCompared(Message):
    """There is no comparison, and why, in one line."""

    source: object
    reason: str


@dataclass
class CompareAsked(Message):
    """A kept comparison, or kept runs beside each other, are to be shown."""

    what: ExperimentRecord | tuple[VariantRuns, ...]


@dataclass
class ComparisonExportAsked(Message):
    """The comparison on the screen is to be exported."""


@dataclass
class Done(Message):
    """Something that was asked for is done, in one line."""

    what: str


@dataclass
class Refused(Message):
    """Something that was asked for can't be done, and why, in one line."""

    reason: str
    launching: bool = False
    """It was a run that couldn't be started."""


@dataclass
class Broken(Message):
    """A job ended with an error that is a fault of ours."""

    error: Exception
