"""What an experiment runs, and in which order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

SCHEMA_VERSION = 1

Kind = Literal["comparison", "suite"]


class Variant(BaseModel):
    """One of the things that are measured: a profile, and what of it is set otherwise."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    label: str
    profile: str
    """A profile's name, or the absolute path of its file."""
    overrides: tuple[str, ...] = ()
    """KEY=VALUE, as ``run --set`` takes them."""
    allow: tuple[str, ...] = ()
    """Codes of findings that make nothing invalid here, beside the experiment's: a trap that is shown on purpose."""


class LeftOut(BaseModel):
    """What was to be a variant, and why this machine can't run it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    label: str
    reason: str


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """One fresh run of one variant's stack."""

    number: int
    """Its place in the order, from 1."""
    variant: int
    """Its variant's index."""
    repetition: int
    """Which run of that variant it is, from 1."""


class Experiment(BaseModel):
    """A settled list of runs. Kept in ``campaign.json``, whose keys are those that it always had."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    schema_version: int = SCHEMA_VERSION
    kind: Kind
    title: str
    variants: tuple[Variant, ...] = Field(alias="entrants")
    runs_each: int = Field(alias="starts")
    """Runs of each variant."""
    primary: str = "rate"
    """The quantity that the comparison is about."""
    profiles: Path | None = None
    """A folder that is searched for profiles before the usual ones."""
    allow: tuple[str, ...] = ()
    """Codes of findings that make nothing invalid."""
    concurrent: bool = Field(False, alias="beside")
    """Start although another run is under way on this machine."""
    suite: Path | None = None
    """The suite's file."""
    left_out: tuple[LeftOut, ...] = ()
    """Variants of the suite that aren't run."""

    def order(self) -> Iterator[PlannedRun]:
        """A B B A A B ...: every second pass goes backwards, so that a drift of the machine falls on all alike."""
        number = 0
        for repetition in range(1, self.runs_each + 1):
            indices = range(len(self.variants))
            for variant in indices if repetition % 2 else reversed(indices):
                number += 1
                yield PlannedRun(number, variant, repetition)
