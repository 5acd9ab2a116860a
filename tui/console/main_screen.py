"""The main screen: the profiles on the left, and the run on display."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widgets import ContentSwitcher, Footer

from tui.console.experiment.frame import ExperimentFrame
from tui.console.experiment.line import ExperimentLine
from tui.console.profiles.rows import ProfileRow
from tui.console.profiles.widgets import Preview, ProfileList
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

SELDOM = frozenset({"mark", "log", "findings"})
"""Actions whose keys a narrow footer hides; the keys still work."""


class Keys(Footer):
    """The footer, with a class on the keys that a narrow screen hides."""

    def compose(self) -> ComposeResult:
        for widget in super().compose():
            if getattr(widget, "action", None) in SELDOM:
                widget.add_class("-seldom")
            yield widget


class MainScreen(Screen[None]):
    """Status at the top, profiles and findings on the left, charts, rounds and workers on the right.

    Narrow: no left side, findings in one line. Tiny: the charts' words stacked. Short: no rounds and no listen
    queues. Flat: no workers either. If there's no room for the list of profiles, a line says what is marked.
    The app's breakpoints set the classes with these names.
    """

    DEFAULT_CSS = """
    MainScreen {
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
            ExperimentLine.-marks { display: block; }
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
        yield ExperimentLine()
        with Horizontal(id="body"):
            with Vertical(id="side"):
                yield ProfileList(classes="panel")
                yield Findings(classes="panel", id="findings")
            with Vertical(id="main"):
                with ContentSwitcher(initial="preview", id="stage"):
                    yield Preview(classes="panel", id="preview")
                    yield Starting(classes="panel", id="starting")
                    yield Failed(classes="panel", id="failed")
                    with Horizontal(id="load"):
                        yield RateChart(classes="panel")
                        yield LatencyChart(classes="panel")
                yield RoundTable(classes="panel")
                yield WorkerTable(classes="panel")
                yield QueueLines(classes="panel -empty")
                yield Machine()
        yield Findings(id="line")
        yield Keys(show_command_palette=False)

    def on_mount(self) -> None:
        self._arrange()

    def on_resize(self) -> None:
        self._arrange()

    def show_profiles(self, rows: tuple[ProfileRow, ...], selected: int) -> None:
        """Show the profiles, and what running the selected one would do."""
        profiles = self.query_one(ProfileList)
        preview = self.query_one(Preview)
        profiles.rows, profiles.selected, profiles.reading = rows, selected, False
        preview.row, preview.reading = rows[selected] if rows else None, False

    def show_marks(self, marked: tuple[str, ...]) -> None:
        """Show which profiles are marked."""
        self.query_one(ProfileList).marked = marked
        self.query_one(ExperimentLine).marked = marked

    def show_cpu(self, share: float | None) -> None:
        """Show the console's own CPU use."""
        self.query_one(StatusLine).own_cpu = share

    def show_hint(self, hint: str) -> None:
        """Show what is happening before the first frame."""
        self.query_one(StatusLine).hint = hint

    def show_experiment(self, frame: ExperimentFrame | None) -> None:
        """Show how far an experiment has got; None hides the line."""
        self.query_one(ExperimentLine).frame = frame

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
        self.query_one(ProfileList).running = frame.profile if frame.running else None
        for findings in self.query(Findings):
            findings.findings, findings.judged = frame.findings, True
        self._arrange()

    def _arrange(self) -> None:
        """Give the tables the height their rows need, and the charts the rest."""
        idle = self.query_one(StatusLine).status is None
        workers, rounds = self.query_one(WorkerTable), self.query_one(RoundTable)
        rooms = max(4, (self.size.height - 3) * (45 if self.size.height >= 34 else 50) // 100)
        _set_height(workers, min(workers.wanted_height, rooms))
        rounds.set_class(not rounds.rounds, "-empty")
        queues = self.query_one(QueueLines)
        queues.set_class(queues.queues is None, "-empty")
        _set_height(queues, queues.wanted_height(self.query_one("#main").content_size.width))
        self.set_class(idle, "-idle")
        self.query_one(ProfileList).details = not idle
        _set_height(rounds, min(max(1, len(rounds.rounds)) + 3, 9))


def _set_height(widget: WorkerTable | RoundTable | QueueLines, height: int) -> None:
    """Set a height only if it differs, since setting it triggers a new layout."""
    if widget.styles.height is None or widget.styles.height.value != height:
        widget.styles.height = height
