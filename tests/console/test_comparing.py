"""Profiles are marked, their comparison is asked for, followed, stopped, left, and shown when it is over."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from textual.pilot import Pilot

from tests.support.console import Runners, notices, ready, screen_rows, until
from tests.support.experiments import BOTH, Experiments, a_comparison
from tui.console.app import ConsoleApp
from tui.console.compare.screen import CompareScreen
from tui.console.dialogs import Ask, ExportDialog
from tui.console.drawing.lines import plain
from tui.console.experiment.line import ExperimentLine
from tui.console.help import help_text
from tui.console.main_screen import MainScreen
from tui.console.profiles.screen import ProfilesScreen
from tui.console.profiles.widgets import ProfileList
from tui.console.run.status import StatusLine
from tui.console.session import RunOpened
from tui.experiment.record import ExperimentRecord


def footer(app: ConsoleApp) -> str:
    return screen_rows(app)[-1]


def hint(app: ConsoleApp) -> str:
    return app.query_one(StatusLine).hint


def asked(app: ConsoleApp) -> str:
    assert isinstance(app.screen, Ask)
    return app.screen._question


async def launched(
    pilot: Pilot, experiments: Experiments, starts: str = "6"
) -> tuple[ConsoleApp, ExperimentRecord]:
    """Mark two, ask, and wait for the experiment."""
    app = await ready(pilot)
    await pilot.press("1", "space", "2", "space", "c")
    await until(pilot, lambda: isinstance(app.screen, Ask))
    await pilot.press(starts)
    await until(pilot, lambda: app.session.experiment is not None)
    (record,) = experiments.going_on
    return app, record


async def test_space_marks_and_unmarks_the_selected_profile(console):
    async with console().run_test(size=(160, 48)) as pilot:
        app = await ready(pilot)
        await pilot.press("2", "space", "1", "space")
        assert app.selection.marked == ("gunicorn-preload", "gunicorn-sync")
        shown = app.query_one(ProfileList)
        assert shown.border_title == "Profiles: 2 marked, c compares"
        assert [plain(line)[:3] for line in shown.lines(40, 20)[:2]] == ["▸1◆", " 2◆"]
        await pilot.press("space")
        assert app.selection.marked == ("gunicorn-preload",)


@pytest.mark.parametrize(("key", "why"), [("3", "needs nginx"), ("4", "did you mean")])
async def test_what_cannot_run_cannot_be_marked(console, key, why):
    async with console().run_test(size=(160, 48)) as pilot:
        app = await ready(pilot)
        await pilot.press(key, "space")
        assert app.selection.marked == ()
        assert why in notices(app)[0] and "it can't be compared" in notices(app)[0]


async def test_the_list_of_profiles_marks_too(console):
    async with console().run_test(size=(80, 24)) as pilot:
        app = await ready(pilot)
        await pilot.press("p", "space", "down", "space")
        await until(pilot, lambda: app.selection.marked == BOTH)
        assert isinstance(app.screen, ProfilesScreen)
        assert app.screen.query_one(ProfileList).marked == BOTH
        await pilot.press("c")
        await until(pilot, lambda: isinstance(app.screen, Ask))
        assert "gunicorn, sync workers against gunicorn, a heavy app preloaded" in asked(app)


async def test_where_the_list_is_not_seen_a_line_says_what_is_marked(console):
    async with console().run_test(size=(80, 24)) as pilot:
        app = await ready(pilot)
        line = app.query_one(ExperimentLine)
        assert not line.display
        await pilot.press("space")
        await pilot.pause()
        assert line.display
        assert plain(line.lines(78, 1)[0]) == "◆ 1 marked: c compares  gunicorn-sync"
        await pilot.press("space")
        await pilot.pause()
        assert not line.display


async def test_a_comparison_starts_as_often_as_was_chosen(console, experiments):
    async with console().run_test(size=(80, 24)) as pilot:
        app, _ = await launched(pilot, experiments, "9")
        (experiment,) = experiments.launched
        assert [variant.label for variant in experiment.variants] == list(BOTH)
        assert [variant.profile for variant in experiment.variants] == [
            str(row.path) for row in app.selection.rows[:2]
        ]
        assert experiment.runs_each == 9
        assert experiment.title == "gunicorn-sync against gunicorn-preload"
        assert app.selection.marked == ()


async def test_enter_takes_six_and_escape_none(console, experiments):
    async with console().run_test(size=(80, 24)) as pilot:
        app = await ready(pilot)
        await pilot.press("space", "2", "space", "c", "escape")
        await pilot.pause()
        assert isinstance(app.screen, MainScreen) and not experiments.launched
        await pilot.press("c", "enter")
        await until(pilot, lambda: experiments.launched)
        assert experiments.launched[0].runs_each == 6


async def test_one_alone_is_compared_with_itself(console, experiments):
    async with console().run_test(size=(80, 24)) as pilot:
        app = await ready(pilot)
        await pilot.press("2", "space", "c")
        await until(pilot, lambda: isinstance(app.screen, Ask))
        assert "how much is noise" in asked(app)
        await pilot.press("3")
        await until(pilot, lambda: experiments.launched)
        labels = [variant.label for variant in experiments.launched[0].variants]
        assert labels == ["gunicorn-preload", "gunicorn-preload (2)"]


async def test_a_running_run_is_stopped_first_after_a_question(console, experiments, runners: Runners):
    async with console().run_test(size=(80, 24)) as pilot:
        app = await ready(pilot)
        await pilot.press("r")
        await until(pilot, lambda: app.frame is not None and app.frame.running)
        await pilot.press("space", "2", "space", "c")
        await until(pilot, lambda: isinstance(app.screen, Ask))
        assert "is running and will be stopped first" in asked(app)
        await pilot.press("6")
        await until(pilot, lambda: experiments.launched)
        assert len(runners.stopped) == 1


async def test_another_run_on_the_machine_asks(console, experiments, backend):
    backend.holder = lambda: "the run of puma by ada, pid 1"
    async with console().run_test(size=(80, 24)) as pilot:
        app = await ready(pilot)
        await pilot.press("space", "c")
        await until(pilot, lambda: isinstance(app.screen, Ask))
        await pilot.press("6")
        await until(pilot, lambda: isinstance(app.screen, Ask) and "puma" in asked(app))
        assert not experiments.launched and not app.session.in_experiment
        await pilot.press("y")
        await until(pilot, lambda: experiments.launched)
        assert experiments.launched[0].concurrent


async def test_its_runs_are_followed_one_after_the_other(console, experiments):
    async with console().run_test(size=(80, 24)) as pilot:
        app, record = await launched(pilot, experiments)
        first = experiments.begin(record, 1, BOTH[0])
        await until(pilot, lambda: app.record == first and app.frame is not None)
        line = app.query_one(ExperimentLine)
        said = plain(line.lines(78, 1)[0])
        assert said.startswith("comparison  run 1 of 12 · gunicorn-sync  ")
        assert said.endswith("about 2 min left")
        assert line.display
        second = experiments.begin(record, 2, BOTH[1])
        await until(pilot, lambda: app.record == second)
        await until(pilot, lambda: "r run" in footer(app) and "q quit" in footer(app))
        await pilot.press("r")
        await until(pilot, lambda: notices(app))
        assert notices(app) == ["a comparison is running; s stops it"]


async def test_a_run_that_is_looked_at_stays_when_the_next_start_begins(console, experiments):
    async with console().run_test(size=(80, 24)) as pilot:
        app, record = await launched(pilot, experiments)
        first = experiments.begin(record, 1, BOTH[0])
        await until(pilot, lambda: app.record == first)
        other = experiments.whole(a_comparison(experiments, record.runs, whole=0), 3, BOTH[0])
        app.take(RunOpened(other))
        second = experiments.begin(record, 2, BOTH[1])
        await until(pilot, lambda: app.session.found == second)
        assert app.record == other
        await pilot.press("a")
        await until(pilot, lambda: app.record == second)


async def test_stop_asks_for_the_whole(console, experiments):
    async with console().run_test(size=(80, 24)) as pilot:
        app, record = await launched(pilot, experiments)
        await pilot.press("s")
        await until(pilot, lambda: isinstance(app.screen, Ask))
        assert "whole comparison" in asked(app)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, MainScreen))
        assert not experiments.stopped
        await pilot.press("s", "y")
        await until(pilot, lambda: app.session.experiment is None)
        assert experiments.stopped == [record]
        assert notices(app)[-1].startswith("The comparison is incomplete, 0 of 12 runs")
        assert not app.query_one(ExperimentLine).display


async def test_when_it_is_over_it_is_shown(console, experiments, tmp_path):
    record = a_comparison(experiments, tmp_path / "runs")
    async with console(record).run_test(size=(160, 48)) as pilot:
        app = await ready(pilot)
        await until(pilot, lambda: app.session.progress is not None)
        experiments.end(record)
        await until(pilot, lambda: isinstance(app.screen, CompareScreen))
        screen = app.screen
        assert isinstance(screen, CompareScreen)
        await until(pilot, lambda: screen.evidence)
        assert screen.comparison is not None
        assert [variant.label for variant in screen.comparison.variants] == list(BOTH)
        await pilot.press("escape")
        assert isinstance(app.screen, MainScreen)
        await pilot.press("c")
        await until(pilot, lambda: isinstance(app.screen, CompareScreen))
        await pilot.press("escape", "q")
        await until(pilot, lambda: not app.is_running)
    assert app.farewell == [*screen.comparison.sentences, str(record.folder)]


async def test_a_dialog_is_not_covered_by_what_came_of_it(console, experiments, tmp_path):
    record = a_comparison(experiments, tmp_path / "runs")
    async with console(record).run_test(size=(80, 24)) as pilot:
        app = await ready(pilot)
        await until(pilot, lambda: app.session.progress is not None)
        await pilot.press("p")
        experiments.end(record)
        await until(pilot, lambda: app.session.experiment is None)
        assert isinstance(app.screen, ProfilesScreen)
        assert hint(app) == "The comparison has ended: c shows it"


async def test_without_a_mark_the_newest_comparison_is_shown(console, experiments, tmp_path):
    record = a_comparison(experiments, tmp_path / "runs")
    experiments.end(record)
    async with console().run_test(size=(80, 24)) as pilot:
        app = await ready(pilot)
        await pilot.press("c")
        await until(pilot, lambda: isinstance(app.screen, CompareScreen) and app.screen.comparison)


async def test_without_a_comparison_it_says_how_to_make_one(console):
    async with console().run_test(size=(80, 24)) as pilot:
        app = await ready(pilot)
        await pilot.press("c")
        assert notices(app) == ["nothing is marked: space marks a profile, and c compares the marked ones"]


async def test_a_comparison_that_has_one_variant_says_so_and_closes(console, experiments, tmp_path):
    record = a_comparison(experiments, tmp_path / "runs", whole=1)
    experiments.end(record, "stopped")
    async with console().run_test(size=(80, 24)) as pilot:
        app = await ready(pilot)
        await pilot.press("c")
        await until(pilot, lambda: notices(app))
        assert "no run of gunicorn-preload can be compared" in notices(app)[0]
        await until(pilot, lambda: isinstance(app.screen, MainScreen))


@pytest.mark.parametrize(("key", "stopped"), [("l", False), ("s", True)])
async def test_leaving_asks_and_says_how_to_come_back(console, experiments, key, stopped):
    async with console().run_test(size=(80, 24)) as pilot:
        app, record = await launched(pilot, experiments)
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, Ask))
        await pilot.press(key)
        await until(pilot, lambda: not app.is_running)
    assert experiments.stopped == ([record] if stopped else [])
    come_back = [f"The comparison continues: stackdyno --runs {record.runs} attach {record.name}"]
    assert app.farewell == ([] if stopped else come_back)


async def test_a_lost_terminal_says_it_too(console, experiments):
    async with console().run_test(size=(80, 24)) as pilot:
        app, record = await launched(pilot, experiments)
        app.leave(1)
        await until(pilot, lambda: not app.is_running)
    assert app.farewell[0].endswith(f"attach {record.name}")
    assert not experiments.stopped


async def test_a_running_one_is_found_and_attached_to(console, experiments, tmp_path):
    record = a_comparison(experiments, tmp_path / "runs", whole=1)
    run = experiments.begin(record, 2, BOTH[1])
    async with console().run_test(size=(80, 24)) as pilot:
        app = await ready(pilot)
        await until(pilot, lambda: app.session.found == record)
        assert hint(app) == "A comparison started elsewhere is running: a shows it"
        await until(pilot, lambda: "a attach" in footer(app))
        await pilot.press("a")
        await until(pilot, lambda: app.record == run)


async def test_keys_are_in_the_help_and_the_palette(console):
    text = help_text().plain
    assert "space" in text and "compare the marked profiles" in text
    async with console().run_test(size=(80, 24)) as pilot:
        app = await ready(pilot)
        titles = {command.title for command in app.get_system_commands(app.screen)}
        assert {"Mark the selected profile, or unmark it"} <= titles
        assert any("Compare the marked profiles" in title for title in titles)


async def test_pages_turn_and_words_are_shown(console: Callable[..., ConsoleApp], experiments, tmp_path):
    experiments.end(a_comparison(experiments, tmp_path / "runs"))
    async with console().run_test(size=(80, 24)) as pilot:
        app = await ready(pilot)
        await pilot.press("c")
        await until(pilot, lambda: isinstance(app.screen, CompareScreen) and app.screen.evidence)
        screen = app.screen
        seen = []
        for key in ("right", "right", "left", "5", "right"):
            await pilot.press(key)
            seen.append([each.id for each in screen.query(".panel") if each.display and each.size.height])
        await pilot.pause()
        assert [names[-1] for names in seen] == ["bars", "latency", "bars", "memory", "table"]
        await pilot.press("i")
        await pilot.pause()
        assert app.screen is not screen
        await pilot.press("escape", "escape")
        assert isinstance(app.screen, MainScreen)


async def test_export_asks_for_format_and_file(console, experiments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    record = a_comparison(experiments, tmp_path / "runs")
    experiments.end(record)
    async with console().run_test(size=(80, 24)) as pilot:
        app = await ready(pilot)
        await pilot.press("c")
        await until(pilot, lambda: isinstance(app.screen, CompareScreen) and app.screen.evidence)
        screen = app.screen
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, ExportDialog))
        await pilot.press("down", "enter")
        await until(pilot, lambda: notices(app))
        written = tmp_path / f"{record.name}.json"
        assert notices(app) == [f"Wrote {written}"]
        assert json.loads(written.read_text())["schema"] == "stackdyno/comparison"
        assert app.screen is screen
