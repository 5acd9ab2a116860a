"""The main screen's line about an experiment: which run, how far, how much time is left; or what is marked."""

from __future__ import annotations

from collections.abc import Sequence

from textual.reactive import reactive

from tui.console.drawing.drawn import Drawn
from tui.console.drawing.lines import MARKED, Line, clip, joined, progress, shorten, width_of
from tui.console.experiment.frame import ExperimentFrame
from tui.summary import units

LABEL = 24
"""Cells for a variant's label."""


def experiment_line(frame: ExperimentFrame, width: int) -> Line:
    """``comparison  run 5 of 12 · gunicorn-sync  ━━━━━━────  about 5 min left``."""
    if frame.taken_by:
        waiting = f"waiting for another run to end: {frame.taken_by}"
        return clip((("measured", frame.kind), ("warning", f"  {waiting}")), width)
    place = f"run {frame.number} of {frame.runs}" if frame.number else f"{frame.done} of {frame.runs} done"
    label: Line = (("quiet", shorten(frame.label, LABEL)),) if frame.label else ()
    head: Line = (("measured", f"{frame.kind}  "), *joined(((("strong", place),), label)))
    tail: Line = (("quiet", f"  {left_words(frame.seconds_left)}"),)
    room = width - width_of(head) - width_of(tail) - 2
    if room < 4:
        return clip((*head, *tail), width)
    return (*head, ("plain", "  "), *progress(frame.fraction, room), *tail)


def left_words(seconds: float | None) -> str:
    """The time left, in whole minutes from two minutes up."""
    if seconds is None:
        return "time left unknown"
    if seconds < 1:
        return "about to end"
    rounded = round(seconds / 60) * 60.0 if seconds >= 120 else seconds
    return f"about {units.duration(rounded).replace('.0', '')} left"


def marks_line(marked: Sequence[str], width: int) -> Line:
    """What is marked for a comparison, for terminals too small for the list."""
    head: Line = (("measured", f"{MARKED} {len(marked)} marked"), ("quiet", ": c compares  "))
    return clip((*head, ("plain", ", ".join(marked))), width)


class ExperimentLine(Drawn):
    """One line about the run's experiment, or about what is marked."""

    DEFAULT_CSS = """
    ExperimentLine {
        height: 1;
        padding: 0 1;
        background: $surface;
        display: none;
        &.-experiment { display: block; }
    }
    """

    frame: reactive[ExperimentFrame | None] = reactive(None, repaint=False)
    """The experiment to show."""

    marked: reactive[tuple[str, ...]] = reactive((), repaint=False)
    """The names of the marked profiles."""

    def watch_frame(self) -> None:
        self.set_class(self.frame is not None, "-experiment")
        self.redraw()

    def watch_marked(self) -> None:
        self.set_class(bool(self.marked), "-marks")
        self.redraw()

    def lines(self, width: int, height: int) -> list[Line]:
        if self.frame is not None:
            return [experiment_line(self.frame, width)]
        return [marks_line(self.marked, width)] if self.marked else []
