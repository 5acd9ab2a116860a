"""The two charts: requests per second over time, and the latency histogram."""

from __future__ import annotations

from textual.reactive import reactive

from tui.console.drawing.axes import steady_top
from tui.console.drawing.drawn import Drawn
from tui.console.drawing.lines import Line, wrapped
from tui.console.run.chart_lines import highest, latency_lines, rate_label, rate_lines
from tui.console.run.frame import Latency, Rate
from tui.console.words import counted

NO_ANSWER = "no good answer yet"


class RateChart(Drawn):
    """Good answers and errors a second, from zero, with the warm-up and the rounds marked below."""

    DEFAULT_CSS = """
    RateChart { width: 1fr; }
    """

    BORDER_TITLE = "Requests per second"

    rate: reactive[Rate | None] = reactive(None, repaint=False)
    """What is drawn."""
    _top = 1.0

    def watch_rate(self, old: Rate | None, new: Rate | None) -> None:
        if new is None or old is None or not new.bins or not old.bins or new.bins[0] != old.bins[0]:
            self._top = 1.0
        label = rate_label(new) if new else ""
        if label != self.border_subtitle:
            self.border_subtitle = label
        self.redraw()

    def lines(self, width: int, height: int) -> list[Line]:
        if self.rate is None:
            return []
        self._top = steady_top(highest(self.rate, width), self._top)
        return rate_lines(self.rate, self._top, width, height)


class LatencyChart(Drawn):
    """How long good answers took, on a log axis whose buckets keep their place."""

    DEFAULT_CSS = """
    LatencyChart { width: 1fr; }
    """

    BORDER_TITLE = "Latency"

    latency: reactive[Latency | None] = reactive(None, repaint=False)
    """What is drawn; None before the first good answer."""
    nothing: reactive[str] = reactive(NO_ANSWER, repaint=False)
    """What is said where there is no latency."""

    def watch_latency(self, old: Latency | None, new: Latency | None) -> None:
        title = f"Latency, {new.scope}" if new else "Latency"
        if title != self.border_title:
            self.border_title = title
        self._say_label()
        self.redraw()

    def watch_nothing(self) -> None:
        self.redraw()

    def on_resize(self) -> None:
        self._say_label()

    def _say_label(self) -> None:
        """What kind of latency it is, and of how many answers if there is room."""
        latency = self.latency
        label = latency.label if latency else ""
        if latency and self.size.width >= 50:
            label += f" · {counted(latency.count, 'good answer')}"
        if label != self.border_subtitle:
            self.border_subtitle = label

    def lines(self, width: int, height: int) -> list[Line]:
        if self.latency is None:
            return wrapped(self.nothing, width, "quiet", first=" ", rest=" ")
        return latency_lines(self.latency, width, height)
