"""The screen of one run: its status, charts, rounds, workers and findings.

What else a screen shows depends on what it is for: the main screen adds the profiles, a replay its time bar.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import ContentSwitcher, Footer

from tui.console.run.frame import Frame
from tui.console.run.panels import (
    NO_ANSWER,
    Findings,
    LatencyChart,
    QueueLines,
    RateChart,
    RoundTable,
    WorkerTable,
)
from tui.console.run.stage import Failed, Starting
from tui.console.run.status import Machine, StatusLine


class Keys(Footer):
    """The footer, with a class on the keys that a narrow screen hides."""

    def __init__(self, seldom: frozenset[str]) -> None:
        """``seldom``: the actions whose keys a narrow footer hides; the keys still work."""
        super().__init__(show_command_palette=False)
        self._seldom = seldom

    def compose(self) -> ComposeResult:
        for widget in super().compose():
            if getattr(widget, "action", None) in self._seldom:
                widget.add_class("-seldom")
            yield widget


class RunScreen(Screen[None]):
    """Status at the top, something and the findings on the left, charts, rounds and workers on the right.

    Narrow: no left side, findings in one line. Tiny: the charts' words stacked. Short: no rounds and no listen
    queues. Flat: no workers either. The app's breakpoints set the classes with these names.
    """

    SELDOM: ClassVar[frozenset[str]] = frozenset({"mark", "log", "findings"})
    """Actions whose keys a narrow footer hides."""
    FIRST_STAGE: ClassVar[str] = "starting"
    """What the stage shows before the first frame."""
    FAILED: ClassVar[type[Failed]] = Failed
    """How a failure is shown."""

    DEFAULT_CSS = """
    RunScreen {
        layout: vertical;
        #body { height: 1fr; }
        #side { width: 40; }
        #side Findings { height: 1fr; max-height: 50%; }
        #stage { height: 1fr; }
        .panel {
            border: round $foreground 22%;
            border-title-color: $foreground 75%;
            border-subtitle-color: $foreground 55%;
        }
        #line { display: none; }
        &.-narrow, &.-tiny {
            #side { display: none; }
            #line { display: block; height: 1; padding: 0 1; }
            Machine { display: none; }
            RoundTable, QueueLines { display: none; }
            Keys .-seldom { display: none; }
        }
        &.-tiny #load { layout: vertical; }
        &.-short, &.-flat {
            RoundTable, QueueLines { display: none; }
        }
        &.-flat WorkerTable { display: none; }
        RoundTable.-empty, QueueLines.-empty { display: none; }
        &.-idle {
            WorkerTable, QueueLines, Machine, Findings, #line { display: none; }
        }
    }
    """

    def compose(self) -> ComposeResult:
        yield StatusLine()
        yield self.line()
        with Horizontal(id="body"):
            with Vertical(id="side"):
                yield self.aside()
                yield Findings(classes="panel", id="findings")
            with Vertical(id="main"):
                with ContentSwitcher(initial=self.FIRST_STAGE, id="stage"):
                    yield from self.stages()
                    yield Starting(classes="panel", id="starting")
                    yield self.FAILED(classes="panel", id="failed")
                    with Horizontal(id="load"):
                        yield RateChart(classes="panel")
                        yield LatencyChart(classes="panel")
                yield RoundTable(classes="panel")
                yield WorkerTable(classes="panel")
                yield QueueLines(classes="panel -empty")
                yield Machine()
        yield Findings(id="line")
        yield Keys(self.SELDOM)

    def line(self) -> Widget:
        """The line below the status."""
        raise NotImplementedError

    def aside(self) -> Widget:
        """What stands on the left, above the findings."""
        raise NotImplementedError

    def stages(self) -> Iterable[Widget]:
        """What the stage shows besides a run."""
        return ()

    def on_mount(self) -> None:
        self._arrange()

    def on_resize(self) -> None:
        self._arrange()

    def show(self, frame: Frame) -> None:
        """Show one frame of a run."""
        self.query_one(StatusLine).status = frame.status
        self.query_one("#stage", ContentSwitcher).current = frame.stage
        self.query_one(Starting).steps = frame.steps
        self.query_one(Failed).failure = frame.failure
        if frame.stage == "load":
            self.query_one(RateChart).rate = frame.rate
            latency = self.query_one(LatencyChart)
            latency.latency = frame.latency
            latency.nothing = frame.rate.external.latency if frame.rate.external else NO_ANSWER
        rounds = self.query_one(RoundTable)
        rounds.rounds, rounds.external = frame.rounds, frame.rate.external is not None
        self.query_one(WorkerTable).table = frame.workers
        self.query_one(QueueLines).queues = frame.queues
        self.query_one(Machine).text = frame.machine
        for findings in self.query(Findings):
            findings.findings, findings.judged = frame.findings, True
        self._arrange()

    @property
    def idle(self) -> bool:
        """Whether no run has been shown yet."""
        return self.query_one(StatusLine).status is None

    def _arrange(self) -> None:
        """Give the tables the height their rows need, and the charts the rest."""
        workers, rounds = self.query_one(WorkerTable), self.query_one(RoundTable)
        rooms = max(4, (self.size.height - 3) * (45 if self.size.height >= 34 else 50) // 100)
        _set_height(workers, min(workers.wanted_height, rooms))
        rounds.set_class(not rounds.rounds, "-empty")
        queues = self.query_one(QueueLines)
        queues.set_class(queues.queues is None, "-empty")
        _set_height(queues, queues.wanted_height(self.query_one("#main").content_size.width))
        self.set_class(self.idle, "-idle")
        _set_height(rounds, min(max(1, len(rounds.rounds)) + 3, 9))


def _set_height(widget: WorkerTable | RoundTable | QueueLines, height: int) -> None:
    """Set a height only if it differs, since setting it triggers a new layout."""
    if widget.styles.height is None or widget.styles.height.value != height:
        widget.styles.height = height
