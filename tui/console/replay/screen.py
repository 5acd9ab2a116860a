"""The replay of a run: the screen that a live run has, at any moment of the record, below a time bar.

It lies over the main screen and takes all keys, so nothing can be started or stopped from it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.widget import Widget

from tui.console.dialogs import AskTime
from tui.console.drawing.lines import GLYPHS
from tui.console.footprint import FASTEST
from tui.console.help import replay_help_text
from tui.console.messages import ExportAsked, Refused
from tui.console.pages import LogPage, Over, Page
from tui.console.replay.clock import EXAMPLES, Clock, read_time, time_of
from tui.console.replay.lines import TimeBar
from tui.console.replay.recording import Place, Recording
from tui.console.replay.source import FindingsFound, NotOpened, Opened, ReplaySource, Shown
from tui.console.replay.widgets import Picked, Places, TimeLine
from tui.console.run.frame import Frame
from tui.console.run.panels import WorkerTable, findings_page
from tui.console.run.screen import RunScreen
from tui.console.run.stage import Failed, FailedOnce
from tui.record.record import Record

STEP = 5.0
"""Seconds of a step left or right."""


class ReplayScreen(RunScreen, Over[None]):
    """Play, pause, and jump in the record of a run that is over.

    Textual takes the style sheets of the first base only: that is the screen of a run.
    """

    SELDOM: ClassVar[frozenset[str]] = frozenset({"export", "log", "findings"})
    FAILED: ClassVar[type[Failed]] = FailedOnce
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "play", "play", tooltip="Play or pause"),
        Binding("left", "move(-1)", "5 s", key_display="←→", tooltip="5 seconds back or on"),
        Binding("right", "move(1)", "5 s on", show=False),
        Binding("left_square_bracket,pageup,shift+left", "phase(-1)", "phase", key_display="[]",
                tooltip="The previous or the next phase"),
        Binding("right_square_bracket,pagedown,shift+right", "phase(1)", "Next phase", show=False),
        Binding("n", "finding(1)", "finding", tooltip="Pause where the next finding was first made"),
        Binding("N", "finding(-1)", "Previous finding", show=False),
        Binding("plus,equals_sign,greater_than_sign", "speed(1)", "speed", key_display="+-",
                tooltip="Faster or slower"),
        Binding("minus,less_than_sign", "speed(-1)", "Slower", show=False),
        Binding("t,g", "ask_time", "time", key_display="t", tooltip="Go to a time or a phase"),
        Binding("e", "export", "export", tooltip="Export the whole run"),
        Binding("l", "log", "log", tooltip="Show the server's whole log"),
        Binding("f", "findings", "findings", tooltip="Show the findings of this moment"),
        Binding("question_mark", "help", "help", key_display="?", tooltip="Explain the screen and the keys"),
        Binding("q", "dismiss", "quit", tooltip="Leave the replay"),
        Binding("escape,ctrl+c,ctrl+q", "dismiss", "Quit", show=False),
        Binding("home", "go(0)", "Start", show=False),
        Binding("end", "to_end", "End", show=False),
        Binding("j,down,shift+down", "scroll_workers(1)", "Workers down", show=False),
        Binding("k,up,shift+up", "scroll_workers(-1)", "Workers up", show=False),
    ]  # fmt: skip
    PALETTE: ClassVar[tuple[tuple[str, str, str], ...]] = (
        ("Play or pause", "space", "play"),
        ("Go to a time or a phase", "t", "ask_time"),
        ("Go to the end", "end", "to_end"),
        ("Export the whole run", "e", "export"),
        ("Show the server's log", "l", "log"),
        ("Show the findings of this moment", "f", "findings"),
        ("Help", "?", "help"),
        ("Leave the replay", "q", "dismiss"),
    )
    """The commands of the palette: (title, key, action)."""

    DEFAULT_CSS = """
    ReplayScreen {
        background: $background;
    }
    """

    def __init__(self, what: Record | Recording, wall: Callable[[], float] = time.monotonic) -> None:
        """A recording that was read already is shown at once; ``wall`` gives the seconds that pass."""
        super().__init__()
        self._record = what.record if isinstance(what, Recording) else what
        self._what, self._wall = what, wall
        self._source: ReplaySource | None = None
        self.clock: Clock | None = None
        """None until the record is read."""
        self.frame: Frame | None = None
        """The frame on the screen."""
        self.phases: tuple[Place, ...] = ()
        self.found: tuple[Place, ...] = ()
        """The findings, by the time they were first made."""
        self._searched = False

    def line(self) -> Widget:
        return TimeLine()

    def aside(self) -> Widget:
        return Places(classes="panel")

    def on_mount(self) -> None:
        self._source = ReplaySource(self._what, self.post_message)
        self.set_interval(FASTEST, self._tick)

    def on_unmount(self) -> None:
        if self._source is not None:
            self._source.close()

    # What the thread says.

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        self.phases = message.recording.phases
        self.clock = Clock(message.recording.length, self._wall())
        self._tick()

    @on(NotOpened)
    def _not_opened(self, message: NotOpened) -> None:
        self.app.post_message(Refused(message.reason))
        self.dismiss(None)

    @on(Shown)
    def _shown(self, message: Shown) -> None:
        self.frame = message.frame
        with self.app.batch_update():
            self.show(message.frame)

    @on(FindingsFound)
    def _findings_found(self, message: FindingsFound) -> None:
        self.found, self._searched = message.places, message.all
        self._show_bar()

    # The clock.

    def _tick(self) -> None:
        """Ask for the frame of this moment, and move the bar."""
        if self.clock is not None and self._source is not None:
            self._source.ask(self.clock.at(self._wall()))
            self._show_bar()

    def _show_bar(self) -> None:
        if self.clock is None or not self.is_attached:
            return
        wall = self._wall()
        bar = TimeBar(
            at=self.clock.at(wall),
            length=self.clock.length,
            speed=self.clock.speed,
            playing=self.clock.is_playing(wall),
            places=tuple(sorted((*self.phases, *self.found), key=lambda place: place.at)),
            searched=self._searched,
        )
        self.query_one(TimeLine).bar = bar
        self.query_one(Places).bar = bar

    def _set(self, clock: Clock) -> None:
        self.clock = clock
        self._tick()

    def action_play(self) -> None:
        """Play or pause."""
        if self.clock is not None:
            self._set(self.clock.toggled(self._wall()))

    def action_move(self, steps: int) -> None:
        """Move by steps of five seconds."""
        if self.clock is not None:
            self._set(self.clock.moved_by(self._wall(), steps * STEP))

    def action_speed(self, by: int) -> None:
        """Play faster or slower."""
        if self.clock is not None:
            self._set(self.clock.faster(self._wall(), by))

    def action_go(self, position: float) -> None:
        """Go to a position in seconds."""
        if self.clock is not None:
            self._set(self.clock.moved_to(self._wall(), position))

    def action_to_end(self) -> None:
        """Go to the end."""
        if self.clock is not None:
            self.action_go(self.clock.length)

    def action_phase(self, by: int) -> None:
        """Go to the next phase or the previous one; behind the last is the end, before the first the start."""
        if self.clock is not None:
            places, wall = [place.at for place in self.phases], self._wall()
            there = self.clock.following(wall, places) if by > 0 else self.clock.preceding(wall, places)
            self.action_go(there if there is not None else self.clock.length if by > 0 else 0.0)

    def action_finding(self, by: int) -> None:
        """Pause where the next finding, or the previous one, was first made."""
        if self.clock is None:
            return
        places, wall = [place.at for place in self.found], self._wall()
        there = self.clock.following(wall, places) if by > 0 else self.clock.preceding(wall, places)
        if there is None:
            self.notify(self._no_finding(by))
            return
        self._set(self.clock.moved_to(wall, there).paused(wall))
        if not self.has_class("-wide"):  # there is no list of places then
            made = [place for place in self.found if place.at == there]
            said = "\n".join(f"{GLYPHS[place.mark]} {place.text}" for place in made if place.mark)
            self.notify(said, title=time_of(there), markup=False)

    def _no_finding(self, by: int) -> str:
        if not self._searched:
            return "None found yet: the run is still being searched for findings"
        if not self.found:
            return "This run has no findings"
        return "No later finding" if by > 0 else "No earlier finding"

    @on(Picked)
    def _picked(self, message: Picked) -> None:
        self.action_go(message.at)

    def action_ask_time(self) -> None:
        """Ask for a time or a phase, and go there."""
        if self.clock is None:
            return
        length = self.clock.length
        places = [(place.text, place.at) for place in self.phases]
        read = partial(read_time, places=places, length=length)

        def go(there: float | None) -> None:
            if there is not None:
                self.action_go(there)

        hint = f"{EXAMPLES}; the run ends at {time_of(length)}"
        self.app.push_screen(AskTime(hint, read), go)

    # What other keys do.

    def action_scroll_workers(self, by: int) -> None:
        """Scroll the workers by rows."""
        self.query_one(WorkerTable).first += by

    def action_export(self) -> None:
        """Ask for format and path."""
        self.app.post_message(ExportAsked(self._record))

    def action_log(self) -> None:
        """Show the server's whole log."""
        self.app.push_screen(LogPage(self._record.logs))

    def action_findings(self) -> None:
        """Show the findings of the moment that is shown."""
        self.app.push_screen(findings_page(self.frame.findings if self.frame else ()))

    def action_help(self) -> None:
        """Explain the screen and the keys."""
        self.app.push_screen(Page("Replay", replay_help_text()))
