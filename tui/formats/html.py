"""The summary as one self-contained page: no scripts, no external styles, fonts or images."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from tui.formats import rows, svg
from tui.formats.text import MARKS
from tui.record.state import RunState
from tui.summary import units
from tui.summary.schema import LoadResult, Summary

STYLE = """
:root { --ink: #1c2430; --quiet: #66707d; --rule: #dde3ea; --accent: #2f7ea8; --pale: #a9cbdc; --bad: #c0392b;
        --paper: #ffffff; }
@media (prefers-color-scheme: dark) { :root { --ink: #e3e8ee; --quiet: #93a0ae; --rule: #303a46; --accent: #5fb0d8;
        --pale: #35556a; --bad: #e5705f; --paper: #14181d; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 60rem;
       margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.3rem; margin: 0 } h2 { font-size: 1rem; margin: 2rem 0 .5rem }
.verdict { font-size: 1.15rem; font-weight: 600; margin: .3rem 0 1rem }
.quiet, .tick, .side, small { color: var(--quiet); fill: var(--quiet) }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; width: 100% }
th, td { text-align: right; padding: .2rem .6rem; border-bottom: 1px solid var(--rule); white-space: nowrap }
th:first-child, td:first-child { text-align: left }
.scroll { overflow-x: auto }
svg { width: 100%; height: auto; font: 11px system-ui, sans-serif } svg text { fill: var(--quiet) }
.tick { text-anchor: middle } .side { text-anchor: end } .grid { stroke: var(--rule) }
.bar { fill: var(--accent) } .pale { fill: var(--pale) } .bad { fill: var(--bad) }
.mark { stroke: var(--quiet); stroke-dasharray: 3 3 }
.line { fill: none; stroke-width: 1.5 } .c0 { stroke: #2f7ea8 } .c1 { stroke: #c7791f } .c2 { stroke: #3c8d5a }
.c3 { stroke: #8a5aa8 } .c4 { stroke: #b5475c } .c5 { stroke: #7a7f36 }
li.invalid { color: var(--bad) }
"""


def render(summary: Summary, state: RunState) -> str:
    """The whole page."""
    parts = [
        f"<h1>{escape(summary.profile_name)}: {escape(summary.title)}</h1>",
        f'<p class="verdict">{escape(summary.sentence)}</p>',
        _findings(summary),
    ]
    if summary.result is not None:
        marks = [
            (f"p{point.percent:g}", point.seconds)
            for point in summary.result.percentiles
            if point.percent in (50, 90, 99)
        ]
        parts += [
            section("Requests per second", svg.rate(state.rate)),
            section(
                "Latency of good answers", svg.histogram(state.times("total").histogram.buckets(), marks)
            ),
            section("", table(rows.percentiles(summary.result)) + table(rows.times(summary.result))),
            section("Open loop", _open_loop(summary.result)),
            section("Rounds", table(rows.rounds(summary))),
            section("Outcomes", table(_outcomes(summary))),
        ]
    memory = [
        svg.Line(f"{process.seen.role} {process.seen.pid}", process.rss)
        for process in state.processes.values()
    ]
    parts.append(
        section("Memory: RSS of each process over time", svg.lines(memory, "RSS of each process over time"))
    )
    if summary.memory.passes:
        parts.append(section("Memory of the stack", table(rows.memory(summary)) + _memory_note(summary)))
    if summary.listen_queues.sockets:
        parts.append(section("Listen queues in the rounds", table(rows.listen_queues(summary))))
    if summary.status:
        notes = "".join(f'<p class="quiet">{escape(note)}</p>' for note in rows.status_notes(summary))
        parts.append(section("Status pages in the rounds", table(rows.status(summary)) + notes))
    parts.append(section("Circumstances", _circumstances(summary)))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{escape(summary.profile_name)}</title><style>{STYLE}</style></head>\n<body>\n"
        + "\n".join(part for part in parts if part)
        + "\n</body></html>\n"
    )


def section(title: str, body: str) -> str:
    """A heading and its contents; empty if the contents are."""
    if not body:
        return ""
    return (f"<h2>{escape(title)}</h2>" if title else "") + body


def table(cells: Sequence[Sequence[str]]) -> str:
    """A table whose first row is its head."""
    head, *body = cells
    written = "<tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in head) + "</tr>"
    written += "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in body)
    return f'<div class="scroll"><table>{written}</table></div>'


def _findings(summary: Summary) -> str:
    if not summary.findings:
        return ""
    items = "".join(
        f'<li class="{each.severity}">{MARKS[each.severity]} <b>{each.severity}</b> {escape(each.text)}'
        f"<br><small>{escape(each.evidence)}{' → ' + escape(each.remedy) if each.remedy else ''}</small></li>"
        for each in summary.findings
    )
    return section("Findings", f"<ul>{items}</ul>")


def _open_loop(result: LoadResult) -> str:
    if result.open_loop is None:
        return ""
    return table([["", ""], *map(list, rows.planned(result.open_loop, result.oldest_unfinished))])


def _outcomes(summary: Summary) -> rows.Rows:
    assert summary.result is not None
    counted = rows.outcomes(summary.result)
    return [["sent", *counted], [units.count(summary.result.sent), *counted.values()]]


def _memory_note(summary: Summary) -> str:
    memory = summary.memory
    per_worker, saved = units.size(memory.per_worker), units.size(memory.saved_by_sharing)
    return (
        '<p class="quiet">Comparable is anonymous + shared-memory + swapped PSS. '
        f"Per worker {per_worker}; sharing saves {saved}; {rows.growth(memory)}.</p>"
    )


def _circumstances(summary: Summary) -> str:
    lines = [
        rows.versions(summary),
        rows.machine(summary.machine),
        f"Bottleneck: {rows.bottleneck(summary)}",
        f"In TIME_WAIT: {rows.ports(summary.ports)}" if summary.ports else "",
        f"run {rows.run(summary)}",
        summary.method,
    ]
    return "".join(f'<p class="quiet">{escape(line)}</p>' for line in lines if line)
