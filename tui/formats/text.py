"""The summary as text for a terminal: the answer first, then ab's fields, rounds, memory and findings."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from tui.formats import rows as cells
from tui.summary import units
from tui.summary.schema import LoadResult, OtherLoad, Summary
from tui.system.cpus import format_cpu_list
from tui.system.text import in_one_line

TIMES = "Times of good answers (closed loop: service time)\n"
TIMES_FROM_PLANNED = "Times of good answers (open loop: latency from the planned start, and service time)\n"
MARKS = {"invalid": "✗", "warning": "▲", "note": "●"}


def render(summary: Summary) -> str:
    """The whole summary, at most 100 columns wide, ending with a newline."""
    parts = [_head(summary)]
    if summary.findings:
        parts.append(_findings(summary))
    if summary.result is not None:
        parts.extend(
            [
                _load(summary, summary.result),
                (TIMES_FROM_PLANNED if summary.result.open_loop else TIMES)
                + table(cells.times(summary.result)),
                _percentiles(summary.result),
            ]
        )
    if summary.other_load is not None:
        parts.append(_other_load(summary.other_load))
    if summary.rounds:
        parts.append("Rounds\n" + table(cells.rounds(summary)))
    if summary.memory.passes:
        parts.append(_memory(summary))
    if summary.listen_queues.sockets or summary.listen_queues.reasons:
        parts.append(_listen_queues(summary))
    if summary.status:
        notes = [f"  {note}" for note in cells.status_notes(summary)]
        parts.append("\n".join(["Status pages in the rounds", table(cells.status(summary)), *notes]))
    if summary.processes:
        parts.append(_processes(summary))
    if summary.verdict == "failed" and summary.log_tail:
        parts.append("Last lines of the server's log\n" + "\n".join(f"  {line}" for line in summary.log_tail))
    parts.append(_machine(summary))
    return "\n\n".join(parts) + "\n"


def table(rows: Sequence[Sequence[str]], *, left: Iterable[int] = (0,), indent: str = "  ") -> str:
    """Columns: those in ``left`` are left-aligned, the others right-aligned."""
    lefts = set(left)
    rows = [[in_one_line(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if column in lefts else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append((indent + "  ".join(cells)).rstrip())
    return "\n".join(lines)


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """Names and values, one pair per line."""
    known = list(pairs)
    width = max(len(name) for name, _ in known) + 2
    return "\n".join(wrapped(value, f"  {name + ':':<{width}} ", " " * (width + 3)) for name, value in known)


def _head(summary: Summary) -> str:
    where = ""
    if summary.stack is not None:
        stack = summary.stack
        workers = _plural(stack.workers, "worker") if stack.workers is not None else "workers as found"
        where = (
            f"\n{stack.stack}, {stack.app or 'its own app'}, {workers} {cells.placed(stack)},"
            f" load on CPU {format_cpu_list(stack.load_cpus)}"
        )
    return f"{summary.profile_name}: {summary.title}{where}\n{summary.sentence}"


def _findings(summary: Summary) -> str:
    lines = ["Findings"]
    for finding in summary.findings:
        touched = f" [{', '.join(finding.quantities)}]" if finding.quantities else ""
        lines.append(
            wrapped(f"{MARKS[finding.severity]} {finding.severity}: {finding.text}{touched}", "  ", "    ")
        )
        lines.append(wrapped(finding.evidence, "      "))
        if finding.remedy:
            lines.append(wrapped(f"→ {finding.remedy}", "      ", "        "))
    return "\n".join(lines)


def _load(summary: Summary, result: LoadResult) -> str:
    load = summary.load
    pairs = [("Server software", result.server_software or "unknown")]
    if summary.stack is not None:
        pairs.append(("Server address", summary.stack.address))
    if load is not None:
        length = units.UNKNOWN if result.document_length is None else f"{result.document_length} bytes"
        pairs += [
            ("Document path", f"{load.method} {load.path}"),
            ("Document length", length),
            ("Concurrency level", f"{load.connections} connections, {load.mode} loop"),
        ]
    if result.open_loop is not None:
        pairs += cells.planned(result.open_loop, result.oldest_unfinished)
    bad = ", ".join(
        f"{name} {number}"
        for name, number in cells.outcomes(result).items()
        if name not in ("ok", "unfinished")
    )
    non_2xx = sum(number for status, number in result.statuses.items() if not 200 <= status < 300)
    pairs += [
        ("Time measured", f"{result.seconds:.3f} s in {_plural(len(summary.rounds), 'round')}"),
        ("Good answers", units.count(result.good)),
        ("Failed", f"{units.count(result.bad)}" + (f" ({bad})" if bad else "")),
        ("Non-2xx answers", units.count(non_2xx)),
        ("Unfinished at a round's end", units.count(result.outcomes.unfinished) + _age(result)),
        ("Requests sent", f"{units.count(result.sent)} = the sum of all outcomes"),
        ("Keep-alive requests", units.count(result.requests_on_reused_connections)),
        ("Connections opened", units.count(result.connections_opened)),
        (
            "Total transferred",
            f"{units.size(result.bytes_received)}, including {units.size(result.body_bytes)} of bodies",
        ),
        (
            "Requests per second",
            f"{units.rate(result.requests_per_second)} (good answers / measured seconds)",
        ),
    ]
    if result.open_loop is None:  # the formulas are a closed loop's
        each, across = result.time_per_request, result.time_per_request_concurrent
        pairs += [
            ("Time per request", f"{units.duration(each)} (mean)"),
            ("Time per request", f"{units.duration(across)} (mean, across all concurrent requests)"),
        ]
    pairs.append(("Transfer rate", f"{units.size(result.transfer_rate)}/s received"))
    return "Load\n" + facts(pairs)


def _percentiles(result: LoadResult) -> str:
    rows = [[f"{point.percent:g} %", cells.point(point), point.reason or ""] for point in result.percentiles]
    rows.append(["100 %", units.duration(result.total.max), "longest"])
    loop = result.open_loop
    if loop is None:
        return "Served within\n" + table(rows, left=(2,))
    service = ["service time", *map(cells.point, loop.service_percentiles), units.duration(loop.service.max)]
    rows = [
        [name, value, served, note]
        for (name, value, note), served in zip([["", "latency", ""], *rows], service, strict=True)
    ]
    return "Served within, from the planned start and from the actual start\n" + table(rows, left=(3,))


def _age(result: LoadResult) -> str:
    oldest = result.oldest_unfinished
    since = " from its planned start" if result.open_loop is not None else ""
    return "" if oldest is None else f", the oldest {units.duration(oldest)}{since}"


def _other_load(other: OtherLoad) -> str:
    known = f"{units.count(other.requests)}, counted by {other.source}"
    pairs = [
        ("Load generator", " ".join(other.command) if other.command else "none"),
        ("Time watched", f"{other.seconds:.3f} s"),
        ("Requests", known if other.requests is not None else f"{units.UNKNOWN}: {other.reason}"),
        ("Requests per second", units.rate(other.requests_per_second)),
    ]
    if other.outputs:
        pairs.append(("Its output", ", ".join(other.outputs)))
    return "External load\n" + facts(pairs)


def _memory(summary: Summary) -> str:
    memory = summary.memory
    notes = [
        "  comparable = anonymous + shared-memory + swapped PSS; RSS counts shared pages again for each process",
        f"  per worker {units.size(memory.per_worker)}; sharing saves {units.size(memory.saved_by_sharing)}; "
        f"host memory before the start {units.size(memory.host_before)}",
        f"  {cells.growth(memory)}",
    ]
    return "Memory of the stack\n" + table(cells.memory(summary)) + "\n" + "\n".join(notes)


def _listen_queues(summary: Summary) -> str:
    queues = summary.listen_queues
    parts = ["Listen queues in the rounds"]
    if queues.sockets:
        parts.append(table(cells.listen_queues(summary)))
        parts.append(
            f"  queues read {queues.looks} times, every {units.duration(queues.every)}, at a cost of "
            f"{units.duration(queues.cost)} of CPU; drops and refusals are exact counts"
        )
    if queues.refused_elsewhere:
        parts.append(
            f"  {units.count(queues.refused_elsewhere)} more refusals in the front's log name no socket"
        )
    parts += [f"  n/a: {reason}" for reason in queues.reasons]
    return "\n".join(parts)


def _processes(summary: Summary) -> str:
    served = any(row.requests is not None for row in summary.processes)
    counted = ["requests"] if served else []
    rows = [["pid", "service", "role", "CPUs", "RSS", "PSS", "USS", "comparable", *counted, ""]]
    for row in summary.processes:
        bound = units.UNKNOWN if row.bound is None else format_cpu_list(row.bound)
        ended = f"ended: {row.ended or 'status unknown'}" if row.ended_at is not None else (row.reason or "")
        sizes = [units.size(value) for value in (row.rss, row.pss, row.uss, row.comparable)]
        requests = (
            [units.count(row.requests) if row.requests is not None else cells.NO_SUCH] if served else []
        )
        rows.append([str(row.pid), row.service, row.role, bound, *sizes, *requests, ended])
    return "Processes\n" + table(rows, left=(1, 2, len(rows[0]) - 1))


def _machine(summary: Summary) -> str:
    machine = summary.machine
    busy = ", ".join(units.share(value) for value in summary.generator_busy) or units.UNKNOWN
    pairs = [
        ("Cold start", units.duration(summary.cold_start)),
        ("Bottleneck", cells.bottleneck(summary)),
        ("Server's CPUs idle", units.share(summary.server_idle)),
        ("Load's CPUs idle", f"{units.share(summary.load_idle)}; load processes used {busy} of a CPU"),
        *([("Sockets in TIME_WAIT", cells.ports(summary.ports))] if summary.ports else []),
        (
            "Versions",
            cells.versions(summary) or "unknown",
        ),
        (
            "Machine",
            f"{machine.hostname}, {machine.cpu_model or 'CPU unknown'}, {len(machine.usable_cpus)} CPUs, "
            f"{units.size(machine.memory_total)}",
        ),
        (
            "System",
            f"{machine.distribution or 'unknown'}, kernel {machine.kernel}, governor {machine.governor or 'unknown'}",
        ),
        ("Run", cells.run(summary)),
    ]
    return "Circumstances\n" + facts(pairs) + f"\n\n{wrapped(summary.method)}"


def _plural(number: int, name: str) -> str:
    return f"{number} {name}" if number == 1 else f"{number} {name}s"


def wrapped(text: str, first: str = "", others: str | None = None, width: int = 100) -> str:
    """Lines of at most ``width``, with separate indents for the first and the others; words are never broken."""
    return textwrap.fill(
        text,
        width,
        initial_indent=first,
        subsequent_indent=first if others is None else others,
        break_long_words=False,
        break_on_hyphens=False,
    )
