"""What all events have in common."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class EventPart(BaseModel):
    """Frozen, and without unknown fields: a record of another version is noticed."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class TimedEvent(EventPart):
    """Something that happened."""

    t: float
    """Seconds since the run's start."""
