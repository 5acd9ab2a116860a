"""What the stack's status pages reported over the rounds, for the summary and the console."""

from __future__ import annotations

from tui.record.state import ProcessState, RunState
from tui.record.status_state import Served, StatusState
from tui.summary.schema import StatusRow


def status_rows(state: RunState) -> tuple[StatusRow, ...]:
    """A row for each of the stack's pages."""
    pages = state.planned.facts.status if state.planned else ()
    rows = []
    for page in pages:
        read = state.status.get(page.name, StatusState())
        requests = _over_all_rounds(state, read.served)
        rows.append(
            StatusRow(
                name=page.name,
                where=page.where,
                every=page.every,
                unit=page.unit,
                reads=read.reads,
                errors=read.errors,
                error=read.last_error,
                reads_in_rounds=read.reads_in_rounds,
                requests=requests,
                busy_mean=read.busy.mean,
                busy_most=read.busy.most,
                idle_mean=read.idle.mean,
                idle_most=read.idle.most,
                queue_mean=read.queue.mean,
                queue_most=read.queue.most,
            )
        )
    return tuple(rows)


def requests_of(state: RunState, process: ProcessState) -> int | None:
    """Requests that a process answered in the rounds, by a status page; None if no page counted them to the end."""
    return _over_all_rounds(state, process.served)


def _over_all_rounds(state: RunState, served: Served) -> int | None:
    """A count is only complete if it was read after the last round."""
    if not state.rounds or served.at is None or served.at < state.rounds[-1].t:
        return None
    return served.measured
