"""What the stack's status pages said over the rounds, as the summary and the console show it."""

from __future__ import annotations

from tui.record.state import ProcessState, RunState
from tui.record.status_state import Served, Status
from tui.summary.schema import StatusRow


def status_rows(state: RunState) -> tuple[StatusRow, ...]:
    """A row for each page that the stack has."""
    pages = state.planned.facts.status if state.planned else ()
    rows = []
    for page in pages:
        said = state.status.get(page.name, Status())
        requests = _over_all_rounds(state, said.served)
        rows.append(
            StatusRow(
                name=page.name,
                where=page.where,
                every=page.every,
                unit=page.unit,
                reads=said.reads,
                errors=said.errors,
                error=said.last_error,
                reads_in_rounds=said.reads_in_rounds,
                requests=requests,
                busy_mean=said.busy.mean,
                busy_most=said.busy.most,
                idle_mean=said.idle.mean,
                idle_most=said.idle.most,
                queue_mean=said.queue.mean,
                queue_most=said.queue.most,
            )
        )
    return tuple(rows)


def requests_of(state: RunState, process: ProcessState) -> int | None:
    """What a process answered in the rounds by a status page; None where none tells it, or not until the end."""
    return _over_all_rounds(state, process.served)


def _over_all_rounds(state: RunState, served: Served) -> int | None:
    """Only what was read after the last round is the whole."""
    if not state.rounds or served.at is None or served.at < state.rounds[-1].t:
        return None
    return served.measured
