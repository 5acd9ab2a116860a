"""How long a round and a run will take, by their profile: for progress bars and lists, never for a figure."""

from tui.profile.models import Load

OVERHEAD = 2.5
"""Seconds that starting, settling, stopping and checking usually take."""


def round_seconds(load: Load, *, seen_rate: float | None = None) -> float | None:
    """Seconds of one round.

    A number of requests takes as long as the planned rate says, else ``seen_rate`` (requests/s of the warm-up); None
    where neither is known.
    """
    if load.requests is None:
        return load.duration
    rate = load.rate or seen_rate
    return load.requests / rate if rate else None


def run_seconds(load: Load) -> float | None:
    """Seconds of a whole run; None where only the number of requests is given."""
    seconds = round_seconds(load)
    return None if seconds is None else OVERHEAD + load.warmup + load.rounds * seconds
