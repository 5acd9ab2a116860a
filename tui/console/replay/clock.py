"""The clock of a replay: which moment of the run is shown, and where a key jumps to.

Pure: it knows neither Textual nor a clock of the machine. ``wall`` is seconds on any clock that only goes forward;
positions are seconds since the run's start.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tui.system.errors import UserError

SPEEDS = (1, 2, 4, 8, 16, 32, 64)
GRACE = 1.0
"""Wall seconds. While playing, a step back soon after a place goes to the one before it."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Where the replay is, how fast it plays, and whether it does."""

    length: float
    """Seconds of the run."""
    since: float
    """The wall moment at which it was at ``start``."""
    start: float = 0.0
    speed: int = 1
    playing: bool = True

    def at(self, wall: float) -> float:
        """The position at a wall moment; it stays at the end."""
        moved = (wall - self.since) * self.speed if self.playing else 0.0
        return min(self.length, self.start + moved)

    def is_playing(self, wall: float) -> bool:
        """Whether time passes."""
        return self.playing and self.at(wall) < self.length

    def toggled(self, wall: float) -> Clock:
        """Pause or play; at the end, play from the start."""
        at = self.at(wall)
        if at >= self.length:
            return replace(self, since=wall, start=0.0, playing=True)
        return replace(self, since=wall, start=at, playing=not self.playing)

    def paused(self, wall: float) -> Clock:
        return replace(self, since=wall, start=self.at(wall), playing=False)

    def moved_to(self, wall: float, position: float) -> Clock:
        """At another position, within the run."""
        return replace(self, since=wall, start=max(0.0, min(self.length, position)))

    def moved_by(self, wall: float, seconds: float) -> Clock:
        return self.moved_to(wall, self.at(wall) + seconds)

    def faster(self, wall: float, by: int) -> Clock:
        """So many speeds up, or down if negative."""
        index = max(0, min(len(SPEEDS) - 1, SPEEDS.index(self.speed) + by))
        return replace(self, since=wall, start=self.at(wall), speed=SPEEDS[index])

    def following(self, wall: float, places: Sequence[float]) -> float | None:
        """The first of the places, in order of time, that is later than now."""
        at = self.at(wall)
        return next((place for place in places if place > at), None)

    def preceding(self, wall: float, places: Sequence[float]) -> float | None:
        """The last of the places that is earlier than now."""
        grace = GRACE * self.speed if self.is_playing(wall) else 0.0
        at = self.at(wall) - grace
        return next((place for place in reversed(places) if place < at), None)


_TIME = re.compile(r"(?:(?:(\d+):)?(\d+):)?(\d+(?:\.\d*)?|\.\d+)")
EXAMPLES = "12.5, 1:05 or round 2"


def read_time(text: str, places: Sequence[tuple[str, float]], length: float) -> float:
    """The position that a person means by ``12.5``, ``1:05``, ``1:02:05`` or the name of a place such as ``round 2``.

    Args:
        text: What was typed.
        places: The names and positions of places.
        length: Seconds of the run.

    Raises:
        UserError: It is no time and no place, or later than the end.
    """
    wanted = " ".join(text.casefold().split())
    if found := _TIME.fullmatch(wanted.removesuffix("s").rstrip()):
        hours, minutes, seconds = found.groups()
        position = int(hours or 0) * 3600 + int(minutes or 0) * 60 + float(seconds)
        if position > length:
            raise UserError(f"{text.strip()}: the run ends at {time_of(length)}")
        return position
    named = [position for name, position in places if name == wanted]
    named = named or [position for name, position in places if wanted and name.startswith(wanted)]
    if not named:
        known = ", ".join(name for name, _ in places)
        raise UserError(f'"{text.strip()}" is no time; type {EXAMPLES}' + (f" ({known})" if known else ""))
    return named[0]


def time_of(seconds: float) -> str:
    """``0:07.3``, ``12:05.0``, ``1:02:05.0``."""
    tenths = int(seconds * 10 + 1e-6)
    minutes, rest = divmod(tenths, 600)
    hours, minutes = divmod(minutes, 60)
    head = f"{hours}:{minutes:02}" if hours else f"{minutes}"
    return f"{head}:{rest // 10:02}.{rest % 10}"
