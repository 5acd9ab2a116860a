"""Leaving at bad moments, and what is printed then."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events

from tests.support import recorded_runs as runs
from tests.support.console import a_running, notices, ready, recorded, until
from tui.console.dialogs import Ask
from tui.console.main_screen import MainScreen
from tui.console.pages import Page
from tui.console.shown import attach_command
from tui.record.record import Record, default_runs
from tui.system.errors import UserError


def attach(runners, name: str) -> str:
    return f"The run continues: stackdyno --runs {runners.folder} attach {name}"


async def test_stop_and_quit_before_the_run_is_there_stops_that_run(console, runners):
    runners.gate.clear()
    app = console()
    async with app.run_test(size=(160, 48)) as pilot:
        await ready(pilot)
        await pilot.press("r", "q", "s")
        assert app.is_running
        runners.gate.set()
        await until(pilot, lambda: not app.is_running)
    assert [record.name for record in runners.stopped] == ["run-1"]
    assert "Requests per second" in app.farewell[0]


async def test_an_earlier_run_is_not_taken_for_the_one_that_is_launched(console, runners):
    app = console()
    async with app.run_test(size=(160, 48)) as pilot:
        await a_running(pilot)
        assert app.record is not None
        runners.end(app.record)
        await until(pilot, lambda: app.frame is not None and not app.frame.running)
        runners.gate.clear()
        await pilot.press("2", "r", "q")
        assert "Gunicorn, a heavy app preloaded is starting" in str(app.screen.query_one("Label").content)
        await pilot.press("l")
        runners.gate.set()
        await until(pilot, lambda: not app.is_running)
    assert app.farewell == [attach(runners, "run-2")]
    assert runners.stopped == []


async def test_a_stop_before_the_run_is_there_waits_for_it(console, runners):
    runners.gate.clear()
    async with console().run_test(size=(160, 48)) as pilot:
        app = await ready(pilot)
        await pilot.press("r", "s")
        runners.gate.set()
        await until(pilot, lambda: app.frame is not None and not app.frame.running)
        assert [record.name for record in runners.stopped] == ["run-1"]


@pytest.mark.parametrize("answer", ["s", "l"])
async def test_a_launch_that_is_refused_while_leaving_is_told_in_the_terminal(console, runners, answer):
    def refuse(*_: object, **__: object) -> Record:
        assert runners.gate.wait(10)
        raise UserError("port 8001 is in use by pid 77 (nginx)")

    runners.gate.clear()
    runners.launch = refuse
    app = console()
    async with app.run_test(size=(160, 48)) as pilot:
        await ready(pilot)
        await pilot.press("r", "q", answer)
        runners.gate.set()
        await until(pilot, lambda: not app.is_running)
    assert app.farewell == ["port 8001 is in use by pid 77 (nginx)"]


async def test_a_signal_before_the_run_is_there_says_how_to_find_it(console, runners):
    runners.gate.clear()
    app = console()
    async with app.run_test(size=(160, 48)) as pilot:
        await ready(pilot)
        await pilot.press("r")
        app.leave(1)
        runners.gate.set()
        await until(pilot, lambda: not app.is_running)
    assert app.farewell == [f"A run is starting: stackdyno --runs {runners.folder} attach"]


async def test_keys_typed_ahead_into_a_dialog_that_has_gone_are_ignored(console, runners):
    async with console().run_test(size=(160, 48)) as pilot:
        app = await a_running(pilot)
        await pilot.press("q")
        asked = app.screen
        assert isinstance(asked, Ask)
        for _ in range(2):
            asked.post_message(events.Key("c", "c"))
        await until(pilot, lambda: isinstance(app.screen, MainScreen))
        await pilot.pause()
        assert app.is_running


async def test_a_page_is_closed_once(console):
    async with console().run_test(size=(160, 48)) as pilot:
        app = await ready(pilot)
        await pilot.press("question_mark")
        page = app.screen
        assert isinstance(page, Page)
        page.dismiss()
        page.dismiss()
        await pilot.pause()
        assert isinstance(app.screen, MainScreen)


def test_the_attach_command_is_whole(tmp_path):
    kept = Record(tmp_path / "my runs" / "run")
    assert attach_command(kept, tmp_path / "my runs") == f"stackdyno --runs '{tmp_path}/my runs' attach run"
    assert attach_command(Record(default_runs() / "run"), None) == "stackdyno attach run"
    assert attach_command(Record(Path("/elsewhere/run")), None) == "stackdyno attach /elsewhere/run"


async def test_another_run_on_the_machine_is_asked_about(console, runners, backend):
    backend.holder = lambda: "the run of hello by ada, pid 7"
    async with console().run_test(size=(160, 48)) as pilot:
        app = await ready(pilot)
        await pilot.press("r")
        await until(pilot, lambda: isinstance(app.screen, Ask))
        assert "the run of hello by ada, pid 7" in str(app.screen.query_one("Label").content)
        await pilot.press("n")
        assert not app.session.under_way and runners.launched == []
        await pilot.press("2", "r")
        await until(pilot, lambda: isinstance(app.screen, Ask))
        await pilot.press("y")
        await until(pilot, lambda: app.frame is not None)
        assert runners.launched == ["gunicorn-preload"] and runners.concurrent == [True]
        assert notices(app) == []


async def test_another_run_on_the_machine_is_told_to_who_leaves(console, runners, backend):
    def holder() -> str:
        assert runners.gate.wait(10)
        return "the run of hello by ada, pid 7"

    runners.gate.clear()
    backend.holder = holder
    app = console()
    async with app.run_test(size=(160, 48)) as pilot:
        await ready(pilot)
        await pilot.press("r", "q", "l")
        runners.gate.set()
        await until(pilot, lambda: not app.is_running)
    assert app.farewell == ["the run of hello by ada, pid 7 is still running: nothing was started"]


async def test_attaching_selects_the_runs_profile(console, tmp_path):
    events = runs.finished()
    of_preload = [events[0].model_copy(update={"profile_name": "gunicorn-preload"}), *events[1:]]
    app = console(attach=recorded(tmp_path / "run", of_preload))
    async with app.run_test(size=(160, 48)) as pilot:
        await ready(pilot)
        await until(pilot, lambda: app.frame is not None)
        assert app.selection.index == 1


async def test_a_run_that_is_found_selects_its_profile(console, runners):
    events = runs.running()
    of_preload = [events[0].model_copy(update={"profile_name": "gunicorn-preload"}), *events[1:]]
    runners.going_on.add(recorded(runners.folder / "other", of_preload))
    async with console().run_test(size=(160, 48)) as pilot:
        app = await ready(pilot)
        await until(pilot, lambda: app.session.found is not None)
        assert app.selection.index == 1


async def test_a_damaged_record_says_so_on_the_stage_and_quits_without_a_question(console, tmp_path):
    record = recorded(tmp_path / "run", runs.starting())
    with record.events_path.open("a") as file:
        file.write('{"type": "nonsense"}\n')
    app = console(attach=record)
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        await until(pilot, lambda: app.frame is not None)
        assert app.frame is not None and app.frame.failure is not None
        assert "lines of events.jsonl can't be read" in app.frame.failure.reason
        await pilot.press("q")
        await until(pilot, lambda: not app.is_running)


async def test_what_killed_runs_left_behind_is_said_once(console, backend):
    backend.left = "2 processes were left behind by shop; `stackdyno clean` ends what was left"
    app = console()
    async with app.run_test(size=(160, 48)) as pilot:
        await ready(pilot)
        await until(pilot, lambda: notices(app) == [backend.left])
