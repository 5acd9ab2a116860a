"""What a comparison looks like, as screenshots and in every size."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.support import comparisons
from tests.support.console import Still, ready, screen_rows
from tui.console.app import ConsoleApp
from tui.console.compare.screen import PAGES, CompareScreen

WARNINGS = ("unlike kernels: 6.1.0 on gunicorn-sync, 6.18.1 on gunicorn-preload",)


async def rows_and_screenshot(
    console: Callable[..., ConsoleApp],
    size: tuple[int, int],
    variants: int,
    *keys: str,
    theme: str = "stackdyno",
) -> tuple[str, str]:
    """The text and the screenshot of the screen with a comparison of so many variants."""
    app = console()
    async with app.run_test(size=size) as pilot:
        await ready(pilot)
        app.theme = theme
        screen = CompareScreen((), read=Still)
        app.push_screen(screen)
        await pilot.pause()
        screen.show_reading(6 * variants)
        screen.show_comparison(comparisons.comparison(variants, warnings=WARNINGS, invalid=True))
        screen.show_evidence(comparisons.evidence(variants))
        for key in keys:
            await pilot.press(key)
        await pilot.pause()
        rows = screen_rows(app)
        assert {len(row) for row in rows} == {size[0]}
        return "\n".join(rows), re.sub(r"terminal-\d+", "terminal", app.export_screenshot())


@pytest.mark.parametrize("variants", [2, 4])
async def test_everything_at_once(console, svg, variants):
    _, drawn = await rows_and_screenshot(console, (160, 48), variants)
    assert drawn == svg


@pytest.mark.parametrize("page", range(len(PAGES)), ids=PAGES)
async def test_pages(console, svg, page):
    _, drawn = await rows_and_screenshot(console, (80, 24), 2, str(page + 1))
    assert drawn == svg
