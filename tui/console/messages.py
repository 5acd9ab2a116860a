"""Messages shared by the whole console: how a job ended, and what any screen may ask for."""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message

from tui.record.record import Record


@dataclass
class Done(Message):
    """A request has been carried out; the text is one line."""

    what: str


@dataclass
class Refused(Message):
    """A request can't be carried out; the text says why in one line."""

    reason: str


@dataclass
class LeftBehind(Message):
    """Killed runs left processes behind; the text says which in one line."""

    what: str


@dataclass
class Broken(Message):
    """A job failed because of a bug in stackdyno."""

    error: Exception


@dataclass
class ExportAsked(Message):
    """Export a kept run."""

    record: Record
