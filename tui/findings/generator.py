"""Findings on the load generator: whether it measured the stack or itself.

A load process with no spare CPU sends less than it should, and one that reads an answer late adds its own delay to the
latency. It measures that delay: in an open loop by the planned starts (``schedule_lag``), in a closed loop by a timer
(``timer_lag``, see :mod:`tui.load.probe`).
"""

from __future__ import annotations

from collections.abc import Iterator

from tui.record.state import RunState
from tui.summary import units
from tui.summary.finding import OF_THE_LOAD, Finding, Quantity

SATURATED = 0.9
"""From this share of a CPU, a load process is the limit: locust warns there too."""
HIGH = 0.6
"""From this share, its use is noted."""
MOSTLY = 0.5
"""The largest ratio of a percentile of the lag to the same percentile of the latency. Lag and latency add up, and their
tails rarely meet in one request: below a half, the latency is mostly the stack's, above it mostly the load's."""
LATE = 0.001
"""Seconds; less never counts as late: a virtual machine's scheduler may need that long to hand over a busy CPU."""
RANKS = (50.0, 90.0, 95.0, 99.0)
BODY = 90.0
"""Up to this percentile, the whole latency is invalid; beyond it, only the tail is affected."""


def busy(state: RunState) -> float | None:
    """The highest CPU share of a load process in any round or, before a round has ended, in the last tick."""
    shares = [
        cpu / result.seconds for result in state.results if result.seconds > 0 for cpu in result.cpu_seconds
    ]
    if not shares and state.tick is not None:
        shares = list(state.tick.busy)
    return max(shares, default=None)


def saturated(state: RunState) -> Iterator[Finding]:
    """A load process had hardly any spare CPU."""
    used = busy(state)
    if used is None or used < HIGH:
        return
    full = used >= SATURATED
    yield Finding(
        code="generator-saturated" if full else "generator-busy",
        severity="invalid" if full else "note",
        quantities=OF_THE_LOAD if full else (),
        text=(
            "the load generator was the limit: the rate is a lower bound, the latency is invalid"
            if full
            else f"load generator at {units.share(used)}"
        ),
        evidence=f"a load process used {units.share(used)} of a CPU; from {units.share(SATURATED)} on it is the limit",
        remedy="give the load more CPUs (load.cpus), or the server fewer (cpus)",
    )


def lag(state: RunState) -> Iterator[Finding]:
    """Much of the measured latency was a load process's own delay: it was suspended, or others used its CPU.

    In a closed loop, reading an answer late also delays the next request, so the rate is too low. In an open loop the
    rate is as planned. A saturated load is late too, but has its own finding.
    """
    if (busy(state) or 0.0) >= SATURATED:
        return
    is_open = any(result.planned is not None for result in state.results)
    late, total = state.times("schedule_lag" if is_open else "timer_lag"), state.times("total")
    found = [
        (percent, behind, whole)
        for percent in RANKS
        if (behind := late.percentile(percent)) is not None
        and (whole := total.percentile(percent)) is not None
        and behind >= max(LATE, MOSTLY * whole)
    ]
    if not found:
        return
    percent, behind, whole = found[0]
    invalid = percent <= BODY
    touched: tuple[Quantity, ...] = ("latency",) if is_open or not invalid else OF_THE_LOAD
    if not invalid:
        text = f"the load generator was late: from p{percent:g} on the latency is mostly its own"
    elif is_open:
        text = "the load generator was late: the latency is invalid"
    else:
        text = "the load generator was late: the rate is a lower bound, the latency is invalid"
    late_for = "planned requests" if is_open else "its own timer"
    yield Finding(
        code="generator-lag",
        severity="invalid" if invalid else "warning",
        quantities=touched,
        text=text,
        evidence=(
            f"at p{percent:g} it was {units.duration(behind)} late for {late_for}, at most {units.duration(late.max)}; "
            f"the latency's p{percent:g} is {units.duration(whole)}"
        ),
        remedy="give the load a quiet CPU (load.cpus), and run nothing else on the machine",
    )
