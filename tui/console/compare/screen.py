"""A comparison: its answer in a sentence, the table, and the charts as evidence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Grid
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Footer

from tui.compare.evidence import VariantEvidence
from tui.compare.schema import Comparison
from tui.console.compare.charts import bars_lines, latency_lines, memory_lines, rate_lines
from tui.console.compare.lines import (
    LEGEND,
    answer_lines,
    head_line,
    page_line,
    table_lines,
    table_title,
    whole_text,
)
from tui.console.compare.source import (
    ComparisonRead,
    ComparisonSource,
    ComparisonStarted,
    EvidenceRead,
    NotCompared,
)
from tui.console.drawing.drawn import Drawn
from tui.console.drawing.lines import Line, clip, wrapped
from tui.console.messages import Refused
from tui.console.pages import Over, Page
from tui.experiment.record import ExperimentRecord
from tui.record.record import VariantRuns

WIDE, TALL = 120, 34
"""From this width on, the table and all charts are shown at once."""
LEAST = 8
"""Rows that each of two stacked charts needs."""
PAGES = ("table", "bars", "latency", "rate", "memory")


@dataclass
class ComparisonExportAsked(Message):
    """Export the comparison on the screen."""

    name: str
    comparison: Comparison
    evidence: tuple[VariantEvidence, ...]


Draw = Callable[[int, int], list[Line]]
"""From width and height to the lines that fill them."""


class Sheet(Drawn):
    """A panel whose lines a function lays out, in the variants' colours; it scrolls if not all lines fit.

    The classes are those of the variants of a comparison, in order, and of what is drawn over each one's bar.
    """

    DEFAULT_CSS = """
    Sheet {
        .drawn--variant1 { color: $variant-1; }
        .drawn--variant2 { color: $variant-2; }
        .drawn--variant3 { color: $variant-3; }
        .drawn--variant4 { color: $variant-4; }
        .drawn--variant5 { color: $variant-5; }
        .drawn--over1 { color: $background; background: $variant-1; text-style: bold; }
        .drawn--over2 { color: $background; background: $variant-2; text-style: bold; }
        .drawn--over3 { color: $background; background: $variant-3; text-style: bold; }
        .drawn--over4 { color: $background; background: $variant-4; text-style: bold; }
        .drawn--over5 { color: $background; background: $variant-5; text-style: bold; }
    }
    """

    draw: reactive[Draw | None] = reactive(None, repaint=False)
    """The function that lays out the lines; None leaves the panel empty."""
    first: reactive[int] = reactive(0, repaint=False)
    """The line on top."""

    def __init__(self, title: str = "", *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.border_title = Content(title)

    def watch_draw(self) -> None:
        self.redraw()

    def watch_first(self) -> None:
        self.redraw()

    def scroll_lines(self, by: int) -> None:
        """Scroll down by this many lines, at most to the end."""
        width, height = self.content_size
        there = len(self.draw(width, height)) if self.draw else 0
        self.first = max(0, min(self.first + by, there - height))

    def lines(self, width: int, height: int) -> list[Line]:
        return self.draw(width, height)[self.first :] if self.draw else []


class CompareScreen(Over[None]):
    """A large terminal shows everything at once; a small one has a page for the table and for each chart."""

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "turn(-1)", "page", key_display="← →", tooltip="The previous or the next page"),
        Binding("right", "turn(1)", "Next page", show=False),
        Binding("i", "words", "in words", tooltip="Everything in words: answers, warnings, runs, the method"),
        Binding("e", "export", "export", tooltip="Export the comparison"),
        Binding("escape", "dismiss(None)", "back", key_display="esc", tooltip="Back to the previous screen"),
        Binding("c,q,ctrl+c", "dismiss(None)", "Back", show=False),
        Binding("down,j", "scroll(1)", "Down", show=False),
        Binding("up,k", "scroll(-1)", "Up", show=False),
        *(Binding(str(i + 1), f"page({i})", name, show=False) for i, name in enumerate(PAGES)),
    ]

    DEFAULT_CSS = """
    CompareScreen {
        layout: vertical;
        background: $background;
        #head { height: 1; background: $surface; padding: 0 1; }
        #answer { height: 1; padding: 0 1; }
        #pages { height: 1; padding: 0 1; }
        #charts { height: 1fr; grid-size: 2; grid-rows: 14fr 12fr; }
        .panel {
            border: round $foreground 22%;
            border-title-color: $foreground 75%;
            border-subtitle-color: $foreground 55%;
            padding: 0 1;
        }
        &.-paged #charts { grid-size: 1; grid-rows: 1fr; }
    }
    """

    def __init__(
        self,
        what: ExperimentRecord | Sequence[VariantRuns],
        read: Callable[..., ComparisonSource] = ComparisonSource,
    ) -> None:
        """``read`` takes ``what`` to show, and where to post it."""
        super().__init__()
        self._what, self._read = what, read
        self._source: ComparisonSource | None = None
        self._page = 0
        self._runs: int | None = None
        self.comparison: Comparison | None = None
        self.evidence: tuple[VariantEvidence, ...] = ()

    def compose(self) -> ComposeResult:
        yield Sheet(id="head")
        yield Sheet(id="answer")
        yield Sheet(id="pages")
        yield Sheet("Figures", id="table", classes="panel")
        with Grid(id="charts"):
            yield Sheet("Medians from zero, with their intervals", id="bars", classes="panel")
            yield Sheet(
                "Latency of all runs, as a share of each variant's answers", id="latency", classes="panel"
            )
            yield Sheet("Requests per second over time", id="rate", classes="panel")
            yield Sheet("Memory of each process", id="memory", classes="panel")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        self.query_one("#table", Sheet).border_subtitle = LEGEND
        self.query_one("#rate", Sheet).border_subtitle = "the run of median rate"
        self.query_one("#memory", Sheet).border_subtitle = "█ private  ░ its share of shared"
        self._show()
        self._source = self._read(self._what, self.post_message)

    def on_unmount(self) -> None:
        if self._source is not None:
            self._source.close()

    def on_resize(self) -> None:
        self._arrange()

    @on(ComparisonStarted)
    def _comparison_started(self, message: ComparisonStarted) -> None:
        self.show_reading(message.runs)

    @on(ComparisonRead)
    def _comparison_read(self, message: ComparisonRead) -> None:
        self.show_comparison(message.comparison)

    @on(EvidenceRead)
    def _evidence_read(self, message: EvidenceRead) -> None:
        self.show_evidence(message.variants)

    @on(NotCompared)
    def _not_compared(self, message: NotCompared) -> None:
        self.app.post_message(Refused(message.reason))
        self.dismiss(None)

    def show_reading(self, runs: int) -> None:
        """Say how many runs are being read."""
        self._runs = runs
        self._show()

    def show_comparison(self, comparison: Comparison) -> None:
        """Show the answer and the table; the charts follow."""
        self.comparison = comparison
        self._show()

    def show_evidence(self, variants: tuple[VariantEvidence, ...]) -> None:
        """Show the charts."""
        self.evidence = variants
        self._show()
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Pages exist only if not everything fits; nothing can be exported before it has been read."""
        match action:
            case "turn":
                return self._paged
            case "export":
                return True if self.evidence else None
            case "words":
                return True if self.comparison else None
        return True

    @property
    def _paged(self) -> bool:
        """Whether the terminal is too small for everything at once."""
        width, height = self.size
        if width < WIDE or height < TALL:
            return True
        taken = 2 + len(self._answer()) + self._figures() + 2
        return height - taken < 2 * (LEAST + 2)

    def _answer(self) -> list[Line]:
        width, height = self.size
        return answer_lines(self.comparison, width - 2, height // 3) if self.comparison else [()]

    def _figures(self) -> int:
        """Rows that the whole table takes."""
        return len(table_lines(self.comparison, self.size.width - 4)) if self.comparison else 1

    def _show(self) -> None:
        """Give every panel its contents."""
        comparison, evidence = self.comparison, self.evidence
        reading = partial(_reading, self._runs)
        charts: dict[str, Draw] = {
            "bars": partial(bars_lines, comparison) if comparison else reading,
            "latency": partial(latency_lines, evidence) if evidence else reading,
            "rate": partial(rate_lines, evidence) if evidence else reading,
            "memory": partial(memory_lines, evidence) if evidence else reading,
            "pages": lambda width, _: [page_line(PAGES, self._page, width)],
        }
        if comparison is None:
            charts |= {"head": self._head_before, "answer": reading, "table": reading}
        else:
            charts |= {
                "head": lambda width, _: [head_line(comparison, width)],
                "answer": lambda width, height: answer_lines(comparison, width, height),
                "table": lambda width, _: table_lines(comparison, width),
            }
            self.query_one("#table", Sheet).border_title = Content(table_title(comparison))
        with self.app.batch_update():
            for name, draw in charts.items():
                self.query_one(f"#{name}", Sheet).draw = draw
            self._arrange()

    def _head_before(self, width: int, height: int) -> list[Line]:
        what = self._what
        named = (
            what.name if isinstance(what, ExperimentRecord) else " against ".join(label for label, _ in what)
        )
        return [clip((("measured", "stackdyno"), ("strong", "  Compare  "), ("quiet", named)), width)]

    def _arrange(self) -> None:
        """Give the answer and the table the rows they need, and the charts the rest."""
        paged = self._paged
        self.set_class(paged, "-paged")
        table, answer = self.query_one("#table", Sheet), self.query_one("#answer", Sheet)
        answer.styles.height = len(self._answer())
        self.query_one("#pages").display = paged
        self.query_one("#charts").display = not paged or self._page > 0
        table.display = not paged or self._page == 0
        table.styles.height = "1fr" if paged else self._figures() + 2
        for i, name in enumerate(PAGES[1:], start=1):
            self.query_one(f"#{name}").display = not paged or self._page == i
        self.refresh_bindings()

    def action_turn(self, by: int) -> None:
        """Show the previous or the next page."""
        self.action_page((self._page + by) % len(PAGES))

    def action_page(self, index: int) -> None:
        """Show a page by its position."""
        if self._paged and index != self._page:
            self._page = index
            self._show()

    def action_scroll(self, by: int) -> None:
        """Scroll the table if it doesn't fit in a small terminal."""
        self.query_one(f"#{PAGES[self._page]}", Sheet).scroll_lines(by)

    def action_words(self) -> None:
        """Show everything in words."""
        if self.comparison is not None:
            self.app.push_screen(Page("In words", whole_text(self.comparison)))

    def action_export(self) -> None:
        """Ask for format and file."""
        name = self._what.name if isinstance(self._what, ExperimentRecord) else "comparison"
        if self.comparison is not None:
            self.app.post_message(ComparisonExportAsked(name, self.comparison, self.evidence))


def _reading(runs: int | None, width: int, height: int) -> list[Line]:
    return wrapped(
        "reading …" if runs is None else f"reading {runs} runs …", width, "quiet", first=" ", rest=" "
    )
