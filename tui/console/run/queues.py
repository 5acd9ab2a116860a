"""The listen queues of the stack's sockets."""

from __future__ import annotations

from textual.reactive import reactive

from tui.console.drawing.drawn import Drawn
from tui.console.drawing.lines import Line
from tui.console.run.frame import Queues
from tui.console.run.queue_lines import queue_lines


class QueueLines(Drawn):
    """One line of sockets, or two."""

    DEFAULT_CSS = """
    QueueLines { height: 3; }
    """

    BORDER_TITLE = "Listen queues"

    queues: reactive[Queues | None] = reactive(None, repaint=False)
    """What is drawn."""

    def watch_queues(self) -> None:
        self.redraw()

    def wanted_height(self, width: int) -> int:
        """Lines that are needed in so many cells, border included in both."""
        return (len(queue_lines(self.queues, width - 2)) if self.queues else 1) + 2

    def lines(self, width: int, height: int) -> list[Line]:
        return queue_lines(self.queues, width) if self.queues else []
