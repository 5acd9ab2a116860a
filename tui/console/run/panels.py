"""The panels of a run: the two charts, the rounds, the workers, the listen queues, the findings."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.reactive import reactive

from tui.console.drawing.axes import steady_top
from tui.console.drawing.drawn import Drawn
from tui.console.drawing.lines import (
    GLYPHS,
    MARK_STYLES,
    Line,
    StyleName,
    clip,
    finding_lines,
    wrapped,
)
from tui.console.pages import Page
from tui.console.run.frame import FindingLine
from tui.console.run.load_lines import highest, latency_lines, rate_label, rate_lines, round_lines
from tui.console.run.load_view import Latency, Rate, Round
from tui.console.run.stack_lines import queue_lines, table_lines, totals_line
from tui.console.run.stack_view import Queues, Workers
from tui.console.words import counted

NO_ANSWER = "no good answer yet"


class RateChart(Drawn):
    """Good answers and errors per second, from zero, with the warm-up and the rounds marked below."""

    DEFAULT_CSS = """
    RateChart { width: 1fr; }
    """

    BORDER_TITLE = "Requests per second"

    rate: reactive[Rate | None] = reactive(None, repaint=False)
    """What to draw."""
    _top = 1.0

    def watch_rate(self, old: Rate | None, new: Rate | None) -> None:
        if new is None or old is None or not new.bins or not old.bins or new.bins[0] != old.bins[0]:
            self._top = 1.0
        label = rate_label(new) if new else ""
        if label != self.border_subtitle:
            self.border_subtitle = Content(label)
        self.redraw()

    def lines(self, width: int, height: int) -> list[Line]:
        if self.rate is None:
            return []
        self._top = steady_top(highest(self.rate, width), self._top)
        return rate_lines(self.rate, self._top, width, height)


class LatencyChart(Drawn):
    """How long good answers took, on a log axis with fixed buckets."""

    DEFAULT_CSS = """
    LatencyChart { width: 1fr; }
    """

    BORDER_TITLE = "Latency"

    latency: reactive[Latency | None] = reactive(None, repaint=False)
    """What to draw; None before the first good answer."""
    nothing: reactive[str] = reactive(NO_ANSWER, repaint=False)
    """The text if there is no latency."""

    def watch_latency(self, old: Latency | None, new: Latency | None) -> None:
        title = f"Latency, {new.scope}" if new else "Latency"
        if title != self.border_title:
            self.border_title = Content(title)
        self._say_label()
        self.redraw()

    def watch_nothing(self) -> None:
        self.redraw()

    def on_resize(self) -> None:
        self._say_label()

    def _say_label(self) -> None:
        """The kind of latency, and the number of answers if there's room."""
        latency = self.latency
        label = latency.label if latency else ""
        if latency and self.size.width >= 50:
            label += f" · {counted(latency.count, 'good answer')}"
        if label != self.border_subtitle:
            self.border_subtitle = Content(label)

    def lines(self, width: int, height: int) -> list[Line]:
        if self.latency is None:
            return wrapped(self.nothing, width, "quiet", first=" ", rest=" ")
        return latency_lines(self.latency, width, height)


class RoundTable(Drawn):
    """A row for each round and for the warm-up, which doesn't count."""

    DEFAULT_CSS = """
    RoundTable { height: 6; }
    """

    BORDER_TITLE = "Rounds"

    rounds: reactive[tuple[Round, ...]] = reactive((), repaint=False)
    """What to draw; the newest rows if they don't all fit."""
    external: reactive[bool] = reactive(False, repaint=False)
    """The load is external: errors and latency are unknown."""

    def watch_rounds(self) -> None:
        self.redraw()

    def watch_external(self) -> None:
        self.redraw()

    def lines(self, width: int, height: int) -> list[Line]:
        return round_lines(self.rounds, width, height, external=self.external)


TITLE_STYLES: dict[StyleName, str] = {
    "strong": "bold $foreground",
    "warning": "$warning",
    "faint": "$foreground 35%",
}


