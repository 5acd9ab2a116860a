"""One run of a stack as one sample.

Rounds of one run share its memory layout, its port and the machine's state, so they aren't independent: a run
counts once, by the median over its rounds.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from statistics import median

from tui.compare.schema import QuantityName, Sample
from tui.findings.judged import read_summary
from tui.record.record import Record
from tui.summary.schema import FindingPart, RoundRow, Summary
from tui.system.cpus import format_cpu_list

TOUCHED: dict[QuantityName, str] = {
    "rate": "rate",
    "p50": "latency",
    "p99": "latency",
    "cpu": "rate",
    "memory": "memory",
}
"""For each value, the quantity that a finding must invalidate to invalidate it; no finding affects a cold start."""

_OF_ROUND: dict[QuantityName, Callable[[RoundRow], float | None]] = {
    "rate": lambda row: row.requests_per_second,
    "p50": lambda row: row.p50,
    "p99": lambda row: row.p99,
    "cpu": lambda row: row.cpu_per_request,
    "memory": lambda row: row.memory,
}
_NOT_GOOD = {
    "stopped": "the run was stopped",
    "failed": "the run failed",
    "running": "the run is still running",
    "cut off": "the run was cut off",
}


def read_sample(record: Record) -> Sample:
    """A run's sample: from its summary if that has this version, else from its events.

    Raises:
        UserError: The record is damaged.
    """
    return sample_of(read_summary(record))


def sample_of(summary: Summary) -> Sample:
    """The sample of a summarised run. Rates are per second, times are seconds, memory is bytes."""
    values: dict[QuantityName, float | None] = {}
    reasons: dict[QuantityName, str] = {}
    for quantity, of_round in _OF_ROUND.items():
        values[quantity], why = _value(summary, quantity, of_round)
        if why is not None:
            reasons[quantity] = why
    values["cold-start"] = summary.cold_start
    if summary.cold_start is None:
        reasons["cold-start"] = (
            "the stack was not started by us" if summary.stack else "it never became ready"
        )
    return Sample(
        record=summary.record,
        profile=summary.profile_name,
        title=summary.title,
        started=summary.started,
        values=values,
        reasons=reasons,
        traits=traits_of(summary),
        identity=json.dumps(summary.profile, sort_keys=True),
        allowed=tuple(dict.fromkeys(each.code for each in _grave(summary) if each.allowed)),
    )


def _value(
    summary: Summary, quantity: QuantityName, of_round: Callable[[RoundRow], float | None]
) -> tuple[float | None, str | None]:
    if summary.verdict != "good":
        return None, _NOT_GOOD[summary.verdict]
    touched = TOUCHED[quantity]
    if touched in summary.invalid:
        codes = [each.code for each in _grave(summary) if not each.allowed and touched in each.quantities]
        return None, f"{touched} invalid: {', '.join(dict.fromkeys(codes))}"
    if quantity == "rate" and summary.other_load is not None:
        return summary.other_load.requests_per_second, summary.other_load.reason
    rows = [row for row in summary.rounds if not row.stopped]
    if not rows:
        return None, "no complete round"
    known = [value for row in rows if (value := of_round(row)) is not None]
    if len(known) < len(rows):
        return None, _unknown(summary, quantity, len(rows) - len(known), len(rows))
    return median(known), None


def _grave(summary: Summary) -> list[FindingPart]:
    return [finding for finding in summary.findings if finding.severity == "invalid"]


def _unknown(summary: Summary, quantity: QuantityName, missing: int, rounds: int) -> str:
    """Why a value of some rounds isn't known."""
    if summary.result is None and quantity != "memory":
        return "the requests were not ours"
    why = {"p50": "too few samples", "p99": "too few samples", "memory": "not readable"}
    which = "every round" if missing == rounds else f"{missing} of {rounds} rounds"
    return f"{why.get(quantity, 'not measured')} in {which}"


def traits_of(summary: Summary) -> dict[str, str]:
    """What must be the same for a fair comparison, in words; unknown traits are left out."""
    traits: dict[str, object] = {
        "machine": summary.machine.hostname,
        "kernel": summary.machine.kernel,
        "CPU model": summary.machine.cpu_model,
    }
    traits |= {f"version of {name}": version for name, version in summary.versions.items()}
    if (stack := summary.stack) is not None:
        traits |= {
            "app": stack.app,
            "worker count": stack.workers,
            "server CPUs": format_cpu_list(stack.server_cpus),
            "load CPUs": format_cpu_list(stack.load_cpus),
            "pin": stack.pin,
        }
    if (load := summary.load) is not None:
        traits |= {
            "load": load.mode if load.mode != "open" else f"open, {load.rate:g} requests/s, {load.arrivals}",
            "request": f"{load.method} {load.path}",
            "connections": load.connections,
            "keep-alive": "on" if load.keepalive else "off",
            "length of a round": _length(load.requests, load.duration),
        }
    if (result := summary.result) is not None:
        traits |= {
            "body length": result.document_length,
            "protocol": f"HTTP/{result.http_version}" if result.http_version else None,
        }
    return {name: str(value) for name, value in traits.items() if value not in (None, "")}


def _length(requests: int | None, duration: float | None) -> str | None:
    if requests is not None:
        return f"{requests:,} requests"
    return None if duration is None else f"{duration:g} s"
