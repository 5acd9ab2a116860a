"""Every key does what the help says."""

from __future__ import annotations

import pytest
from textual.widgets import Input, OptionList

from tests.support import recorded_runs as runs
from tests.support.console import a_running, notices, ready, recorded, until
from tui.console.app import ConsoleApp
from tui.console.dialogs import Ask, ExportDialog
from tui.console.help import WIDTH, help_text
from tui.console.main_screen import MainScreen
from tui.console.pages import LogPage, Page
from tui.console.profiles.screen import ProfilesScreen
from tui.console.profiles.widgets import Preview, ProfileList
from tui.console.run.panels import WorkerTable
from tui.console.run.status import StatusLine
from tui.record.record import Record
from tui.system.errors import UserError


async def test_digits_arrows_and_brackets_select(console):
    async with console().run_test(size=(160, 48)) as pilot:
        app = await ready(pilot)
        seen = []
        for key in (
            "2",
            "down",
            "up",
            "right_square_bracket",
            "left_square_bracket",
            "9",
            "1",
            "up",
            "4",
            "down",
        ):
            await pilot.press(key)
            seen.append(app.selection.index)
        assert seen == [1, 2, 1, 2, 1, 1, 0, 0, 3, 3]
        assert app.screen.query_one(ProfileList).selected == 3
        assert app.screen.query_one(Preview).row is app.selection.rows[3]


@pytest.mark.parametrize("key", ["r", "enter"])
async def test_run_starts_the_selected_profile(console, runners, key):
    async with console().run_test(size=(160, 48)) as pilot:
        app = await ready(pilot)
        await pilot.press("2", key)
        await until(pilot, lambda: app.frame is not None)
        assert runners.launched == ["gunicorn-preload"]
        assert app.screen.query_one(ProfileList).running == "gunicorn-preload"


async def test_a_launch_is_announced_and_not_repeated(console, runners):
    runners.gate.clear()
    async with console().run_test(size=(160, 48)) as pilot:
        app = await ready(pilot)
        await pilot.press("r", "r")
        # On a busy machine a key may be handled after press() has returned: it takes a process without CPU for idle.
        await until(pilot, lambda: "a run is starting" in notices(app))
        assert app.screen.query_one(StatusLine).hint == "Starting gunicorn, sync workers …"
        runners.gate.set()
        await until(pilot, lambda: app.frame is not None)
        assert runners.launched == ["gunicorn-sync"]
        assert app.screen.query_one(StatusLine).hint == ""


@pytest.mark.parametrize(
    ("digit", "reason"), [("3", "nginx-gunicorn: needs nginx: apt install nginx"), ("4", "did you mean")]
)
async def test_a_profile_that_cannot_run_says_why_in_one_line(console, runners, digit, reason):
    async with console().run_test(size=(160, 48)) as pilot:
        app = await ready(pilot)
        await pilot.press(digit, "r")
        await until(pilot, lambda: notices(app))
        assert reason in notices(app)[0]
        assert "\n" not in notices(app)[0]
        assert runners.launched == []


async def test_a_refused_launch_says_why_and_can_be_tried_again(console, runners):
    def refuse(*_: object, **__: object) -> Record:
        raise UserError("port 8001 is in use by pid 77 (nginx)")

    runners.launch = refuse
    async with console().run_test(size=(160, 48)) as pilot:
        app = await ready(pilot)
        await pilot.press("r")
        await until(pilot, lambda: notices(app))
        assert notices(app) == ["port 8001 is in use by pid 77 (nginx)"]
        assert not app.session.under_way
        assert app.screen.query_one(StatusLine).hint == ""


def asked(app: ConsoleApp, word: str) -> bool:
    """Whether a question with this word stands on the screen."""
    return isinstance(app.screen, Ask) and word in app.export_screenshot()


async def test_a_load_on_another_machine_has_to_be_agreed_to(console, runners, backend):
    runners.elsewhere = "http://192.0.2.1:80/ is on another machine (192.0.2.1:80)"
    async with console().run_test(size=(160, 48)) as pilot:
        app = await ready(pilot)
        await pilot.press("r")
        await until(pilot, lambda: asked(app, "(192.0.2.1:80)"))
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, MainScreen))
        assert runners.launched == [] and not app.session.under_way
        backend.holder = lambda: "the run of other by ada, pid 7"
        await pilot.press("r")
        await until(pilot, lambda: asked(app, "ada,"))
        await pilot.press("y")
        await until(pilot, lambda: asked(app, "(192.0.2.1:80)"))
        await pilot.press("y")
        await until(pilot, lambda: app.frame is not None)
        assert runners.launched == ["gunicorn-sync"] and runners.concurrent == [True]


