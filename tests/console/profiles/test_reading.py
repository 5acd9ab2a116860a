"""Keys that come before the profiles are read."""

from __future__ import annotations

import threading

import pytest

from tests.support.console import notices, screen_rows, until
from tui.system.errors import UserError


@pytest.fixture
def gate(backend, rows):
    """Profiles that are read once this is set."""
    opened = threading.Event()

    def read(profiles):
        assert opened.wait(10)
        return rows, 0

    backend.read_profiles = read
    yield opened
    opened.set()


@pytest.mark.parametrize("size", [(160, 48), (80, 24)])
async def test_it_says_that_it_reads(console, gate, size):
    app = console()
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        shown = "\n".join(screen_rows(app))
        assert "reading profiles …" in shown
        assert "no profile" not in shown
        gate.set()
        await until(pilot, lambda: app.selection.rows)
        await pilot.pause()
        assert "reading profiles" not in "\n".join(screen_rows(app))


@pytest.mark.parametrize(
    ("keys", "launched"), [(["r"], "gunicorn-sync"), (["2", "enter"], "gunicorn-preload")]
)
async def test_a_run_that_is_asked_for_meanwhile_starts_then(console, runners, gate, keys, launched):
    app = console()
    async with app.run_test(size=(160, 48)) as pilot:
        await pilot.press(*keys)
        assert notices(app) == []
        gate.set()
        await until(pilot, lambda: app.frame is not None)
        assert runners.launched == [launched]


async def test_a_selection_made_meanwhile_stays(console, gate):
    app = console()
    async with app.run_test(size=(160, 48)) as pilot:
        await pilot.press("3", "up")
        gate.set()
        await until(pilot, lambda: app.selection.rows)
        assert app.selection.index == 1


async def test_a_selection_of_what_is_not_there_is_the_default(console, gate):
    app = console()
    async with app.run_test(size=(160, 48)) as pilot:
        await pilot.press("9")
        gate.set()
        await until(pilot, lambda: app.selection.rows)
        assert app.selection.index == 0


async def test_profiles_that_cannot_be_read_are_not_waited_for(console, backend):
    def refuse(profiles):
        raise UserError("no/such: no folder")

    backend.read_profiles = refuse
    app = console()
    async with app.run_test(size=(160, 48)) as pilot:
        await until(pilot, lambda: notices(app) and not app.selection.reading)
        await pilot.pause()
        assert "no profiles found" in "\n".join(screen_rows(app))
