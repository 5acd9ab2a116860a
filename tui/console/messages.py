"""Every message of the console: facts, in the past tense."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from textual.message import Message

from tui.experiment.plan import Experiment
from tui.experiment.record import ExperimentRecord
from tui.record.record import Record


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
    concurrent: bool
    """It is to run beside another run."""


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
