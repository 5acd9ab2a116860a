"""The summary as Markdown, to paste into an issue or a pull request."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tui.formats import rows as cells
from tui.formats.text import MARKS
from tui.record.events import LoadFacts
from tui.summary import units
from tui.summary.figures import open_loop_words
from tui.summary.schema import Summary
from tui.system.cpus import format_cpu_list

_MARKS = re.compile(r"[\\`*|\[\]]")


def render(summary: Summary) -> str:
    """Headings and tables; ends with a newline."""
    parts = [
        f"## {escaped(summary.profile_name)}: {escaped(summary.title)}",
        f"**{escaped(summary.sentence)}**",
    ]
    if summary.findings:
        parts.append(
            "\n".join(
                f"- {MARKS[each.severity]} **{each.severity}** {code(each.code)} {escaped(each.text)} — "
                f"{escaped(each.evidence)}" + (f" → {escaped(each.remedy)}" if each.remedy else "")
                for each in summary.findings
            )
        )
    if summary.rounds:
        parts.append(grid(cells.rounds(summary)))
    if summary.result is not None:
        result = summary.result
        parts.append(grid(cells.times(result)))
        if result.open_loop is not None:
            planned = cells.planned(result.open_loop, result.oldest_unfinished)
            parts.append(grid([["open loop", ""], *map(list, planned)]))
        parts.append(grid(cells.percentiles(result)))
        counted = ", ".join(f"{name} {number}" for name, number in cells.outcomes(result).items())
        parts.append(f"Outcomes of {units.count(result.sent)} requests: {counted}.")
    if summary.other_load is not None:
        other = summary.other_load
        load = f"External load: {code(' '.join(other.command))}" if other.command else "No load"
        rate = units.rate(other.requests_per_second) + (f" ({other.reason})" if other.reason else "")
        parts.append(f"{load}, {units.duration(other.seconds)}, requests per second: {escaped(rate)}.")
    if summary.memory.passes:
        parts.append(grid(cells.memory(summary)))
        parts.append(f"{cells.growth(summary.memory)}.")
    if summary.listen_queues.sockets:
        parts.append(grid(cells.listen_queues(summary)))
    if summary.status:
        parts.append(grid(cells.status(summary)))
        parts.append("\n".join(f"- {escaped(note)}" for note in cells.status_notes(summary)))
    parts.append(_circumstances(summary))
    parts.append(f"<sub>{escaped(summary.method)}</sub>")
    return "\n\n".join(parts) + "\n"


def grid(rows: Sequence[Sequence[str]]) -> str:
    """A table whose first row is its head; the first column is aligned left, the others right."""
    head, *body = rows
    marks = ["---", *["--:"] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(escaped(cell) for cell in row) + " |" for row in (head, marks, *body))


def _circumstances(summary: Summary) -> str:
    lines = []
    if summary.stack is not None and summary.load is not None:
        stack, load = summary.stack, summary.load
        workers = "as found" if stack.workers is None else str(stack.workers)
        lines.append(
            f"{stack.stack}, {f'app {stack.app}' if stack.app else 'its own app'}, workers {workers} "
            f"{cells.placed(stack)}; "
            f"{_load(load)}, load on CPU {format_cpu_list(stack.load_cpus)}"
        )
    lines.append(f"bottleneck: {cells.bottleneck(summary)}")
    if summary.ports:
        lines.append(f"in TIME_WAIT: {cells.ports(summary.ports)}")
    if summary.versions:
        lines.append(cells.versions(summary))
    lines += [cells.machine(summary.machine), f"run {cells.run(summary)}"]
    return "\n".join(f"- {escaped(line)}" for line in lines)


def _load(load: LoadFacts) -> str:
    if load.mode in ("none", "command"):
        return "external load" if load.mode == "command" else "no load"
    loop = open_loop_words(load) if load.mode == "open" else "closed loop"
    return f"{load.connections} connections, {loop}, keep-alive {'on' if load.keepalive else 'off'}"


def escaped(text: str) -> str:
    """Escapes text so that Markdown shows it as is, even in a table: no link, no image, no emphasis, no HTML."""
    return _MARKS.sub(r"\\\g<0>", text).replace("&", "&amp;").replace("<", "&lt;").replace("\n", " ")


def code(text: str) -> str:
    """Text as code, which may hold backticks."""
    fence = "`" * (1 + max((len(ticks) for ticks in re.findall("`+", text)), default=0))
    edge = " " if "`" in text else ""
    return f"{fence}{edge}{' '.join(text.splitlines())}{edge}{fence}"
