"""Screens on top of the main one, and the read-only ones: a file, the server's log, findings, help."""

from __future__ import annotations

from codecs import IncrementalDecoder, getincrementaldecoder
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen, ScreenResultType
from textual.widgets import Log, Static

from tui.system.planted import read_file
from tui.system.text import bounded, in_one_line, printable

TAIL = 64 * 1024
"""Bytes of existing log to show."""

CLOSING = Binding("escape,q,ctrl+c", "dismiss", "Close")


class Over(ModalScreen[ScreenResultType]):
    """A screen on top of the main one. It closes only once: keys typed ahead may arrive after it has closed."""

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        return super().dismiss(result) if self.is_current else AwaitComplete()


class Page(Over[None]):
    """A scrollable text with a title."""

    BINDINGS: ClassVar[list[BindingType]] = [
        CLOSING,
        Binding("v,l,f,question_mark", "dismiss", "Close", show=False),
        Binding("j", "scroll(1)", show=False),
        Binding("k", "scroll(-1)", show=False),
    ]

    DEFAULT_CSS = """
    Page {
        align: center middle;
        background: $background 55%;
        .page {
            width: 96%;
            max-width: 112;
            height: 92%;
            background: $surface;
            border: round $accent;
            border-title-color: $foreground;
            border-title-style: bold;
            border-subtitle-color: $foreground 65%;
            padding: 0 1;
        }
        Log { background: $surface; scrollbar-size-vertical: 1; }
        VerticalScroll { background: $surface; scrollbar-size-vertical: 1; }
    }
    """

    def __init__(self, title: str, text: Content | str, subtitle: str = "escape closes") -> None:
        super().__init__()
        self._title, self._subtitle = title, subtitle
        self._text = text if isinstance(text, Content) else Content(printable(text))

    def compose(self) -> ComposeResult:
        with Vertical(classes="page") as page:
            page.border_title, page.border_subtitle = Content(self._title), Content(self._subtitle)
            with VerticalScroll():
                yield Static(self._text)

    def action_scroll(self, by: int) -> None:
        """Scroll by lines."""
        self.query_one(VerticalScroll).scroll_relative(y=by, animate=False)


class LogPage(Page):
    """The ends of the log files, followed as they grow."""

    def __init__(self, folder: Path) -> None:
        super().__init__("Server log", "", f"{folder}  escape closes")
        self._folder = folder
        self._read: dict[Path, int] = {}
        self._newest: Path | None = None
        self._decoders: dict[Path, IncrementalDecoder] = defaultdict(
            lambda: getincrementaldecoder("utf-8")("replace")  # a character may come in two pieces
        )

    def compose(self) -> ComposeResult:
        with Vertical(classes="page") as page:
            page.border_title, page.border_subtitle = Content(self._title), Content(self._subtitle)
            yield Log(max_lines=5000)

    def on_mount(self) -> None:
        self._follow()
        if not self._read:
            self.query_one(Log).write_line("The server has written nothing yet.")
        self.set_interval(0.5, self._follow)

    def _follow(self) -> None:
        """Append what is new in the files, under a headline with the file's name."""
        log = self.query_one(Log)
        for path in log_files(self._folder):
            before = self._read.get(path, max(0, path.stat().st_size - TAIL))
            try:
                added = read_file(path, TAIL * 4, start=before)
            except OSError:
                continue
            if not added:
                continue
            self._read[path] = before + len(added)
            if path != self._newest:
                log.write(f"── {in_one_line(path.name)} ──\n")
                self._newest = path
            log.write(bounded(self._decoders[path].decode(added)))

    def action_scroll(self, by: int) -> None:
        """Scroll by lines."""
        self.query_one(Log).scroll_relative(y=by, animate=False)


def log_files(folder: Path) -> Sequence[Path]:
    """The log files that aren't empty, by name."""
    if not folder.is_dir():
        return ()
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return sorted(path for path in files if path.stat().st_size)
