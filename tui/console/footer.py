"""The keys of the main screen."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.widgets import Footer

SELDOM = frozenset({"mark", "log", "findings"})
"""Actions whose keys leave the footer first where there is no room for all; the keys still do what they do."""


class Keys(Footer):
    """The footer, with a class on the keys that a narrow screen leaves out."""

    def compose(self) -> ComposeResult:
        for widget in super().compose():
            if getattr(widget, "action", None) in SELDOM:
                widget.add_class("-seldom")
            yield widget
