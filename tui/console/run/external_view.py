"""What the charts say of a load that isn't ours: who makes it, what a status page counts of it, where the rest is."""

from __future__ import annotations

from pathlib import Path

from tui.console.drawing.charts import RateBin, compact
from tui.console.run.frame import External, Rate, Section
from tui.record.events import LoadFacts
from tui.record.state import RunState
from tui.summary.counted import Counted, counted, parts, source_of
from tui.summary.figures import other_load

BINS = 480
"""More points than any chart has columns."""


def external_rate(state: RunState, load: LoadFacts, void: str | None) -> Rate:
    """The rate that a status page counts, over time; without one the words only."""
    points, intervals = counted(state), parts(state)
    other = other_load(state)
    start = intervals[0].start if intervals else state.now
    return Rate(
        now=_now(state, points),
        mean=other.requests_per_second if other else None,
        errors=0,
        answers=0,
        bins=compact([RateBin(p.t0, p.t1, p.requests, 0, p.round is None) for p in points], BINS),
        sections=tuple(
            Section("warm-up", "warm", part.start, part.end)
            if part.round is None
            else Section(f"round {part.round}", str(part.round), part.start, part.end)
            for part in intervals
        ),
        start=start,
        end=_end(state, load, start),
        void=void,
        external=_words(state, load),
    )


def _now(state: RunState, points: tuple[Counted, ...]) -> float | None:
    """The newest count of the interval that goes on."""
    if state.ended is not None or state.phase_name not in ("warm-up", "round") or not points:
        return None
    newest = points[-1]
    return newest.rate if newest.round == state.round else None


def _end(state: RunState, load: LoadFacts, start: float) -> float:
    """The right end of the time axis: where the last round should end, later in steps if it takes longer."""
    newest = max((part.end for part in parts(state)), default=start)
    if state.ended is not None:
        return newest
    lengths = [ended.length for ended in state.rounds]
    length = load.duration or (sum(lengths) / len(lengths) if lengths else 5.0)
    end = start + load.warmup + length * load.rounds
    while end < newest:
        end = start + (end - start) * 1.25
    return end


def _words(state: RunState, load: LoadFacts) -> External:
    source = source_of(state)
    pages = state.planned.facts.status if state.planned else ()
    why = "No status page of this stack counts requests, so there is no rate."
    if source is None and pages:
        errors = [status.error for status in state.status.values() if status.error]
        why = f"No rate: {errors[0] if errors else 'its status page was not read yet'}."
    if load.mode == "none" or not load.command:
        latency = "No load of ours, so no latency: the stack is watched, whoever asks it."
        return External(source, "No load of ours: the stack is watched.", why, latency)
    program = Path(load.command[0]).name
    begun = [part.round for part in parts(state) if part.round is not None]
    kept = f"logs/load-round-{begun[-1]}.txt" if begun else "logs/"
    latency = f"The latency is {program}'s to tell: what it wrote is in {kept}, and l shows it."
    return External(source, f"The load is not ours: {' '.join((program, *load.command[1:]))}", why, latency)
