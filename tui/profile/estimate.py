"""How long a round and a run will take, by their profile: for progress bars and lists, never for results."""

from tui.profile.models import Load

OVERHEAD = 2.5
"""Seconds that starting, settling, stopping and checking usually take."""


def round_seconds(load: Load, *, seen_rate: float | None = None) -> float | None:
    """Seconds of one round.

    For a number of requests, the planned rate decides, else ``seen_rate`` (requests/s of the warm-up); None if neither
    is known.
    """
    if load.requests is None:
        return load.duration
    rate = load.rate or seen_rate
    return load.requests / rate if rate else None


def run_seconds(load: Load) -> float | None:
    """Seconds of a whole run; None if only a number of requests is given."""
    seconds = round_seconds(load)
    return None if seconds is None else OVERHEAD + load.warmup + load.rounds * seconds
