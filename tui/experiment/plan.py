"""What an experiment runs, and in which order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

SCHEMA_VERSION = 1

Kind = Literal["comparison", "suite"]


class Entrant(BaseModel):
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
    """What was to be an entrant, and why this machine can't run it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    label: str
    reason: str


@dataclass(frozen=True, slots=True)
class Start:
    """One fresh start of one entrant's stack."""

    number: int
    """Its place in the order, from 1."""
    entrant: int
    """Its entrant's index."""
    nth: int
    """Which start of that entrant it is, from 1."""


class Experiment(BaseModel):
    """A settled list of starts."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: int = SCHEMA_VERSION
    kind: Kind
    title: str
    entrants: tuple[Entrant, ...]
    starts: int
    """Starts of each entrant."""
    primary: str = "rate"
    """The quantity that the comparison is about."""
    profiles: Path | None = None
    """A folder that is searched for profiles before the usual ones."""
    allow: tuple[str, ...] = ()
    """Codes of findings that make nothing invalid."""
    beside: bool = False
    suite: Path | None = None
    """The suite's file."""
    left_out: tuple[LeftOut, ...] = ()
    """Entrants of the suite that aren't run."""

    def order(self) -> Iterator[Start]:
        """A B B A A B ...: every second pass goes backwards, so that a drift of the machine falls on all alike."""
        number = 0
        for nth in range(1, self.starts + 1):
            indices = range(len(self.entrants))
            for entrant in indices if nth % 2 else reversed(indices):
                number += 1
                yield Start(number, entrant, nth)
