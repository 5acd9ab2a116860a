"""Findings on the load generator: whether what was measured is the stack's, or its own.

A load process that has no CPU to spare sends less than it could, and one that looks late at an answer adds its
lateness to the latency. How late it is, it measures itself: in an open loop by the planned starts (``schedule_lag``),
in a closed one by a timer (``timer_lag``, see :mod:`tui.load.probe`).
"""

from __future__ import annotations

from collections.abc import Iterator

from tui.record.state import RunState
from tui.summary import units
from tui.summary.finding import Finding, Quantity

SATURATED = 0.9
"""Share of a CPU from which a load process is the limit: locust warns there too."""
HIGH = 0.6
"""Share from which it is worth a note."""
OURS = 0.5
"""Part of a percentile of the latency that the same percentile of the lag may have. Lag and latency add up, and their
tails seldom meet in the same request: below a half the latency is mostly the stack's, above it is mostly the load's."""
LATE = 0.001
"""Seconds that are never called late: what a scheduler takes, on a virtual machine, to give a CPU that is in use."""
RANKS = (50.0, 90.0, 95.0, 99.0)
BODY = 90.0
"""Up to this percentile it is the latency as a whole that is void, beyond it the tail."""

_LOAD: tuple[Quantity, ...] = ("rate", "latency")


def busy(state: RunState) -> float | None:
    """The highest share of a CPU that any load process used in any round; while none has ended, in the last tick."""
    shares = [
        cpu / result.seconds for result in state.results if result.seconds > 0 for cpu in result.cpu_seconds
    ]
    if not shares and state.tick is not None:
        shares = list(state.tick.busy)
    return max(shares, default=None)


def saturated(state: RunState) -> Iterator[Finding]:
    """A load process had hardly any CPU to spare."""
    used = busy(state)
    if used is None or used < HIGH:
        return
    full = used >= SATURATED
    yield Finding(
        code="generator-saturated" if full else "generator-busy",
        severity="invalid" if full else "note",
        quantities=_LOAD if full else (),
        text=(
            "the load generator was the limit: the rate is a lower bound, the latency is void"
            if full
            else f"load generator at {units.share(used)}"
        ),
        evidence=f"a load process used {units.share(used)} of a CPU; {units.share(SATURATED)} and more is the limit",
        remedy="give the load more CPUs (load.cpus), or the server fewer (cpus)",
    )


def lag(state: RunState) -> Iterator[Finding]:
    """A load process was late by much of the latency that it measured: it was stopped, or others had its CPU.

    In a closed loop a late look at an answer is a late next request too, so that the rate is too low. In an open loop
    the rate is that of the plan. A saturated load is late too, and has been told.
    """
    if (busy(state) or 0.0) >= SATURATED:
        return
    is_open = any(result.planned is not None for result in state.results)
    late, total = state.times("schedule_lag" if is_open else "timer_lag"), state.times("total")
    found = [
        (percent, ours, whole)
        for percent in RANKS
        if (ours := late.percentile(percent)) is not None
        and (whole := total.percentile(percent)) is not None
        and ours >= max(LATE, OURS * whole)
    ]
    if not found:
        return
    percent, ours, whole = found[0]
    void = percent <= BODY
    touched: tuple[Quantity, ...] = ("latency",) if is_open or not void else _LOAD
    if not void:
        text = f"the load generator was late: from p{percent:g} on the latency is mostly its own"
    elif is_open:
        text = "the load generator was late: the latency is void"
    else:
        text = "the load generator was late: the rate is a lower bound, the latency is void"
    late_at = "in sending what was planned" if is_open else "at a timer of its own"
    yield Finding(
        code="generator-lag",
        severity="invalid" if void else "warning",
        quantities=touched,
        text=text,
        evidence=(
            f"at p{percent:g} it was {units.duration(ours)} late {late_at}, {units.duration(late.max)} at most; "
            f"p{percent:g} of the latency is {units.duration(whole)}"
        ),
        remedy="a quiet CPU for the load (load.cpus), and nothing else on the machine",
    )
