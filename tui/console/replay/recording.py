"""A recorded run at any moment: its state, what is judged of it, and the frame that a live screen showed then.

A jump must not fold the run again from its start, so copies of the state are kept at regular places. Folding from the
nearest one takes a few milliseconds whichever way the jump goes, so every frame is made that way and depends on
nothing but its time.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from itertools import accumulate, pairwise
from typing import Any, TypeVar

from tui.console.drawing.lines import Mark
from tui.console.run.frame import Frame, frame_of
from tui.console.run.load_view import Settled
from tui.findings.judge import judge
from tui.record.events import Event, PhaseChanged
from tui.record.record import Record, need_run, read_events
from tui.record.state import RunState
from tui.summary.finding import Judgement
from tui.summary.summary import verdict_sentence

EVERY = 256
"""Events from one kept state to the next."""


@dataclass(frozen=True, slots=True)
class Place:
    """A moment of the run with a name: the start of a phase, or when a finding was first made."""

    at: float
    text: str
    mark: Mark | None = None
    """A finding's severity; None for a phase."""


class Recording:
    """All events of a run, and states to start from.

    Raises:
        UserError: There is no run in it.
    """

    def __init__(self, record: Record, events: Sequence[Event]) -> None:
        self.record = record
        self._events = events
        self._times = list(accumulate((event.t for event in events), max))
        """When each event was there: they are written by several hands, and one may be a little older than the last."""
        self._kept: list[tuple[RunState, Settled]] = []
        state, settled = RunState(), Settled()
        for i, event in enumerate(events):
            if i % EVERY == 0:
                settled.settle(state)
                self._kept.append((copied(state), copied(settled)))
            state.apply(event)
        need_run(record, state)
        self.length = state.now
        """Seconds from the start to the last event."""
        self.has_end = state.ended is not None
        """Whether the run came to its end; if not, it was cut off at the last event."""
        self.phases = _phases(state)

    def at(self, t: float) -> tuple[RunState, Settled]:
        """The state after all events up to ``t``, and what has ended by then; both are the caller's."""
        upto = bisect_right(self._times, t)
        nearest = min(upto // EVERY, len(self._kept) - 1)
        state, settled = copied(self._kept[nearest])
        for event in self._events[nearest * EVERY : upto]:
            state.apply(event)
        return state, settled

    def frame(self, t: float) -> Frame:
        """What a live screen showed at ``t``. The runner was alive as long as it wrote."""
        state, settled = self.at(t)
        judged = judge(state) if state.started else Judgement()
        return frame_of(
            state,
            judged.findings,
            verdict_sentence(state, judged.invalid) if state.ended else "",
            run=self.record.name,
            now=t,
            running=self.has_end or t < self.length,
            settled=settled,
        )

    def findings(self) -> Iterator[Place | None]:
        """When each finding was first made, judged at the end of every second, and after the last event.

        Judging a long run takes seconds, so it is done step by step: a step without a new finding gives None.
        """
        state, known = RunState(), set[tuple[str, int]]()
        for event, until in self._with_next():
            state.apply(event)
            if int(event.t) == int(until) or state.started is None:
                continue
            new = False
            for key, mark, text in _numbered(judge(state)):
                if key not in known:
                    known.add(key)
                    new = True
                    yield Place(state.now, text, mark)
            if not new:
                yield None

    def _with_next(self) -> Iterator[tuple[Event, float]]:
        """Each event, and the time of the next; after the last one comes infinity, shown as a later second."""
        yield from ((event, max(event.t, later.t)) for event, later in pairwise(self._events))
        yield self._events[-1], self._events[-1].t + 1


def read_recording(record: Record) -> Recording:
    """Read a whole record, also one that was cut off or is damaged in places.

    Raises:
        UserError: It can't be read, or there is no run in it.
    """
    return Recording(record, list(read_events(record)))


def _phases(state: RunState) -> tuple[Place, ...]:
    """Where the start-up, the warm-up, each round and the stop begin."""
    names = {"start": "start", "warm-up": "warm-up", "stop": "stop"}
    return tuple(
        Place(phase.t, name) for phase in state.phases if (name := _round(phase) or names.get(phase.phase))
    )


def _round(phase: PhaseChanged) -> str | None:
    return f"round {phase.round}" if phase.phase == "round" else None


def _numbered(judged: Judgement) -> Iterator[tuple[tuple[str, int], Mark, str]]:
    """Each finding; its figures change, so it is known by its code and its number among those of that code."""
    seen: dict[str, int] = {}
    for finding in judged.findings:
        seen[finding.code] = number = seen.get(finding.code, 0) + 1
        yield (finding.code, number), "note" if finding.allowed else finding.severity, finding.text


Part = TypeVar("Part")


def copied(part: Part) -> Part:
    """A copy of a state that can be folded on without touching the first.

    Events are frozen and stay shared, and a list of a state holds only what is frozen, so this takes a tenth of what
    ``deepcopy`` does.
    """
    whole: Any = part
    copy: Any = part
    if isinstance(part, list):
        copy = part.copy()
    elif isinstance(part, dict):
        copy = {key: copied(value) for key, value in whole.items()}
    elif type(part) is tuple:
        copy = tuple(copied(each) for each in whole)
    elif is_dataclass(part) and not part.__dataclass_params__.frozen:  # type: ignore[union-attr]
        kind: Any = type(part)
        copy = kind(**{each.name: copied(getattr(part, each.name)) for each in fields(part)})
    return copy  # type: ignore[no-any-return]