class WorkerTable(Drawn):
    """Rows of processes, which scroll if they don't all fit."""

    DEFAULT_CSS = """
    WorkerTable { height: 6; }
    """

    BORDER_TITLE = "Workers"

    table: reactive[Workers | None] = reactive(None, repaint=False)
    """What to draw."""
    first: reactive[int] = reactive(0, repaint=False)
    """The first visible row."""
    _title: Line = ()
    _subtitle = ""

    def validate_first(self, first: int) -> int:
        """Clamp it to the last page."""
        return max(0, min(first, self.hidden_rows))

    def watch_table(self, workers: Workers | None) -> None:
        title: Line = (("plain", "Workers"),)
        if workers and workers.rows:
            title = (*title, ("plain", "  "), *totals_line(workers))
        if title != self._title:
            self._title = title
            self.border_title = Content.assemble(
                *((text, TITLE_STYLES.get(name, "")) for name, text in title)
            )
        self.first = min(self.first, self.hidden_rows)
        self._say_hidden()
        self.redraw()

    def watch_first(self) -> None:
        self._say_hidden()
        self.redraw()

    def on_resize(self) -> None:
        self.first = min(self.first, self.hidden_rows)
        self._say_hidden()

    @property
    def wanted_height(self) -> int:
        """The lines needed to show every row, including head and border."""
        return max(1, len(self.table.rows) if self.table else 0) + 3

    @property
    def hidden_rows(self) -> int:
        """The number of rows that don't fit."""
        rows = len(self.table.rows) if self.table else 0
        return max(0, rows - max(1, self.content_size.height - 1))

    def lines(self, width: int, height: int) -> list[Line]:
        if self.table is None or not self.table.rows:
            why = self.table.reason if self.table else None
            return [(("quiet", f" {why or 'no process yet'}"),)]
        return table_lines(self.table, width, slice(self.first, self.first + max(1, height - 1)))

    def _say_hidden(self) -> None:
        """Say how many rows are hidden, and which keys scroll to them."""
        below = self.hidden_rows - self.first
        parts = [f"{self.first} above"] * bool(self.first) + [f"{below} below"] * bool(below)
        text = f"{', '.join(parts)}: j k" if parts else ""
        if text != self._subtitle:
            self._subtitle = text
            self.border_subtitle = text


class QueueLines(Drawn):
    """One or two lines of sockets."""

    DEFAULT_CSS = """
    QueueLines { height: 3; }
    """

    BORDER_TITLE = "Listen queues"

    queues: reactive[Queues | None] = reactive(None, repaint=False)
    """What to draw."""

    def watch_queues(self) -> None:
        self.redraw()

    def wanted_height(self, width: int) -> int:
        """The lines needed at this width; both include the border."""
        return (len(queue_lines(self.queues, width - 2)) if self.queues else 1) + 2

    def lines(self, width: int, height: int) -> list[Line]:
        return queue_lines(self.queues, width) if self.queues else []


class Findings(Drawn):
    """Severity, text and remedy of each finding; only the most severe if there is a single line."""

    DEFAULT_CSS = """
    Findings { height: auto; min-height: 1; }
    """

    BORDER_TITLE = "Findings"

    findings: reactive[tuple[FindingLine, ...]] = reactive((), repaint=False)
    """What to draw, the most severe first."""
    judged: reactive[bool] = reactive(False, repaint=False)
    """Whether there is a run to judge."""

    def watch_findings(self) -> None:
        self.redraw()

    def watch_judged(self) -> None:
        self.redraw()

    def lines(self, width: int, height: int) -> list[Line]:
        if not self.findings:
            return (
                [(("good", "✓ "), ("quiet", "no findings"))] if self.judged else [(("quiet", "no run yet"),)]
            )
        if height == 1:
            return [self._in_one(width)]
        lines: list[Line] = []
        for finding in self.findings:
            lines += finding_lines(finding.mark, finding.text, finding.remedy, width)
        if len(lines) > height:
            lines = [*lines[: height - 1], (("quiet", f"  … {len(self.findings)} in all: press f"),)]
        return lines

    def _in_one(self, width: int) -> Line:
        first = self.findings[0]
        more = f"  +{len(self.findings) - 1}: f" if len(self.findings) > 1 else ""
        text = first.text + (f" · {first.remedy}" if first.remedy else "")
        kept = clip(((MARK_STYLES[first.mark], f"{GLYPHS[first.mark]} "), ("plain", text)), width - len(more))
        return (*kept, ("quiet", more))


def findings_page(findings: Sequence[FindingLine]) -> Page:
    """All findings, with evidence and remedy."""
    lines: list[Content] = []
    for finding in findings:
        style = {"invalid": "$error", "warning": "$warning"}.get(finding.mark, "$foreground")
        lines.append(Content.assemble((f"{GLYPHS[finding.mark]} {finding.text}", style)))
        details = (finding.evidence, finding.remedy)
        lines += [Content.styled(f"  {text}", "$foreground 65%") for text in details if text]
        lines.append(Content(""))
    return Page("Findings", Content("\n").join(lines) if lines else "This run has no findings.")
