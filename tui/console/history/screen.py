"""The kept runs as a scrolling list, to open, compare, export or delete them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import ClassVar, TypeGuard

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Footer, Input, Label

from tui.console.drawing.drawn import Drawn
from tui.console.drawing.lines import MARKED, Line, clip, joined, spread
from tui.console.history.lines import detail_lines, empty_lines, head_line, row_line
from tui.console.history.rows import HistoryRow, matches, variants_of_rows
from tui.console.messages import ExportAsked, Refused
from tui.console.pages import Over
from tui.experiment.record import ExperimentRecord
from tui.experiment.rows import ExperimentRow
from tui.record.record import Record, VariantRuns
from tui.summary.history import RunRow
from tui.system.errors import UserError

AGAIN = 2.0
"""Seconds between two reads of the folder; rows of finished runs aren't read again."""
EMPTY = "No runs yet. Go back with escape, select a profile and press r. Every run is kept, however it ends."
WHEEL = 3
"""Rows per turn of the wheel."""


def today() -> date:
    """The day in the reader's time zone."""
    return datetime.now(UTC).astimezone().date()


@dataclass
class HistoryAsked(Message):
    """The screen wants the kept runs."""

    known: tuple[HistoryRow, ...]
    """The rows from the last read."""


@dataclass
class HistoryRead(Message):
    """The kept runs and experiments, newest first, or why they can't be read."""

    rows: tuple[HistoryRow, ...]
    fault: str | None = None


@dataclass
class DeletionAsked(Message):
    """Delete kept runs and experiments once the user has confirmed it."""

    rows: tuple[HistoryRow, ...]


@dataclass
class ReplayAsked(Message):
    """Replay a kept run."""

    row: RunRow


@dataclass
class CompareAsked(Message):
    """Show a kept comparison, or compare kept runs."""

    what: ExperimentRecord | tuple[VariantRuns, ...]


class RunList(Drawn):
    """One row per run. The list scrolls just enough to keep the selected one visible."""

    DEFAULT_CSS = """
    RunList { height: 1fr; }
    """

    class Picked(Message):
        """A row was clicked; ``twice``: open it."""

        def __init__(self, index: int, *, twice: bool) -> None:
            super().__init__()
            self.index, self.twice = index, twice

    rows: reactive[tuple[HistoryRow, ...]] = reactive((), repaint=False)
    """The rows to draw, top first."""
    selected: reactive[int] = reactive(0, repaint=False)
    """The index of the row under the cursor."""
    marked: reactive[frozenset[str]] = reactive(frozenset(), repaint=False)
    """The names of the marked runs."""
    nothing: reactive[str] = reactive("", repaint=False)
    """The text for an empty list."""
    _first = 0

    def watch_rows(self) -> None:
        self._keep_in_sight()

    def watch_selected(self) -> None:
        self._keep_in_sight()

    def watch_marked(self) -> None:
        self.redraw()

    def watch_nothing(self) -> None:
        self.redraw()

    def on_resize(self) -> None:
        self._keep_in_sight()

    @property
    def page(self) -> int:
        """The number of rows that fit."""
        return max(1, self.content_size.height - 1)

    def on_click(self, event: events.Click) -> None:
        """A click selects a row, a double click opens it."""
        offset = event.get_content_offset(self)
        if offset is not None and offset.y >= 1 and self._first + offset.y - 1 < len(self.rows):
            self.post_message(self.Picked(self._first + offset.y - 1, twice=event.chain == 2))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._scroll(WHEEL)
        event.stop()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._scroll(-WHEEL)
        event.stop()

    def _scroll(self, by: int) -> None:
        """Scroll; the cursor moves only if it would leave the view."""
        self._first = max(0, min(self._first + by, len(self.rows) - self.page))
        self.selected = max(self._first, min(self.selected, self._first + self.page - 1))
        self._say_place()
        self.redraw()

    def _keep_in_sight(self) -> None:
        first = min(self._first, self.selected, max(0, len(self.rows) - self.page))
        self._first = max(0, first, self.selected - self.page + 1)
        self._say_place()
        self.redraw()

    def _say_place(self) -> None:
        """Say which rows are visible, if not all are."""
        last = min(len(self.rows), self._first + self.page)
        text = f"{self._first + 1}-{last} of {len(self.rows)}" if len(self.rows) > self.page else ""
        if text != self.border_subtitle:
            self.border_subtitle = text

    def lines(self, width: int, height: int) -> list[Line]:
        if not self.rows:
            return empty_lines(self.nothing, width)
        now = today()
        shown = range(self._first, min(len(self.rows), self._first + max(1, height - 1)))
        return [
            head_line(width),
            *(
                row_line(
                    self.rows[i],
                    width,
                    selected=i == self.selected,
                    marked=self.rows[i].record.name in self.marked,
                    today=now,
                )
                for i in shown
            ),
        ]