async def test_selecting_never_disturbs_a_run(console, runners):
    async with console().run_test(size=(160, 48)) as pilot:
        app = await a_running(pilot)
        record = app.record
        await pilot.press("2", "down", "up", "4", "1")
        assert app.record == record
        assert runners.stopped == []


async def test_stop_asks_the_runner_and_the_result_is_shown(console, runners):
    async with console().run_test(size=(160, 48)) as pilot:
        app = await a_running(pilot)
        await pilot.press("s")
        await until(pilot, lambda: app.frame is not None and not app.frame.running)
        assert runners.stopped == [app.record]
        assert app.frame is not None
        assert "Stopped early" in (app.frame.status.verdict or "")


async def test_stop_is_dimmed_when_nothing_runs(console, runners):
    async with console().run_test(size=(160, 48)) as pilot:
        app = await ready(pilot)
        assert app.check_action("stop", ()) is None
        await pilot.press("s")
        assert runners.stopped == []


async def test_another_run_asks_first_and_waits_for_the_first_to_end(console, runners):
    async with console().run_test(size=(160, 48)) as pilot:
        app = await a_running(pilot)
        first = app.record
        await pilot.press("2", "r")
        assert isinstance(app.screen, Ask)
        await pilot.press("n")
        assert isinstance(app.screen, MainScreen)
        assert runners.stopped == []
        await pilot.press("r")
        await pilot.press("y")
        await until(pilot, lambda: app.record != first and app.frame is not None)
        assert runners.stopped == [first]
        assert runners.launched == ["gunicorn-sync", "gunicorn-preload"]


async def test_a_refused_stop_is_said_once_and_nothing_starts_later_by_itself(console, runners):
    async with console().run_test(size=(160, 48)) as pilot:
        app = await a_running(pilot)
        first = app.record
        assert first is not None
        runners.deaf.add(first)
        await pilot.press("2", "r", "y")
        await until(pilot, lambda: notices(app))
        why = "run-1: its runner (pid 7) doesn't answer: timed out"
        assert notices(app) == [f"{why}; gunicorn, a heavy app preloaded won't start"]
        assert app.screen.query_one(StatusLine).hint == ""
        await pilot.press("r")
        assert isinstance(app.screen, Ask)
        await pilot.press("n")
        runners.end(first)
        await until(pilot, lambda: app.frame is not None and not app.frame.running)
        await pilot.pause(0.3)
        assert app.is_running and app.session.launch is None
        assert runners.launched == ["gunicorn-sync"]
        await pilot.press("r")
        await until(pilot, lambda: app.record != first and app.frame is not None)
        assert runners.launched == ["gunicorn-sync", "gunicorn-preload"]


async def test_the_first_run_may_end_while_the_question_stands(console, runners):
    async with console().run_test(size=(160, 48)) as pilot:
        app = await a_running(pilot)
        first = app.record
        await pilot.press("2", "r")
        assert first is not None
        runners.end(first)
        await until(pilot, lambda: app.frame is not None and not app.frame.running)
        await pilot.press("y")
        await until(pilot, lambda: app.record != first and app.frame is not None)
        assert runners.stopped == []
        assert runners.launched == ["gunicorn-sync", "gunicorn-preload"]


async def test_quit_without_a_run_leaves_at_once(console):
    app = console()
    async with app.run_test(size=(160, 48)) as pilot:
        await ready(pilot)
        await pilot.press("q")
    assert app.return_code == 0
    assert app.farewell == []


@pytest.mark.parametrize("key", ["q", "ctrl+c", "ctrl+q"])
async def test_quit_asks_while_a_run_is_running_and_can_be_cancelled(console, runners, key):
    async with console().run_test(size=(160, 48)) as pilot:
        app = await a_running(pilot)
        await pilot.press(key)
        assert isinstance(app.screen, Ask)
        await pilot.press("escape")
        assert isinstance(app.screen, MainScreen)
        assert app.is_running


