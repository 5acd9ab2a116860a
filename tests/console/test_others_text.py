"""Text of others on the console's screens: shown literally, never read as markup, and nothing of it obeyed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Log

from tests.support import comparisons, story
from tests.support import recorded_runs as runs
from tests.support.console import assert_screen_holds, notices, ready, screen_rows, until
from tests.support.hostile import HOSTILE, assert_harmless, hostile_folder, write_hostile
from tests.support.kept_runs import keep, named
from tui.console.app import ConsoleApp
from tui.console.compare.screen import CompareScreen
from tui.console.dialogs import Ask, ExportDialog
from tui.console.history.screen import HistoryScreen
from tui.findings.judged import write_summary
from tui.record.record import Record

TITLE = "a [/b] [red]c"


def harmless(app: ConsoleApp) -> None:
    """Neither what goes to the terminal nor a screenshot holds a command."""
    for row in screen_rows(app):
        assert_harmless(row)
        assert "\n" not in row
    assert_harmless(app.export_screenshot())


@pytest.mark.parametrize("events", [runs.running, runs.failed, lambda: story.run(good=9, bad=9)])
async def test_every_screen_of_a_run(console, tmp_path, rows, backend, events):
    record = write_hostile(Record(hostile_folder(tmp_path / "runs")), events())
    (record.logs / "server\x1b[2J.log").write_bytes(HOSTILE.encode() + b"\xff\xe9\n")
    write_summary(record)
    backend.rows = tuple(
        replace(row, name=HOSTILE, title=HOSTILE, facts=((HOSTILE, HOSTILE),), why_not=(HOSTILE,))
        for row in rows
    )
    app = console(attach=record)
    async with app.run_test(size=(160, 48)) as pilot:
        await until(pilot, lambda: app.frame is not None and app.selection.rows)
        await pilot.pause()
        harmless(app)
        for key in ("l", "f", "h", "p", "v", "e", "ctrl+p"):
            await pilot.press(key)
            await until(pilot, lambda: len(app.screen_stack) > 1)
            await pilot.pause(0.2)
            harmless(app)
            if key == "l":
                assert any("␛]0;title␇" in line for line in app.screen.query_one(Log).lines)
            await pilot.press("escape")
            await until(pilot, lambda: len(app.screen_stack) == 1)
        app.refuse(HOSTILE)
        app.tell(HOSTILE)
        await until(pilot, lambda: len(notices(app)) == 2)
        await pilot.pause(0.2)
        harmless(app)


async def test_a_comparison(console):
    labels = (HOSTILE, f"{HOSTILE} too")
    app = console()
    async with app.run_test(size=(160, 60)) as pilot:
        screen = await comparing(pilot, labels)
        screen.show_evidence(comparisons.evidence(labels=labels))
        await pilot.pause(0.1)
        harmless(app)
        await pilot.press("i")
        await pilot.pause(0.1)
        harmless(app)


class Nothing:
    def close(self) -> None: ...


async def comparing(pilot: Pilot, labels: tuple[str, str]) -> CompareScreen:
    """A comparison of variants with these labels, on the screen."""
    app = await ready(pilot)
    screen = CompareScreen((), read=lambda *_: Nothing())
    app.push_screen(screen)
    await pilot.pause()
    screen.show_comparison(comparisons.comparison(labels=labels))
    return screen


async def titled(pilot: Pilot) -> ConsoleApp:
    app = await ready(pilot)
    await pilot.pause()
    return app


@pytest.fixture
def markup(backend, rows) -> None:
    """Every profile's title and name look like markup."""
    backend.rows = tuple(
        replace(row, title=f"{TITLE} {i}", name=f"{TITLE} {i}") for i, row in enumerate(rows)
    )


@pytest.mark.usefixtures("markup")
async def test_markup_in_a_title_is_literal_in_lists_and_the_palette(console):
    async with console().run_test(size=(160, 48)) as pilot:
        app = await titled(pilot)
        assert_screen_holds(app, TITLE)
        await pilot.press("ctrl+p")
        await until(pilot, lambda: f"Select {TITLE} 1" in "\n".join(screen_rows(app)))
        app.screen.query_one(Input).value = "select [/b"
        await until(pilot, lambda: "Run the selected" not in "\n".join(screen_rows(app)))
        await until(pilot, lambda: f"Select {TITLE} 2" in "\n".join(screen_rows(app)))
        await pilot.press("down", "down", "enter")
        await until(pilot, lambda: len(app.screen_stack) == 1)
        await pilot.press("p")
        await pilot.pause(0.1)
        assert_screen_holds(app, f"{TITLE} 3")


@pytest.mark.usefixtures("markup")
async def test_markup_is_literal_in_toasts_dialogs_and_borders(console, tmp_path):
    folder = tmp_path / "runs"
    record = keep(
        folder / f"2026-12-01_03-20-00_{TITLE.replace('/', '')}", named(runs.finished(), TITLE, TITLE)
    )
    app = console()
    async with app.run_test(size=(160, 48)) as pilot:
        await titled(pilot)
        app.refuse(TITLE)
        app.tell(TITLE)
        await until(pilot, lambda: "\n".join(screen_rows(app)).count(TITLE) >= 2)
        await pilot.press("h")
        await until(pilot, lambda: isinstance(app.screen, HistoryScreen) and app.screen.kept)
        await pilot.pause(0.1)
        assert_screen_holds(app, TITLE)
        assert_screen_holds(app, record.name)
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, ExportDialog))
        await pilot.pause(0.1)
        assert_screen_holds(app, f"Export {record.name}")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, HistoryScreen))
        await pilot.press("d")
        await until(pilot, lambda: isinstance(app.screen, Ask))
        await pilot.pause(0.1)
        assert_screen_holds(app, f"Delete {record.name}")


async def test_markup_is_literal_in_a_comparison(console):
    labels = (TITLE, f"{TITLE} 2")
    app = console()
    async with app.run_test(size=(160, 60)) as pilot:
        await comparing(pilot, labels)
        await pilot.pause(0.1)
        assert_screen_holds(app, f"{TITLE} 2")
        await pilot.press("i")
        await pilot.pause(0.1)
        assert_screen_holds(app, f"{TITLE} 2")
