"""What a run uses up of the machine, and what the machine goes through meanwhile."""

from __future__ import annotations

from pydantic import Field

from tui.run.event_base import EventPart


class Strain(EventPart):
    """What the machine went through over one stretch of load. What is None was not told."""

    steal: dict[int, float] = Field(default_factory=dict)
    """Share of each CPU of the run that the hypervisor gave to others."""
    swapped_in: int | None = None
    """Bytes read back from swap, compressed memory (zram) too, on the whole machine."""
    swapped_out: int | None = None
    pressure: float | None = None
    """Seconds in which some task of the machine waited for memory (PSI)."""
