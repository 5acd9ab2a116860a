"""A finding on processes that may run on CPUs outside the stack's set."""

from __future__ import annotations

from collections.abc import Iterator

from tui.findings.evidence import counted, listed
from tui.record.state import RunState
from tui.summary.finding import OF_THE_LOAD, Finding
from tui.system.cpus import format_cpu_list


def wrong(state: RunState) -> Iterator[Finding]:
    """A process's affinity includes other CPUs."""
    wrong = [process for process in state.processes.values() if process.seen.misbound]
    if wrong:
        yield Finding(
            code="misbound",
            severity="invalid",
            quantities=OF_THE_LOAD,
            text=f"{counted(wrong)} may run on a CPU that the stack was not given",
            evidence=listed(
                [f"pid {each.seen.pid} on CPU {format_cpu_list(each.seen.bound or ())}" for each in wrong]
            ),
            remedy="remove the CPU affinity from the server's own configuration",
        )
