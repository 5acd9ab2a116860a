"""The summary as Markdown, to be pasted into an issue or a pull request."""

from __future__ import annotations

from collections.abc import Sequence

from tui.report import units
from tui.report.schema import Summary
from tui.report.text import MARKS
from tui.system.cpus import format_cpu_list


def render(summary: Summary) -> str:
    """Headings and tables; ends with a newline."""
    parts = [
        f"## {_escaped(summary.profile_name)}: {_escaped(summary.title)}",
        f"**{_escaped(summary.sentence)}**",
    ]
    if summary.findings:
        parts.append(
            "\n".join(
                f"- {MARKS[each.severity]} **{each.severity}** `{each.code}` {_escaped(each.text)} — "
                f"{_escaped(each.evidence)}" + (f" → {_escaped(each.remedy)}" if each.remedy else "")
                for each in summary.findings
            )
        )
    if summary.rounds:
        parts.append(_rounds(summary))
    if summary.result is not None:
        result = summary.result
        rows = [["", "min", "mean", "sd", "median", "max"]]
        for name in ("connect", "processing", "waiting", "total"):
            spread = getattr(result, name)
            values = (spread.min, spread.mean, spread.stdev, spread.median, spread.max)
            rows.append([name, *(units.duration(value) for value in values)])
        parts.append(grid(rows))
        points = [point for point in result.percentiles if point.seconds is not None]
        parts.append(
            grid(
                [
                    [f"{point.percent:g} %" for point in points] + ["100 %"],
                    [units.duration(point.seconds) for point in points] + [units.duration(result.total.max)],
                ]
            )
        )
        outcomes = {name: value for name, value in result.outcomes.model_dump().items() if value}
        counted = ", ".join(f"{name} {units.count(value)}" for name, value in outcomes.items())
        parts.append(f"Outcomes of {units.count(result.sent)} requests: {counted}.")
    if summary.memory.passes:
        parts.append(_memory(summary))
    parts.append(_circumstances(summary))
    parts.append(f"<sub>{_escaped(summary.method)}</sub>")
    return "\n\n".join(parts) + "\n"


def grid(rows: Sequence[Sequence[str]]) -> str:
    """A table whose first row is its head; the first column to the left, the others to the right."""
    head, *body = rows
    marks = ["---", *["--:"] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(_escaped(cell) for cell in row) + " |" for row in (head, marks, *body))


def _rounds(summary: Summary) -> str:
    rows = [["round", "req/s", "good", "bad", "p50", "p99", "max", "server idle", "CPU/request", "memory"]]
    for row in (*([summary.warmup] if summary.warmup else []), *summary.rounds):
        rows.append(
            [
                "warm-up" if row.number is None else str(row.number),
                units.rate(row.requests_per_second),
                units.count(row.good),
                units.count(row.bad),
                units.duration(row.p50) if row.p50 is not None else "–",
                units.duration(row.p99) if row.p99 is not None else "–",
                units.duration(row.max),
                units.share(row.server_idle),
                units.duration(row.cpu_per_request),
                units.size(row.memory),
            ]
        )
    return grid(rows)


def _memory(summary: Summary) -> str:
    rows = [["memory", "comparable", "file", "PSS", "USS", "RSS (sum)", "host used"]]
    for each in summary.memory.passes:
        values = (each.comparable, each.file, each.pss, each.uss, each.rss, each.host_used)
        rows.append([each.label, *(units.size(value) for value in values)])
    return grid(rows)


def _circumstances(summary: Summary) -> str:
    machine, lines = summary.machine, []
    if summary.stack is not None and summary.load is not None:
        stack, load = summary.stack, summary.load
        workers = "as found" if stack.workers is None else str(stack.workers)
        lines.append(
            f"{stack.stack}, app {stack.app or 'not ours'}, workers {workers} on CPU "
            f"{format_cpu_list(stack.server_cpus)}; {load.connections} connections, keep-alive "
            f"{'on' if load.keepalive else 'off'}, load on CPU {format_cpu_list(stack.load_cpus)}"
        )
    if summary.versions:
        lines.append(", ".join(f"{name} {version}" for name, version in summary.versions.items()))
    lines.append(
        f"{machine.cpu_model or 'CPU unknown'}, {len(machine.usable_cpus)} CPUs, "
        f"{units.size(machine.memory_total)}, {machine.distribution or 'unknown system'}, kernel {machine.kernel}, "
        f"governor {machine.governor or 'unknown'}"
    )
    lines.append(f"run {summary.record}, {summary.started}, stackdyno {summary.stackdyno}")
    return "\n".join(f"- {_escaped(line)}" for line in lines)


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")