async def test_quit_and_let_it_run_says_how_to_attach(console, runners):
    app = console()
    async with app.run_test(size=(160, 48)) as pilot:
        await a_running(pilot)
        await pilot.press("q", "l")
        await until(pilot, lambda: not app.is_running)
    assert app.farewell == [f"The run continues: stackdyno --runs {runners.folder} attach run-1"]
    assert runners.stopped == []


async def test_quit_and_stop_waits_for_the_end_and_leaves_the_result(console, runners):
    app = console()
    async with app.run_test(size=(160, 48)) as pilot:
        await a_running(pilot)
        record = app.record
        await pilot.press("q", "s")
        await until(pilot, lambda: not app.is_running)
    assert runners.stopped == [record]
    assert "Requests per second" in app.farewell[0]


async def test_quit_after_a_finished_run_prints_its_result(console, tmp_path):
    app = console(attach=recorded(tmp_path / "run", runs.finished()))
    async with app.run_test(size=(160, 48)) as pilot:
        await ready(pilot)
        await until(pilot, lambda: app.frame is not None)
        await pilot.press("q")
    assert "Requests per second" in app.farewell[0]
    assert app.farewell[-1] == str(tmp_path / "run")


async def test_a_signal_lets_the_run_go_on(console, runners):
    app = console()
    async with app.run_test(size=(160, 48)) as pilot:
        await a_running(pilot)
        app.leave(1)
        await until(pilot, lambda: not app.is_running)
    assert app.return_code == 129
    assert app.farewell == [f"The run continues: stackdyno --runs {runners.folder} attach run-1"]
    assert runners.stopped == []


async def test_export_asks_and_says_where_it_wrote(console, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    app = console(attach=recorded(tmp_path / "run", runs.finished()))
    async with app.run_test(size=(160, 48)) as pilot:
        await until(pilot, lambda: app.frame is not None)
        await pilot.press("e")
        assert isinstance(app.screen, ExportDialog)
        assert app.screen.query_one(Input).value == str(tmp_path / "run.txt")
        await pilot.press("down")
        assert app.screen.query_one(Input).value == str(tmp_path / "run.json")
        formats = app.screen.query_one(OptionList)
        marked = [str(option.prompt) for option in formats.options if str(option.prompt).startswith("▸")]
        assert marked == ["▸ json"]
        await pilot.press("enter")
        await until(pilot, lambda: notices(app))
        assert notices(app) == [f"Wrote {tmp_path / 'run.json'}"]
    assert '"requests_per_second"' in (tmp_path / "run.json").read_text()


async def test_a_path_that_was_typed_stays_when_the_format_changes(console, tmp_path):
    app = console(attach=recorded(tmp_path / "run", runs.finished()))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.frame is not None)
        await pilot.press("e")
        path = app.screen.query_one(Input)
        path.value = str(tmp_path / "no" / "such.folder")
        await pilot.press("down", "tab", "enter")
        await until(pilot, lambda: notices(app))
        assert "can't write there" in notices(app)[0]


async def test_export_can_be_left(console, tmp_path):
    app = console(attach=recorded(tmp_path / "run", runs.finished()))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.frame is not None)
        await pilot.press("e", "escape")
        assert isinstance(app.screen, MainScreen)


async def test_view_shows_the_profiles_file_and_what_is_wrong_with_it(console):
    async with console().run_test(size=(160, 48)) as pilot:
        app = await ready(pilot)
        await pilot.press("v")
        assert isinstance(app.screen, Page)
        assert 'title = "gunicorn, sync workers"' in app.export_screenshot().replace("&#160;", " ").replace(
            "&quot;", '"'
        )
        await pilot.press("escape", "4", "v")
        assert "did" in app.export_screenshot() and "conections" in app.export_screenshot()


async def test_log_is_followed(console, tmp_path):
    record = recorded(tmp_path / "run", runs.finished())
    log = record.logs / "gunicorn.log"
    log.write_text("Booting worker\n")
    app = console(attach=record)
    async with app.run_test(size=(160, 48)) as pilot:
        await until(pilot, lambda: app.frame is not None)
        await pilot.press("l")
        assert isinstance(app.screen, LogPage)
        await until(pilot, lambda: "Booting" in app.export_screenshot())
        with log.open("a") as file:
            file.write("Shutting-down\n")
        await until(pilot, lambda: "Shutting-down" in app.export_screenshot())
        await pilot.press("l")
        assert isinstance(app.screen, MainScreen)


