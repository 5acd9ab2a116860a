"""Words for the evidence of several findings."""

from __future__ import annotations

from collections.abc import Sequence

from tui.record.state import ProcessState

SHOWN = 6
"""The maximum of listed items."""


def listed(items: Sequence[str]) -> str:
    """``a, b, c``; of a long list, the first six and the number of the others."""
    more = f" and {len(items) - SHOWN} more" if len(items) > SHOWN else ""
    return ", ".join(items[:SHOWN]) + more


def counted(processes: Sequence[ProcessState]) -> str:
    """``2 workers``; ``3 processes`` if their roles differ."""
    roles = {process.seen.role for process in processes}
    name = roles.pop() if len(roles) == 1 else "process"
    if len(processes) == 1:
        return f"1 {name}"
    return f"{len(processes)} {name}{'es' if name.endswith('s') else 's'}"


def named(processes: Sequence[ProcessState]) -> str:
    """``worker 12 (SIGKILL), worker 13``: role, pid, and how each ended if that is known."""
    return listed(
        [
            f"{process.seen.role} {process.seen.pid}"
            + (f" ({process.ended.status})" if process.ended and process.ended.status else "")
            for process in processes
        ]
    )
