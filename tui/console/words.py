"""Numbers and facts in words, shared by several parts of the console."""

from __future__ import annotations

from tui.profile.models import Load
from tui.record.events import LoadFacts
from tui.summary import units


def time_words(seconds: float) -> str:
    """A planned time as one would write it: ``2 s``, ``500 ms``, ``2.5 s``."""
    number, _, unit = units.duration(seconds).partition(" ")
    if "." in number:
        number = number.rstrip("0").rstrip(".")
    return f"{number} {unit}"


def two_digits(seconds: float) -> str:
    """A duration with two digits, if there is no room for three: ``1.9 ms``, ``31 ms``."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= scale:
            value = seconds / scale
            return f"{value:.1f} {unit}" if value < 9.95 else f"{value:.0f} {unit}"
    return f"{seconds * 1e6:.0f} µs"


def clock(seconds: float) -> str:
    """A running time, of constant width below a minute: ``9.8 s``, ``2 min 5 s``."""
    return f"{seconds:.1f} s" if seconds < 59.95 else units.duration(seconds)


def age(seconds: float) -> str:
    """The age of something, in six cells: ``9 s``, ``125 s``, ``17 min``, ``3.2 h``, ``12 d``."""
    for unit, scale, below in (("s", 1, 600), ("min", 60, 90 * 60), ("h", 3600, 48 * 3600)):
        if seconds < below:
            value = seconds / scale
            return f"{value:.1f} {unit}" if unit == "h" and value < 10 else f"{value:.0f} {unit}"
    return f"{seconds / 86400:.0f} d"


def megabytes(amount: float | None) -> str:
    """Memory in one unit with one decimal, so that a column is easy to compare."""
    return units.UNKNOWN if amount is None else f"{amount / 1e6:,.1f} MB"


def counted(number: int, thing: str) -> str:
    """``1 worker``, ``4 workers``."""
    return f"{units.count(number)} {thing}{'' if number == 1 else 's'}"


def rounds_words(rounds: int, requests: int | None, duration: float | None) -> str:
    """``3 rounds of 4 s``, ``1 round of 10,000 requests``; for an external generator ``3 rounds``."""
    bound = time_words(duration) if duration is not None else counted(requests or 0, "request")
    return counted(rounds, "round") + ("" if requests is None and duration is None else f" of {bound}")


def load_words(load: Load | LoadFacts, *, cpus: str = "") -> str:
    """``16 connections, closed loop, no keep-alive``; ``cpus`` follows the connections."""
    mode = load.kind if isinstance(load, Load) else load.mode
    if mode == "none":
        return "none: the stack is only watched"
    if mode == "command":
        return f"external generator{cpus}: {' '.join(load.command or ())}"
    loop = "closed loop"
    if mode == "open":
        loop = f"open loop at {units.rate(load.rate)} req/s"
        loop += " (Poisson)" if load.arrivals == "poisson" else ""
    kept = "keep-alive" if load.keepalive else "no keep-alive"
    return f"{counted(load.connections or 0, 'connection')}{cpus}, {loop}, {kept}"