async def test_findings_page_has_evidence(console, tmp_path):
    app = console(attach=recorded(tmp_path / "run", runs.running()))
    async with app.run_test(size=(160, 48)) as pilot:
        await until(pilot, lambda: app.frame is not None)
        await pilot.press("f")
        assert isinstance(app.screen, Page)
        assert "SIGKILL" in app.export_screenshot()


async def test_help_explains_every_key_of_the_footer(console):
    async with console().run_test(size=(160, 60)) as pilot:
        app = await ready(pilot)
        shown = [binding.key_display or binding.key for binding in app.BINDINGS if binding.show]
        await pilot.press("question_mark")
        text = str(app.screen.query_one("Static").content)
        assert all(f"  {key}" in text for key in shown)
        await pilot.press("question_mark")
        assert isinstance(app.screen, MainScreen)


def test_help_explains_the_words_of_an_open_loop():
    text = str(help_text())
    words = (
        "planned",
        "sent",
        "achieved",
        "never sent",
        "latency",
        "service time",
        "schedule lag",
        "caught up",
    )
    assert "Open loop" in text
    assert all(f"\n  {word}" in text for word in words)
    assert max(map(len, text.splitlines())) <= WIDTH


async def test_profiles_come_as_a_list_over_a_narrow_screen(console, runners):
    async with console().run_test(size=(80, 24)) as pilot:
        app = await ready(pilot)
        assert not app.screen.query_one("#side").display
        await pilot.press("p")
        assert isinstance(app.screen, ProfilesScreen)
        await pilot.press("down", "down", "up")
        assert app.selection.index == 1
        await pilot.press("r")
        await until(pilot, lambda: app.frame is not None)
        assert runners.launched == ["gunicorn-preload"]


async def test_workers_scroll_by_keys(console, tmp_path):
    app = console(attach=recorded(tmp_path / "run", runs.finished(workers=24)))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.frame is not None)
        await pilot.pause()
        table = app.screen.query_one(WorkerTable)
        assert "below: j k" in str(table.border_subtitle)
        await pilot.press("j", "j", "k")
        assert table.first == 1
        assert str(table.border_subtitle).startswith("1 above, ")
        for _ in range(40):
            await pilot.press("j")
        assert table.first == table.hidden_rows
        assert "below" not in str(table.border_subtitle)


async def test_a_run_that_was_started_elsewhere_can_be_attached(console, runners):
    record = recorded(runners.folder / "other", runs.running())
    runners.going_on.add(record)
    async with console().run_test(size=(80, 24)) as pilot:
        app = await ready(pilot)
        await until(pilot, lambda: app.session.found is not None)
        assert "a shows it" in app.screen.query_one(StatusLine).hint
        await pilot.press("a")
        await until(pilot, lambda: app.frame is not None and app.frame.running)
        assert app.record == record


async def test_the_palette_offers_everything(console, tmp_path):
    app = console(attach=recorded(tmp_path / "run", runs.finished()))
    async with app.run_test(size=(160, 48)) as pilot:
        await ready(pilot)
        await until(pilot, lambda: app.frame is not None)
        titles = [command.title for command in app.get_system_commands(app.screen)]
        assert {"Run the selected profile", "Export the result", "Save a screenshot", "Theme"} <= set(titles)
        assert "Select gunicorn, a heavy app preloaded" in titles
        assert "Stop the run" not in titles


async def test_a_screenshot_lands_in_the_folder_of_the_run(console, tmp_path):
    app = console(attach=recorded(tmp_path / "run", runs.finished()))
    async with app.run_test(size=(160, 48)) as pilot:
        await until(pilot, lambda: app.frame is not None)
        app.action_save_screenshot()
        await until(pilot, lambda: notices(app))
    assert len(list((tmp_path / "run").glob("*.svg"))) == 1


async def test_nothing_is_drawn_below_a_dialog(console, runners, monkeypatch):
    async with console().run_test(size=(160, 48)) as pilot:
        app = await a_running(pilot)
        drawn = []
        monkeypatch.setattr(MainScreen, "show", lambda self, frame: drawn.append(frame))
        await pilot.press("question_mark")
        record = app.record
        assert record is not None
        runners.end(record)
        await until(pilot, lambda: app.frame is not None and not app.frame.running)
        assert drawn == []
        await pilot.press("escape")
        await until(pilot, lambda: drawn)
        assert not drawn[-1].running
