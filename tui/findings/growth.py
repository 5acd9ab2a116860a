"""Memory that grows with the number of requests: a possible leak.

A warming allocator and a filling cache grow too, but ever more slowly. So growth is reported only if each round adds
about as much per request as the others, and more than a few pages.
"""

from __future__ import annotations

from collections.abc import Iterator

from tui.record.state import RunState
from tui.summary import units
from tui.summary.finding import Finding
from tui.summary.growth import growth

MUCH = 1_000_000
"""Growth is reported from this many bytes on, from the first reading to the last."""
MUCH_OF_ALL = 0.02
"""The same as a share of the memory."""


def grows(state: RunState) -> Iterator[Finding]:
    """The stack's memory grew by about as much with each request."""
    seen = growth(state)
    if seen is None or not seen.is_steady or seen.total < max(MUCH, MUCH_OF_ALL * seen.memory[0]):
        return
    yield Finding(
        code="memory-grows",
        severity="warning",
        quantities=("memory",),
        text=f"memory grows by {units.size(seen.per_1000_requests)} per 1,000 requests: a possible leak",
        evidence=(
            f"{' → '.join(units.size(amount) for amount in seen.memory[-6:])} after each of the last rounds, "
            f"{units.size(seen.total)} over {units.count(seen.requests[-1] - seen.requests[0])} requests"
        ),
        remedy="run more rounds: a cache stops growing when it is full, a leak doesn't",
    )