class RunDetails(Drawn):
    """The details of the selected run."""

    DEFAULT_CSS = """
    RunDetails { height: 9; }
    """

    row: reactive[HistoryRow | None] = reactive(None, repaint=False)
    """The selected run."""

    def watch_row(self, row: HistoryRow | None) -> None:
        self.border_title = Content(row.record.name if row else "")
        self.redraw()

    def lines(self, width: int, height: int) -> list[Line]:
        return detail_lines(self.row, width, height) if self.row else []


class HistoryHead(Drawn):
    """The number of runs and experiments that are kept, listed and marked."""

    DEFAULT_CSS = """
    HistoryHead {
        height: 1;
        background: $surface;
        padding: 0 1;
    }
    """

    counts: reactive[tuple[int, int, int]] = reactive((0, 0, 0), repaint=False)
    """Kept, listed, marked."""
    folder: reactive[str] = reactive("", repaint=False)
    """Where they are kept."""

    def watch_counts(self) -> None:
        self.redraw()

    def watch_folder(self) -> None:
        self.redraw()

    def lines(self, width: int, height: int) -> list[Line]:
        kept, listed, marked = self.counts
        what = f"{listed} of {kept} kept" if listed != kept else f"{kept} kept"
        facts = joined(
            (
                (("plain", what), ("quiet", ", newest first" if listed > 1 else "")),
                (("measured", f"{MARKED} {marked} marked"),) if marked else (),
            )
        )
        left: Line = (("measured", "stackdyno"), ("strong", "  History  "), *facts)
        right_end = clip((("quiet", self.folder),), max(0, width - 60))
        return [spread(left, right_end, width)]


