"""A finding on processes that may run on a CPU that the stack was not given."""

from __future__ import annotations

from collections.abc import Iterator

from tui.findings import workers
from tui.record.state import RunState
from tui.summary.finding import Finding
from tui.system.cpus import format_cpu_list


def wrong_affinity(state: RunState) -> Iterator[Finding]:
    """A process has an affinity that reaches beyond its CPUs."""
    astray = [process for process in state.processes.values() if process.seen.misbound]
    if astray:
        yield Finding(
            code="misbound",
            severity="invalid",
            quantities=("rate", "latency"),
            text=f"{workers.counted(astray)} may run on a CPU that the stack was not given",
            evidence=", ".join(
                f"pid {each.seen.pid} on CPU {format_cpu_list(each.seen.bound or ())}" for each in astray[:6]
            ),
            remedy="remove the CPU affinity from the server's own configuration",
        )
