"""What the stack's status pages say, in a few words: ``busy 3 of 4``."""

from __future__ import annotations

from tui.record.events import StatusFacts
from tui.record.state import RunState
from tui.record.status_state import Status
from tui.summary import units

WORKERS = "workers"


def busy_words(state: RunState, *, of_workers: bool) -> tuple[str, ...]:
    """A few words for each page: what it says now, and once the run is over its mean over the rounds."""
    pages = state.planned.facts.status if state.planned else ()
    said = [(page, state.status[page.name]) for page in pages if page.name in state.status]
    return tuple(
        _words(page, status, over=state.ended is not None)
        for page, status in said
        if (page.unit == WORKERS) == of_workers
    )


def _words(page: StatusFacts, status: Status, *, over: bool) -> str:
    busy, idle, queue = _levels(status, over=over)
    if busy is None:
        return f"{page.name} {units.UNKNOWN}"
    whole = f" of {_number(busy + idle)}" if idle is not None else ""
    words = (
        f"busy {_number(busy)}{whole}" if page.unit == WORKERS else f"{_number(busy)}{whole} {page.unit} busy"
    )
    if queue:
        words += f", {_number(queue)} queued"
    return f"{words} (mean)" if over else words


def _levels(status: Status, *, over: bool) -> tuple[float | None, float | None, float | None]:
    if over:
        return status.busy.mean, status.idle.mean, status.queue.mean
    if status.error is not None or status.latest is None:
        return None, None, None
    return status.latest.busy, status.latest.idle, status.latest.queue


def _number(value: float) -> str:
    return f"{value:,.1f}".removesuffix(".0")