class HistoryScreen(Over[Record | None]):
    """The history, newest first; returns the run to open. The app does everything that touches a file."""

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "open", key_display="↵", tooltip="Show the run, or the comparison"),
        Binding("space", "mark", "mark", tooltip="Mark the run, or unmark it"),
        Binding("c", "compare", "compare", tooltip="Compare the marked runs"),
        Binding("r", "replay", "replay", tooltip="Replay the run's screen"),
        Binding("e", "export", "export", tooltip="Export the run"),
        Binding(
            "d,delete", "delete", "delete", key_display="d", tooltip="Delete the marked runs, or this one"
        ),
        Binding(
            "slash", "filter", "filter", key_display="/", tooltip="List only runs that contain these words"
        ),
        Binding(
            "escape", "back", "back", key_display="esc", tooltip="Clear the filter; back to the main screen"
        ),
        Binding("h,q,ctrl+c", "dismiss(None)", "Back", show=False),
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("home", "select(0)", "Newest", show=False),
        Binding("end", "select(-1)", "Oldest", show=False),
    ]

    DEFAULT_CSS = """
    HistoryScreen {
        layout: vertical;
        background: $background;
        RunList, RunDetails {
            border: round $foreground 22%;
            border-title-color: $foreground 75%;
            border-subtitle-color: $foreground 55%;
        }
        #filter {
            display: none;
            height: 1;
            background: $surface;
            padding: 0 1;
            Label { color: $accent; text-style: bold; width: 2; }
            Input {
                width: 1fr;
                height: 1;
                padding: 0;
                background: $panel;
                &, &:focus { border: none; }
            }
        }
        &.-filtering #filter { display: block; }
        &.-tall RunDetails { height: 14; }
        &.-flat RunDetails { display: none; }
    }
    """

    def __init__(self, runs: Path) -> None:
        super().__init__()
        self._runs = runs
        self.kept: tuple[HistoryRow, ...] = ()
        """All runs and experiments, from the last read."""
        self._marked: frozenset[str] = frozenset()
        self._wanted = ""
        self._awaited = False
        self._fault: str | None = "reading …"

    def compose(self) -> ComposeResult:
        yield HistoryHead()
        with Horizontal(id="filter"):
            yield Label("/")
            yield Input(placeholder="stack, profile or title", select_on_focus=False)
        yield RunList()
        yield RunDetails()
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        self.query_one(HistoryHead).folder = str(self._runs)
        self.watch(self.query_one(RunList), "selected", self._explain, init=False)
        self._list()
        self._ask()
        self.set_interval(AGAIN, self._ask)

    def _ask(self) -> None:
        """Ask for the runs, unless the last request is still pending."""
        if not self._awaited:
            self._awaited = True
            self.app.post_message(HistoryAsked(self.kept))

    def show(self, rows: tuple[HistoryRow, ...], fault: str | None) -> None:
        """List these runs; the cursor and the marks stay on their runs."""
        self._awaited = False
        self._fault = fault
        self.kept = rows
        self._marked &= {row.record.name for row in rows}
        self._list()

    def _list(self) -> None:
        """List the rows that match the filter."""
        shown = self.query_one(RunList)
        before = self.row
        rows = tuple(row for row in self.kept if matches(row, self._wanted))
        place = shown.selected
        if before is not None:
            place = next((i for i, row in enumerate(rows) if row.record == before.record), place)
        with self.app.batch_update():
            shown.nothing = self._nothing()
            shown.rows = rows
            shown.selected = max(0, min(place, len(rows) - 1))
            shown.marked = self._marked
            self._explain()
            self.query_one(HistoryHead).counts = len(self.kept), len(rows), len(self._marked)

    def _nothing(self) -> str:
        if self._fault:
            return self._fault
        return f'No run has "{self._wanted}" in its stack, profile or title.' if self.kept else EMPTY

    @property
    def row(self) -> HistoryRow | None:
        """The row under the cursor."""
        shown = self.query_one(RunList)
        return shown.rows[shown.selected] if shown.selected < len(shown.rows) else None

    @property
    def marked(self) -> tuple[HistoryRow, ...]:
        """The marked rows, newest first, including those that the filter hides."""
        return tuple(row for row in self.kept if row.record.name in self._marked)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Dim the keys that can't do anything with this row."""
        row = self.row
        match action:
            case "open":
                return True if isinstance(row, RunRow) or _is_comparison(row) else None
            case "export" | "replay":
                return True if isinstance(row, RunRow) else None
            case "mark" | "delete" | "compare":
                return True if row is not None else None
        return True

    def action_select(self, index: int) -> None:
        """Select a run by its position in the list; -1 is the last."""
        shown = self.query_one(RunList)
        shown.selected = max(0, min(index, len(shown.rows) - 1) if index >= 0 else len(shown.rows) - 1)

    def _explain(self) -> None:
        """Show the details of the row under the cursor, and update the keys that apply to it."""
        details = self.query_one(RunDetails)
        kind_before = type(details.row)
        details.row = self.row
        if type(self.row) is not kind_before:
            self.refresh_bindings()

    def action_move(self, by: int) -> None:
        """Select the run this many rows away."""
        self.action_select(max(0, self.query_one(RunList).selected + by))

    def action_page(self, by: int) -> None:
        """Select the run this many pages away."""
        self.action_move(by * self.query_one(RunList).page)

    @on(RunList.Picked)
    def _picked(self, message: RunList.Picked) -> None:
        self.action_select(message.index)
        if message.twice:
            self.action_open()

    def action_open(self) -> None:
        """Go back to the main screen with this run; show a comparison over the list."""
        row = self.row
        if isinstance(row, RunRow):
            self.dismiss(row.record)
        elif row is not None and _is_comparison(row):
            self.app.post_message(CompareAsked(row.record))

    def action_mark(self) -> None:
        """Mark the run or unmark it, and move to the next."""
        if self.row is not None:
            self._marked ^= {self.row.record.name}
            self._list()
            self.action_move(1)

    def action_compare(self) -> None:
        """Compare the marked runs."""
        try:
            self.app.post_message(CompareAsked(variants_of_rows(self.marked)))
        except UserError as error:
            self.app.post_message(Refused(str(error)))

    def action_replay(self) -> None:
        """Replay the run under the cursor."""
        if isinstance(self.row, RunRow):
            self.app.post_message(ReplayAsked(self.row))

    def action_export(self) -> None:
        """Export the run under the cursor."""
        if isinstance(self.row, RunRow):
            self.app.post_message(ExportAsked(self.row.record))

    def action_delete(self) -> None:
        """Delete the marked runs, or the one under the cursor."""
        rows = self.marked or ((self.row,) if self.row is not None else ())
        if rows:
            self.app.post_message(DeletionAsked(rows))

    def action_filter(self) -> None:
        """Start typing a filter."""
        self.add_class("-filtering")
        self.query_one(Input).focus()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        self._wanted = event.value
        self._list()

    @on(Input.Submitted)
    def _filtered(self) -> None:
        """Return the keys to the list; the filter stays."""
        self.set_focus(None)
        self.set_class(bool(self._wanted.strip()), "-filtering")

    def action_back(self) -> None:
        """Clear the filter, or go back if there is none."""
        if not self.has_class("-filtering"):
            self.dismiss(None)
            return
        self.query_one(Input).value = ""
        self.set_focus(None)
        self.remove_class("-filtering")


def _is_comparison(row: HistoryRow | None) -> TypeGuard[ExperimentRow]:
    """Whether it opens as a comparison: a suite has no screen."""
    return isinstance(row, ExperimentRow) and row.record.kind == "comparison"
