"""The tables of a summary as cells, head first, and the words shared by several formats."""

from __future__ import annotations

from tui.record.events import Machine, StackFacts
from tui.summary import units
from tui.summary.schema import (
    Limit,
    LoadResult,
    MemoryResult,
    OpenLoopResult,
    Percentile,
    PortsResult,
    RoundRow,
    Summary,
)
from tui.system.cpus import format_cpu_list

Rows = list[list[str]]
LATENCY, SERVICE = "latency, from planned start", "service time, from actual start"
"""An open loop's two kinds of time."""
TOO_FEW = "–"
"""Replaces a percentile that too few samples support."""
NO_SUCH = "–"
"""Replaces a count that this kind of socket or page doesn't have."""

_LIMITS: dict[Limit, str] = {
    "server": "the server's CPUs",
    "load": "the load generator",
    "neither": "neither the server's CPUs nor the load generator",
    "none": "nothing",
    "unknown": "unknown",
}


def placed(stack: StackFacts) -> str:
    """Where the stack runs: ``on CPU 0``."""
    return f"on CPU {format_cpu_list(stack.server_cpus)}" if stack.server_cpus else "on another machine"


def bottleneck(summary: Summary) -> str:
    """``the server's CPUs (CPU 0 2 % idle)``."""
    found = summary.bottleneck
    return f"{_LIMITS[found.who]} ({found.evidence})" if found is not None else units.UNKNOWN


def outcomes(result: LoadResult) -> dict[str, str]:
    """The outcomes that occurred, with their counts."""
    return {name: units.count(value) for name, value in result.outcomes.model_dump().items() if value}


def versions(summary: Summary) -> str:
    """``gunicorn 25.1.0, Python 3.12.3``; empty if none is known."""
    return ", ".join(f"{name} {version}" for name, version in summary.versions.items())


def machine(known: Machine) -> str:
    """CPUs, memory, system, kernel and governor."""
    return (
        f"{known.cpu_model or 'CPU unknown'}, {len(known.usable_cpus)} CPUs, {units.size(known.memory_total)}, "
        f"{known.distribution or 'unknown system'}, kernel {known.kernel}, governor {known.governor or 'unknown'}"
    )


def run(summary: Summary) -> str:
    """The run's name and time."""
    return f"{summary.record}, {summary.started}, stackdyno {summary.stackdyno}"


def rounds(summary: Summary) -> Rows:
    """The warm-up and each round."""
    head = ["round", "req/s", "good", "bad", "p50", "p99", "max"]
    head += ["server idle", "CPU/request", "memory", "host used"]
    listed = (*([summary.warmup] if summary.warmup else []), *summary.rounds)
    rows = [head, *(_round(row) for row in listed)]
    if summary.other_load is None:
        return rows
    return _filled(rows, (units.UNKNOWN, TOO_FEW))  # an external load leaves most columns empty


def _round(row: RoundRow) -> list[str]:
    name = "warm-up" if row.number is None else str(row.number)
    return [
        name + (" (stopped)" if row.stopped else ""),
        units.rate(row.requests_per_second),
        units.count(row.good),
        units.count(row.bad),
        units.duration(row.p50) if row.p50 is not None else TOO_FEW,
        units.duration(row.p99) if row.p99 is not None else TOO_FEW,
        units.duration(row.max),
        units.share(row.server_idle),
        units.duration(row.cpu_per_request),
        units.size(row.memory),
        units.size(row.host_used),
    ]


def times(result: LoadResult) -> Rows:
    """ab's four rows of times, and the service time of an open loop."""
    rows = [["", "min", "mean", "+/-sd", "median", "max"]]
    spreads = {name: getattr(result, name) for name in ("connect", "processing", "waiting", "total")}
    if result.open_loop is not None:
        spreads[LATENCY] = spreads.pop("total")
        spreads[SERVICE] = result.open_loop.service
    for name, spread in spreads.items():
        values = (spread.min, spread.mean, spread.stdev, spread.median, spread.max)
        rows.append([name, *(units.duration(value) for value in values)])
    return rows


def point(percentile: Percentile) -> str:
    """A point of a distribution."""
    return TOO_FEW if percentile.seconds is None else units.duration(percentile.seconds)


def percentiles(result: LoadResult) -> Rows:
    """The points of the distribution in one row; an open loop has the service time's points below."""
    known = [each for each in result.percentiles if each.seconds is not None]
    rows = [["within", *(f"{each.percent:g} %" for each in known), "100 %"]]
    loop = result.open_loop
    rows.append(["total" if loop is None else LATENCY, *map(point, known), units.duration(result.total.max)])
    if loop is not None:
        shown = {each.percent for each in known}
        served = [point(each) for each in loop.service_percentiles if each.percent in shown]
        rows.append([SERVICE, *served, units.duration(loop.service.max)])
    return rows


