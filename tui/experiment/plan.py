"""What an experiment runs, and in what order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

SCHEMA_VERSION = 1

MOST_RUNS = 100_000
"""Of each variant; more can only be a mistake, or a damaged file."""

Kind = Literal["comparison", "suite"]


class Variant(BaseModel):
    """One of the things that are measured: a profile and the settings that override it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    label: str
    profile: str
    """A profile's name, or the absolute path of its file."""
    overrides: tuple[str, ...] = ()
    """KEY=VALUE, as ``run --set`` takes them."""
    allow: tuple[str, ...] = ()
    """Codes of findings that invalidate nothing here, besides the experiment's: a trap shown on purpose."""


class LeftOut(BaseModel):
    """A variant that this machine can't run, and why."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    label: str
    reason: str


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """One fresh run of one variant's stack."""

    number: int
    """Its position in the order, from 1."""
    variant: int
    """The index of its variant."""
    repetition: int
    """Which run of its variant it is, from 1."""


class Experiment(BaseModel):
    """A fixed list of runs. Kept in ``campaign.json``, whose keys have never changed."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    schema_version: int = SCHEMA_VERSION
    kind: Kind
    title: str
    variants: tuple[Variant, ...] = Field(alias="entrants", min_length=1)
    runs_each: int = Field(alias="starts", le=MOST_RUNS)
    """Runs of each variant."""
    primary: str = "rate"
    """The quantity that the comparison decides."""
    profiles: Path | None = None
    """A folder that is searched for profiles before the usual ones."""
    allow: tuple[str, ...] = ()
    """Codes of findings that invalidate nothing."""
    concurrent: bool = Field(False, alias="beside")
    """Start even if another run is active on this machine."""
    suite: Path | None = None
    """The suite's file."""
    left_out: tuple[LeftOut, ...] = ()
    """The suite's variants that aren't run."""

    def order(self) -> Iterator[PlannedRun]:
        """A B B A A B ...: every second pass is reversed, so that drift of the machine affects all variants alike."""
        number = 0
        for repetition in range(1, self.runs_each + 1):
            indices = range(len(self.variants))
            for variant in indices if repetition % 2 else reversed(indices):
                number += 1
                yield PlannedRun(number, variant, repetition)
