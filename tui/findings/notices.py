"""What the runner noticed while it worked, as findings."""

from __future__ import annotations

from collections.abc import Iterator

from tui.record.state import RunState
from tui.summary import units
from tui.summary.finding import Finding, Quantity


def noticed(state: RunState) -> Iterator[Finding]:
    """What the runner noticed while it worked; the plan's own notes on shared CPUs are findings already."""
    remedies = {
        "workers-missing": "a longer load.warmup, or see the server's log (l)",
        "disturbed": "run again when nothing else runs",
        "load-command": "see what it wrote, in the record: logs/load-round-N.txt",
        "killed": "see the server's log (l); its stop may need more time",
    }
    shared = state.planned is not None and state.planned.facts.shared_cpus
    for notice in state.notices:
        if notice.code == "plan" and shared:
            continue  # the plan has one kind of note, on shared CPUs, and `overlap` says it with evidence
        touched: tuple[Quantity, ...] = ()
        if notice.severity == "invalid" or notice.code == "disturbed":
            touched = ("rate", "latency", "memory")
        yield Finding(
            code=notice.code,
            severity=notice.severity,
            quantities=touched,
            text=notice.text,
            evidence=f"noticed at {units.duration(notice.t)}",
            remedy=remedies.get(notice.code, ""),
        )