def planned(loop: OpenLoopResult, oldest: float | None) -> list[tuple[str, str]]:
    """What an open loop planned, and what happened to it; ``oldest``: the longest wait of an unanswered one."""
    wait, lag = loop.connection_wait, loop.schedule_lag
    waited = f"; they waited up to {units.duration(wait.max)}" if wait.count else ""
    age = f", the oldest waited {units.duration(oldest)}" if loop.never_sent and oldest is not None else ""
    p99 = "" if loop.schedule_lag_p99 is None else f"99 % within {units.duration(loop.schedule_lag_p99)}, "
    return [
        ("Planned rate", f"{units.rate(loop.planned_rate)} requests/s, {loop.arrivals}"),
        ("Sent rate", f"{units.rate(loop.sent_rate)} requests/s"),
        ("Achieved rate", f"{units.rate(loop.achieved_rate)} requests/s (good answers / measured seconds)"),
        (
            "Requests planned",
            f"{units.count(loop.planned)}, of which {units.count(loop.never_sent)} were never sent{age}",
        ),
        ("Sent late", f"{units.count(wait.count)} found no free connection{waited}"),
        ("Load generator's lag", f"{p99}at most {units.duration(lag.max)}, from planned to sent"),
    ]


def listen_queues(summary: Summary) -> Rows:
    """A row for each listening socket."""
    rows = [["socket", "backlog", "longest", "in each round", "drops", "refusals"]]
    for each in summary.listen_queues.sockets:
        by_round = " / ".join(units.count(longest) for longest in each.by_round)
        drops = units.count(each.drops) if each.kind == "tcp" else NO_SUCH
        refusals = units.count(each.refusals) if each.kind == "unix" else NO_SUCH
        longest = units.count(each.longest)
        rows.append([each.name, units.count(each.backlog), longest, by_round, drops, refusals])
    return rows


def status(summary: Summary) -> Rows:
    """A row for each status page, without the columns that no page of the stack fills."""
    rows = [["status page", "busy", "most", "idle", "most", "queue", "most", "of", "requests"]]
    for each in summary.status:
        levels = (
            (each.busy_mean, each.busy_most),
            (each.idle_mean, each.idle_most),
            (each.queue_mean, each.queue_most),
        )
        counts = [text for mean, most in levels for text in (_count(mean), _count(most))]
        rows.append([each.name, *counts, each.unit, _count(each.requests)])
    return _filled(rows, (NO_SUCH,))


def _filled(rows: Rows, nothing: tuple[str, ...]) -> Rows:
    """The columns in which some row has more than ``nothing``."""
    filled = [
        column
        for column, cells in enumerate(zip(*rows[1:], strict=True))
        if any(cell not in nothing for cell in cells)
    ]
    return [[row[column] for column in filled] for row in rows]


def _count(value: float | None) -> str:
    if value is None:
        return NO_SUCH
    return units.count(value) if isinstance(value, int) else f"{value:,.1f}"


def status_notes(summary: Summary) -> list[str]:
    """How each page was read, and why some reads gave nothing."""
    notes = [
        f"{each.name}: {each.where}, read every {units.duration(each.every)} during the rounds "
        f"({each.reads_in_rounds} times) and after each"
        for each in summary.status
    ]
    return notes + [
        f"{each.name}: n/a in {each.errors} of {each.reads} reads: {each.error}"
        for each in summary.status
        if each.errors
    ]


def memory(summary: Summary) -> Rows:
    """A row for each full reading of the stack's processes."""
    rows = [["", "comparable", "file", "PSS", "USS", "RSS (sum)", "host used"]]
    for each in summary.memory.passes:
        values = (each.comparable, each.file, each.pss, each.uss, each.rss, each.host_used)
        rows.append([each.label, *(units.size(value) for value in values)])
    return rows


def growth(memory: MemoryResult) -> str:
    """How the stack's memory grew with the number of requests, in words."""
    slope = memory.growth_per_1000_requests
    if slope is None:
        return f"growth over the rounds {units.UNKNOWN}: too few rounds or requests with the same processes"
    return f"growth over the rounds {units.size(slope)} per 1,000 requests"


def ports(seen: PortsResult) -> str:
    """``12 of the client's 28,232 ports, 5,120 sockets of the server``."""
    if seen.client_time_wait is None:
        return f"{units.UNKNOWN}: {seen.reason}"
    return (
        f"{units.count(seen.client_time_wait)} of the client's {units.count(seen.ports)} ports, "
        f"{units.count(seen.server_time_wait)} sockets of the server"
    )
