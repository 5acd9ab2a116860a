"""One profile as the list shows it, and how long a comparison takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

State = Literal["ready", "needs", "broken"]


@dataclass(frozen=True, slots=True)
class ProfileRow:
    """One profile as the list shows it."""

    name: str
    title: str
    path: Path
    state: State
    facts: tuple[tuple[str, str], ...]
    """(label, words): stack, app, workers, load, time. Empty for a broken profile."""
    why_not: tuple[str, ...] = ()
    """What is missing ("needs nginx: apt install nginx") or wrong with its file."""
    seconds: float | None = None
    """The estimated duration of a run; None if the profile only gives the number of requests."""

    @property
    def refusal(self) -> str:
        """Why it can't be run, in one line."""
        more = f" (and {len(self.why_not) - 1} more)" if len(self.why_not) > 1 else ""
        return f"{self.name}: {self.why_not[0]}{more}" if self.why_not else ""


def runs_words(rows: Sequence[ProfileRow], runs: int) -> str:
    """``runs each, about 3 min``, to follow their number."""
    each = [row.seconds for row in rows]
    if None in each:
        return "runs each"
    seconds = runs * sum(filter(None, each))
    minutes = f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"
    return f"runs each, about {minutes}"
