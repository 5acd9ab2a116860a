"""The messages that no room of the console owns: how a job ended."""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message


@dataclass
class Done(Message):
    """Something that was asked for is done, in one line."""

    what: str


@dataclass
class Refused(Message):
    """Something that was asked for can't be done, and why, in one line."""

    reason: str


@dataclass
class Broken(Message):
    """A job ended with an error that is a fault of ours."""

    error: Exception
