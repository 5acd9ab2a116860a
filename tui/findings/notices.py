"""Findings from what the runner noticed during the run."""

from __future__ import annotations

from collections.abc import Iterator

from tui.record.state import RunState
from tui.summary import units
from tui.summary.finding import QUANTITIES, Finding


def noticed(state: RunState) -> Iterator[Finding]:
    """A finding per notice, except for the plan's note on shared CPUs, which ``overlap`` reports with evidence."""
    remedies = {
        "workers-missing": "lengthen load.warmup, or see the server's log (l)",
        "disturbed": "run again when nothing else is running",
        "load-command": "see its output in the record: logs/load-round-N.txt",
        "log-cut": "let the server log less: writing this much costs it time, too",
        "moved": "make room, then move that folder to where the runs are kept; or run again",
        "not-kept": "keep this output, make room, and run again",
        "killed": "see the server's log (l); its stop may need more time",
    }
    shared = state.planned is not None and state.planned.facts.shared_cpus
    for notice in state.notices:
        if notice.code == "plan" and shared:
            continue  # the plan has no other kind of note
        touches = notice.severity == "invalid" or notice.code == "disturbed"
        yield Finding(
            code=notice.code,
            severity=notice.severity,
            quantities=QUANTITIES if touches else (),
            text=notice.text,
            evidence=f"noticed at {units.duration(notice.t)}",
            remedy=remedies.get(notice.code, ""),
        )
