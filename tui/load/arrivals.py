"""An open loop's schedule as the runner gives it; each load process gets its part."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from tui.load.wire import SchedulePart
from tui.system.errors import UserError

HIGHEST = 1_000_000  # requests per second; far beyond what a load process can send


@dataclass(frozen=True)
class Arrivals:
    """``rate`` requests per second, evenly spaced or as a Poisson process determined by ``seed``.

    Raises UserError for a rate that can't be planned.
    """

    rate: float
    kind: Literal["uniform", "poisson"] = "uniform"
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.rate <= HIGHEST:
            raise UserError(f"load: the rate must be more than 0 and at most {HIGHEST:,}, not {self.rate:g}")

    def part(self, process: int, processes: int, requests: int | None) -> SchedulePart:
        """The part of one load process. ``requests``: of all processes, or None."""
        # The rate as written: 0.1 is exactly a tenth, not the nearest binary fraction.
        numerator, denominator = Fraction(str(self.rate)).as_integer_ratio()
        return {
            "arrivals": self.kind,
            "numerator": numerator,
            "denominator": denominator,
            "seed": self.seed,
            "process": process,
            "processes": processes,
            "requests": None if requests is None else (requests - process + processes - 1) // processes,
        }
