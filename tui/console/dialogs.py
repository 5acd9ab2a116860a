"""Questions over another screen: what to do about a run, where to export it, which time to go to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Label, OptionList
from textual.widgets.option_list import Option

from tui.console.pages import Over
from tui.system.errors import UserError

BOX_CSS = """
    align: center middle;
    background: $background 55%;
    .box {
        width: 72;
        max-width: 96%;
        height: auto;
        max-height: 96%;
        padding: 1 2;
        background: $surface;
        border: round $accent;
        border-title-color: $foreground;
        border-title-style: bold;
        border-subtitle-color: $foreground 65%;
    }
    OptionList {
        height: auto;
        max-height: 12;
        margin-top: 1;
        padding: 0;
        background: $surface;
        &, &:focus { border: none; background-tint: $foreground 0%; }
    }
    Label { width: 100%; }
"""
INPUT_CSS = """
    Input {
        height: 1;
        padding: 0;
        background: $panel;
        &, &:focus { border: none; }
    }
    #hint { margin-top: 1; color: $foreground 65%; }
"""
"""The look of every dialog."""


class Choices(OptionList):
    """Options; the one that enter picks has a sign, not just a colour."""

    def __init__(self, prompts: Mapping[str, Content]) -> None:
        self._prompts = list(prompts.values())
        super().__init__(*(Option(self._marked(i, chosen=i == 0), id) for i, id in enumerate(prompts)))

    def _marked(self, index: int, *, chosen: bool) -> Content:
        return Content.assemble("▸ " if chosen else "  ", self._prompts[index])

    def watch_highlighted(self, highlighted: int | None) -> None:
        super().watch_highlighted(highlighted)
        for i in range(self.option_count):
            self.replace_option_prompt_at_index(i, self._marked(i, chosen=i == highlighted))


class Ask(Over[str | None]):
    """A question with a few answers, each with a key; returns the key, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,ctrl+c", "dismiss(None)", "Cancel")]

    DEFAULT_CSS = f"Ask {{ {BOX_CSS} }}"

    def __init__(self, title: str, question: str, choices: Mapping[str, str]) -> None:
        """``choices``: what each key does; enter picks the first."""
        super().__init__()
        self._title, self._question, self._choices = title, question, choices

    def compose(self) -> ComposeResult:
        with Vertical(classes="box") as box:
            box.border_title = Content(self._title)
            yield Label(Content(self._question))
            yield Choices(
                {
                    key: Content.assemble((f"{key} ", "bold $accent"), f" {words}")
                    for key, words in self._choices.items()
                }
            )

    def on_key(self, event: events.Key) -> None:
        """Pressing an answer's key picks it at once."""
        if event.character in self._choices:
            event.stop()
            self.dismiss(event.character)

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_id)


class ExportDialog(Over[tuple[str, Path] | None]):
    """Which format, and where; returns both."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,ctrl+c", "dismiss(None)", "Cancel")]

    DEFAULT_CSS = f"""
    ExportDialog {{ {BOX_CSS} {INPUT_CSS}
        #path-label {{ margin-top: 1; color: $foreground 65%; }}
    }}
    """

    def __init__(self, formats: Mapping[str, str], name: str, folder: Path) -> None:
        """``formats``: the file ending of each; ``name`` and ``folder`` make the suggested path."""
        super().__init__()
        self._formats = dict(formats)
        self._run_name, self._folder = name, folder
        self._format = next(iter(self._formats))

    def compose(self) -> ComposeResult:
        with Vertical(classes="box") as box:
            box.border_title = Content(f"Export {self._run_name}")
            yield Label("Format")
            yield Choices({name: Content(name) for name in self._formats})
            yield Label("File", id="path-label")
            yield Input(str(self._offered(self._format)), id="path")
            yield Label("enter writes it, tab moves to the file, escape cancels", id="hint")

    def _offered(self, format_name: str) -> Path:
        return self._folder / f"{self._run_name}.{self._formats[format_name].lstrip('.')}"

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Suggest a path for the chosen format, unless the user typed one."""
        path = self.query_one(Input)
        if event.option_id and path.value == str(self._offered(self._format)):
            path.value = str(self._offered(event.option_id))
        self._format = event.option_id or self._format

    @on(OptionList.OptionSelected)
    @on(Input.Submitted)
    def _write(self) -> None:
        self.dismiss((self._format, Path(self.query_one(Input).value).expanduser().absolute()))


class AskTime(Over[float | None]):
    """Which time to go to; returns it in seconds. What can't be read is said below, and can be corrected."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,ctrl+c", "dismiss(None)", "Cancel")]

    DEFAULT_CSS = f"""
    AskTime {{ {BOX_CSS} {INPUT_CSS}
        #hint.-wrong {{ color: $error; }}
    }}
    """

    def __init__(self, hint: str, read: Callable[[str], float]) -> None:
        """``read`` makes seconds of what was typed, or raises UserError."""
        super().__init__()
        self._hint, self._read = hint, read

    def compose(self) -> ComposeResult:
        with Vertical(classes="box") as box:
            box.border_title = Content("Go to")
            yield Input(id="time")
            yield Label(Content(self._hint), id="hint")

    @on(Input.Submitted)
    def _go(self, event: Input.Submitted) -> None:
        try:
            self.dismiss(self._read(event.value))
        except UserError as error:
            hint = self.query_one("#hint", Label)
            hint.update(Content(f"✗ {error}"))
            hint.add_class("-wrong")
