"""The status lines: what is running, how far it has got, and how busy the machine is."""

from __future__ import annotations

from textual.reactive import reactive

from tui.console.drawing.drawn import Drawn
from tui.console.drawing.lines import GLYPHS, Line, clip, joined, progress, spread, width_of
from tui.console.run.frame import RunStatus
from tui.console.words import clock, time_words
from tui.summary import units

WIDE = 120
IDLE = "Nothing is running. 1-9 and the arrows select a profile, r runs it."


class StatusLine(Drawn):
    """Profile, stack and host; phase with a progress bar, or the verdict."""

    DEFAULT_CSS = """
    StatusLine {
        height: 2;
        background: $surface;
        padding: 0 1;
    }
    """

    status: reactive[RunStatus | None] = reactive(None, repaint=False)
    """What to show; None before the first run."""
    own_cpu: reactive[float | None] = reactive(None, repaint=False)
    """The share of one CPU that the console itself uses, since it runs on the machine under test."""
    hint: reactive[str] = reactive("", repaint=False)
    """The text of the second line while something is being prepared."""

    def watch_status(self) -> None:
        self.redraw()

    def watch_own_cpu(self) -> None:
        self.redraw()

    def watch_hint(self) -> None:
        self.redraw()

    def lines(self, width: int, height: int) -> list[Line]:
        status = self.status
        console: Line = (
            (("quiet", f"console {units.share(self.own_cpu)} CPU"),) if self.own_cpu is not None else ()
        )
        brand: Line = (("measured", "stackdyno"),)
        if status is None:
            return [spread(brand, console, width), clip((("quiet", self.hint or IDLE),), width)]
        host: Line = (("quiet", status.host),) if width >= WIDE else ()
        who: Line = (("strong", status.title),)
        facts: Line = (("quiet", status.facts),)
        left = (
            (*brand, ("plain", "  "), *joined((who, facts), "  "))
            if width >= WIDE
            else joined((who, facts), "  ")
        )
        return [spread(left, joined((host, console)), width), self._second(status, width)]

    def _second(self, status: RunStatus, width: int) -> Line:
        if self.hint:
            return clip((("strong", self.hint),), width)
        if status.verdict is not None:
            style = {"good": "good", "note": "good", "warning": "warning", "invalid": "error"}[status.mark]
            return clip(((style, f"{GLYPHS[status.mark]} "), ("strong", status.verdict)), width)  # type: ignore[arg-type]
        phase: Line = (("strong", f"{status.phase:<15}"), ("plain", "  "))
        expected = f" of about {time_words(round(status.expected))}" if status.expected else ""
        time: Line = (("plain", "  "), ("quiet", clock(status.elapsed) + expected))
        room = max(4, width - width_of(phase) - width_of(time))
        return (*phase, *progress(status.fraction, room), *time)


class Machine(Drawn):
    """One line about the host: how busy it is."""

    DEFAULT_CSS = """
    Machine { height: 1; padding: 0 2; }
    """

    text: reactive[str] = reactive("", repaint=False)
    """The server's and the load's CPUs, memory, swap, steal."""

    def watch_text(self) -> None:
        self.redraw()

    def lines(self, width: int, height: int) -> list[Line]:
        return [clip((("quiet", self.text),), width)]
