"""What every screen over the main one has in common."""

from __future__ import annotations

from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen, ScreenResultType


class Over(ModalScreen[ScreenResultType]):
    """A screen that can be left only once: keys that were typed ahead reach it after it has gone."""

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        return super().dismiss(result) if self.is_current else AwaitComplete()
