"""A terminal with few colours shows the same differences."""

from __future__ import annotations

import pytest
from rich.color import Color, ColorSystem
from textual.color import Color as Blended

from tests.support import recorded_runs as runs
from tests.support.console import ready, recorded, until
from tui.console.drawing.themes import STACKDYNO_16, STACKDYNO_DARK, STACKDYNO_LIGHT
from tui.console.screenshot import _drawn


def number_of(colour: str) -> int | None:
    """Which of 16 colours a terminal shows for it."""
    return Color.parse(colour).downgrade(ColorSystem.STANDARD).number


def test_what_differs_still_does_with_16_colours() -> None:
    theme = STACKDYNO_16
    told = (theme.accent, theme.warning, theme.error, theme.success, theme.foreground, theme.background)
    numbers = [number_of(colour) for colour in told if colour]
    assert numbers == [6, 11, 9, 2, 7, 0]


@pytest.mark.parametrize(
    ("name", "share", "shown"),
    [
        ("accent", 0.45, 8),  # the warm-up's bars
        ("accent", 0.6, 8),  # shared memory
        ("foreground", 0.65, 7),  # labels: to be read
        ("foreground", 0.35, 8),  # axes
        ("foreground", 0.22, 8),  # borders
    ],
)
def test_what_is_dimmed_is_still_there(name: str, share: float, shown: int) -> None:
    assert STACKDYNO_16.background is not None
    colour = Blended.parse(getattr(STACKDYNO_16, name))
    assert number_of(Blended.parse(STACKDYNO_16.background).blend(colour, share).hex6) == shown


async def test_a_screenshot_has_all_colours_whatever_the_terminal_can(monkeypatch, tmp_path):
    monkeypatch.setattr("textual.constants.COLOR_SYSTEM", "standard")
    record = recorded(tmp_path / "run", runs.finished())
    svg = await _drawn(record, (80, 24), None, tmp_path)
    assert STACKDYNO_DARK.accent in svg
    assert STACKDYNO_16.accent not in svg


@pytest.mark.parametrize(
    ("system", "theme"), [("standard", "stackdyno-16"), ("256", "stackdyno"), ("truecolor", "stackdyno")]
)
async def test_the_terminal_decides(console, monkeypatch, system: str, theme: str):
    monkeypatch.setattr("textual.constants.COLOR_SYSTEM", system)
    async with console().run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert pilot.app.theme == theme


async def test_another_theme_draws_everything_anew(console):
    async with console().run_test(size=(160, 48)) as pilot:
        app = await ready(pilot)
        await pilot.pause()
        assert STACKDYNO_DARK.accent in app.export_screenshot()
        app.theme = STACKDYNO_LIGHT.name
        await until(pilot, lambda: STACKDYNO_LIGHT.accent in app.export_screenshot())
        await pilot.pause()
        drawn = app.export_screenshot()
        assert STACKDYNO_DARK.accent not in drawn and STACKDYNO_DARK.foreground not in drawn
