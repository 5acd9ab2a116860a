"""The screen of kept runs: filtered, marked, opened, exported, deleted once confirmed."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from textual.events import MouseScrollDown
from textual.pilot import Pilot
from textual.widgets import Input

from tests.support import recorded_runs as runs
from tests.support import story
from tests.support.console import notices, ready, screen_rows, until
from tests.support.kept_runs import keep, named
from tui.console.app import ConsoleApp
from tui.console.compare.screen import CompareScreen
from tui.console.dialogs import Ask, ExportDialog
from tui.console.drawing.lines import plain, width_of
from tui.console.history.lines import Columns, head_line, row_line, when
from tui.console.history.rows import matches
from tui.console.history.screen import HistoryScreen, RunDetails, RunList
from tui.console.main_screen import MainScreen
from tui.experiment.plan import Experiment, Variant
from tui.experiment.progress import ExperimentBegan, ExperimentEnded, ProgressWriter, VariantRunEnded
from tui.experiment.record import ExperimentRecord, create_experiment
from tui.findings.judged import write_summary
from tui.record.record import Record
from tui.summary.history import RunRow, read_history

TODAY = date(2026, 12, 1)
NOON = datetime(2026, 12, 1, 12, tzinfo=UTC).timestamp()


@pytest.fixture(autouse=True)
def noon(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The reader is in UTC, on a day of the record."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    monkeypatch.setattr("tui.console.history.screen.today", lambda: TODAY)
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Six runs of three profiles, one of each kind, an hour apart; the newest is running."""
    folder = tmp_path / "runs"
    each = [
        (
            "gunicorn-sync",
            "gunicorn, sync workers",
            "gunicorn",
            runs.running(),
            {"summary": False, "alive": True},
        ),
        ("nginx-fcgi-unix-each", "nginx + FastCGI, a socket each", "nginx-fcgi", runs.finished(), {}),
        ("php-fpm", "nginx in front of php-fpm", "php-fpm", story.run(bad=400), {}),
        ("php-fpm", "nginx in front of php-fpm", "php-fpm", runs.failed(), {}),
        ("gunicorn-sync", "gunicorn, sync workers", "gunicorn", runs.stopped(), {}),
        ("gunicorn-sync", "gunicorn, sync workers", "gunicorn", runs.running(), {"summary": False}),
    ]
    for i, (name, title, stack, events, how) in enumerate(each):
        wall = NOON - 3600 * i
        stamp = datetime.fromtimestamp(wall, UTC).strftime("%Y-%m-%d_%H-%M-%S")
        keep(folder / f"{stamp}_{name}", named(events, name, title, wall=wall, stack=stack), **how)
    return folder


async def history(pilot: Pilot) -> tuple[ConsoleApp, HistoryScreen]:
    """Open the screen and wait for its rows."""
    app = await ready(pilot)
    await pilot.press("h")
    screen = app.screen
    assert isinstance(screen, HistoryScreen)
    await until(pilot, lambda: screen.kept)
    return app, screen


def listed(screen: HistoryScreen) -> list[str]:
    return [row.record.name[11:13] for row in screen.query_one(RunList).rows]


async def test_all_runs_are_listed_newest_first(console, folder):
    async with console().run_test(size=(160, 48)) as pilot:
        _, screen = await history(pilot)
        assert listed(screen) == ["12", "11", "10", "09", "08", "07"]
        assert [row.verdict for row in screen.kept] == [
            "running",
            "good",
            "invalid",
            "failed",
            "stopped",
            "cut off",
        ]


@pytest.mark.parametrize("key", ["h", "escape", "q"])
async def test_it_is_left_by_its_own_key_and_the_usual_ones(console, folder, key):
    async with console().run_test(size=(80, 24)) as pilot:
        app, _ = await history(pilot)
        await pilot.press(key)
        assert isinstance(app.screen, MainScreen)
        assert app.is_running


async def test_the_filter_lists_what_has_its_words_as_they_are_typed(console, folder):
    async with console().run_test(size=(80, 24)) as pilot:
        _, screen = await history(pilot)
        await pilot.press("slash", *"php")
        assert listed(screen) == ["10", "09"]
        await pilot.press("down", "enter")
        assert screen.row is not None and screen.row.record.name[11:13] == "09"
        assert screen.is_current
        await pilot.press("escape")
        assert len(listed(screen)) == 6
        assert screen.row.record.name[11:13] == "09"
        assert screen.is_current
        await pilot.press("escape")
        assert not screen.is_current


async def test_keys_that_are_typed_into_the_filter_do_nothing_else(console, folder):
    async with console().run_test(size=(80, 24)) as pilot:
        app, screen = await history(pilot)
        await pilot.press("slash", *"hedq")
        assert app.screen is screen
        assert screen.query_one(Input).value == "hedq"
        assert listed(screen) == []
        assert 'No run has "hedq"' in screen.query_one(RunList).nothing


async def test_the_cursor_moves_by_rows_pages_and_to_the_ends(console, folder):
    async with console().run_test(size=(80, 18)) as pilot:
        _, screen = await history(pilot)
        shown = screen.query_one(RunList)
        page = shown.page
        assert 1 < page < 6
        seen = []
        for key in ("down", "j", "up", "k", "up", "pagedown", "end", "down", "pageup", "home"):
            await pilot.press(key)
            seen.append(shown.selected)
        assert seen == [1, 2, 1, 0, 0, page, 5, 5, 5 - page, 0]


async def test_the_selected_run_is_explained_below(console, folder):
    async with console().run_test(size=(160, 48)) as pilot:
        app, screen = await history(pilot)
        await pilot.press("down", "down")
        details = screen.query_one(RunDetails)
        text = "\n".join(plain(line) for line in details.lines(100, 12))
        assert "rate and latency invalid" in text and "✗ 800 answers" in text
        await pilot.press("down")
        assert "Failed: gunicorn ended with status 1" in "\n".join(
            plain(line) for line in details.lines(100, 12)
        )
        assert app.screen is screen


async def test_enter_opens_a_finished_run_on_the_main_screen(console, folder):
    async with console().run_test(size=(160, 48)) as pilot:
        app, _ = await history(pilot)
        await pilot.press("down", "enter")
        await until(pilot, lambda: app.frame is not None)
        assert isinstance(app.screen, MainScreen)
        assert app.record is not None and app.record.name == "2026-12-01_11-00-00_nginx-fcgi-unix-each"
        assert app.frame is not None and not app.frame.running


async def test_a_click_selects_and_a_double_click_opens(console, folder):
    async with console().run_test(size=(160, 48)) as pilot:
        app, screen = await history(pilot)
        await pilot.click(RunList, offset=(20, 4))
        assert screen.query_one(RunList).selected == 2
        await pilot.click(RunList, offset=(20, 3), times=2)
        await until(pilot, lambda: app.record is not None)
        assert app.record is not None and app.record.name[11:13] == "11"


async def test_looking_at_another_run_leaves_the_running_one_alone(console, folder):
    app = console()
    async with app.run_test(size=(80, 24)) as pilot:
        _, screen = await history(pilot)
        going_on = screen.kept[0].record
        await pilot.press("enter")
        await until(pilot, lambda: app.frame is not None and app.frame.running)
        await pilot.press("h")
        await until(pilot, lambda: isinstance(app.screen, HistoryScreen) and app.screen.kept)
        await pilot.press("down", "enter")
        await until(pilot, lambda: app.frame is not None and not app.frame.running)
        assert notices(app) == [f"{going_on.name} is still running: a shows it again"]
        await pilot.pause()
        footer = screen_rows(app)[-1]
        assert "a attach" in footer and "q quit" in footer
        await pilot.press("a")
        await until(pilot, lambda: app.frame is not None and app.frame.running)
        assert app.record == going_on
        await pilot.press("h")
        await until(pilot, lambda: isinstance(app.screen, HistoryScreen) and app.screen.kept)
        await pilot.press("down", "enter")
        await until(pilot, lambda: app.frame is not None and not app.frame.running)
        await pilot.press("q")
        await until(pilot, lambda: not app.is_running)
    assert app.farewell[0] == f"The run continues: stackdyno --runs {folder} attach {going_on.name}"


async def test_space_marks_and_moves_on_and_marks_survive_the_filter(console, folder):
    async with console().run_test(size=(160, 48)) as pilot:
        _, screen = await history(pilot)
        await pilot.press("down", "space", "space", "up", "space")
        assert [row.record.name[11:13] for row in screen.marked] == ["11"]
        await pilot.press("end", "space", "slash", *"nginx")
        assert [row.record.name[11:13] for row in screen.marked] == ["11", "07"]
        assert listed(screen) == ["11", "10", "09"]


async def test_export_asks_for_the_selected_run(console, folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    async with console().run_test(size=(80, 24)) as pilot:
        app, screen = await history(pilot)
        await pilot.press("down", "e")
        await until(pilot, lambda: isinstance(app.screen, ExportDialog))
        await pilot.press("enter")
        await until(pilot, lambda: notices(app))
        written = tmp_path / "2026-12-01_11-00-00_nginx-fcgi-unix-each.txt"
        assert notices(app) == [f"Wrote {written}"]
        assert "Requests per second" in written.read_text()
        assert app.screen is screen


async def test_delete_asks_and_a_yes_deletes(console, folder):
    async with console().run_test(size=(80, 24)) as pilot:
        app, screen = await history(pilot)
        gone = screen.kept[1].record
        await pilot.press("down", "d")
        await until(pilot, lambda: isinstance(app.screen, Ask))
        assert gone.name in app.export_screenshot().replace("&#160;", " ")
        await pilot.press("y")
        await until(pilot, lambda: len(screen.kept) == 5)
        assert not gone.folder.exists()
        assert notices(app) == [f"Deleted {gone.name}"]
        assert listed(screen) == ["12", "10", "09", "08", "07"]
        assert screen.row is not None and screen.row.record.name[11:13] == "10"


@pytest.mark.parametrize("key", ["n", "escape", "enter"])
async def test_anything_but_y_keeps_the_run(console, folder, key):
    """Enter too: it takes the first answer, which is the harmless one."""
    async with console().run_test(size=(80, 24)) as pilot:
        app, screen = await history(pilot)
        await pilot.press("down", "d")
        await until(pilot, lambda: isinstance(app.screen, Ask))
        await pilot.press(key)
        await until(pilot, lambda: app.screen is screen)
        assert len(list(folder.iterdir())) == 6


async def test_several_marked_runs_are_deleted_together(console, folder):
    async with console().run_test(size=(80, 24)) as pilot:
        app, screen = await history(pilot)
        await pilot.press("end", "space", "up", "space", "home", "d")
        await until(pilot, lambda: isinstance(app.screen, Ask))
        assert "2 runs" in app.export_screenshot().replace("&#160;", " ")
        await pilot.press("y")
        await until(pilot, lambda: len(screen.kept) == 4)
        assert notices(app) == ["Deleted 2 runs"]
        assert listed(screen) == ["12", "11", "10", "09"]
        assert screen.marked == ()


@pytest.fixture
def comparison(folder: Path) -> ExperimentRecord:
    """A comparison that was stopped; it is older than the runs."""
    variants = (Variant(label="gunicorn-sync", profile="a"), Variant(label="php-fpm", profile="b"))
    made = create_experiment(folder, Experiment(kind="comparison", title="", variants=variants, runs_each=6))
    record = ExperimentRecord(folder / "2026-12-01_06-00-00_compare_a_b")
    made.folder.rename(record.folder)
    writer = ProgressWriter(record)
    writer.write(ExperimentBegan(wall=1.0, expected=(None, None)))
    writer.write(VariantRunEnded(number=1, record="gone", verdict="good", seconds=9.0))
    writer.write(ExperimentEnded(verdict="stopped"))
    writer.close()
    return record


@pytest.mark.parametrize("size", [(160, 48), (80, 24)], ids=["160x48", "80x24"])
async def test_experiments_are_listed_among_the_runs(console, comparison, size):
    async with console().run_test(size=size) as pilot:
        app, screen = await history(pilot)
        assert listed(screen) == ["12", "11", "10", "09", "08", "07", "06"]
        await pilot.press("end")
        await pilot.pause()
        text = "\n".join(screen_rows(app))
        assert "comparison of gunicorn-sync and php-fpm" in text
        assert "▲ stopped" in text and "Stopped after 1 of 12 runs." in text
        assert "gunicorn-sync  1 good run" in text
        assert [screen.check_action(action, ()) for action in ("open", "export", "delete")] == [
            True,
            None,
            True,
        ]
        await pilot.press("e")
        assert app.screen is screen


@pytest.fixture
def pair(folder: Path) -> Path:
    """Two good runs of different profiles at the end of the list."""
    for hour, name in ((5, "gunicorn-sync"), (4, "php-fpm")):
        events = named(runs.finished(), name, name, wall=NOON - 3600 * (12 - hour))
        keep(folder / f"2026-12-01_{hour:02}-00-00_{name}", events)
    return folder


async def test_marked_runs_are_compared(console, pair):
    async with console().run_test(size=(160, 48)) as pilot:
        app, screen = await history(pilot)
        await pilot.press("end", "space", "up", "space", "c")
        await until(pilot, lambda: isinstance(app.screen, CompareScreen) and app.screen.comparison)
        assert isinstance(app.screen, CompareScreen) and app.screen.comparison is not None
        variants = [(variant.label, variant.records) for variant in app.screen.comparison.variants]
        assert variants == [
            ("php-fpm", ("2026-12-01_04-00-00_php-fpm",)),
            ("gunicorn-sync", ("2026-12-01_05-00-00_gunicorn-sync",)),
        ]
        await pilot.press("escape")
        assert app.screen is screen
        assert len(screen.marked) == 2


async def test_a_kept_comparison_is_opened_over_the_list(console, pair, comparison):
    writer = ProgressWriter(comparison)
    for number, record in ((2, "2026-12-01_04-00-00_php-fpm"), (4, "2026-12-01_05-00-00_gunicorn-sync")):
        writer.write(VariantRunEnded(number=number, record=record, verdict="good", seconds=9.0))
    writer.close()
    async with console().run_test(size=(80, 24)) as pilot:
        app, screen = await history(pilot)
        await pilot.press("slash", *"comparison", "enter", "enter")
        await until(pilot, lambda: isinstance(app.screen, CompareScreen) and app.screen.comparison)
        await pilot.press("escape")
        assert app.screen is screen


async def test_what_cannot_be_compared_says_why(console, folder):
    async with console().run_test(size=(80, 24)) as pilot:
        app, screen = await history(pilot)
        await pilot.press("c")
        await until(pilot, lambda: notices(app))
        assert notices(app) == ["mark at least two runs with space, then press c"]
        await pilot.press("space", "space", "c")
        await until(pilot, lambda: len(notices(app)) == 2)
        assert notices(app)[1] == f"{screen.kept[0].record.name}: running, so there is nothing to compare"
        assert app.screen is screen


async def test_a_deleted_experiment_leaves_the_runs(console, comparison):
    async with console().run_test(size=(80, 24)) as pilot:
        app, screen = await history(pilot)
        await pilot.press("end", "d")
        await until(pilot, lambda: isinstance(app.screen, Ask))
        assert "Its runs stay." in app.export_screenshot().replace("&#160;", " ")
        await pilot.press("y")
        await until(pilot, lambda: len(screen.kept) == 6)
        assert not comparison.folder.exists()


async def test_the_wheel_scrolls_and_the_words_below_follow(console, folder):
    async with console().run_test(size=(80, 18)) as pilot:
        _, screen = await history(pilot)
        shown = screen.query_one(RunList)
        shown.post_message(MouseScrollDown(shown, 5, 3, 0, 1, 0, False, False, False))
        await until(pilot, lambda: shown.selected > 0)
        assert screen.query_one(RunDetails).row == screen.row == shown.rows[shown.selected]


async def test_a_running_run_is_not_deleted(console, folder):
    async with console().run_test(size=(80, 24)) as pilot:
        app, screen = await history(pilot)
        await pilot.press("d")
        await until(pilot, lambda: notices(app))
        assert notices(app) == [f"{screen.kept[0].record.name} is running: stop it first"]
        assert app.screen is screen
        assert len(list(folder.iterdir())) == 6


async def test_a_run_that_ends_is_reported(console, folder, monkeypatch):
    monkeypatch.setattr("tui.console.history.screen.AGAIN", 0.05)
    async with console().run_test(size=(80, 24)) as pilot:
        _, screen = await history(pilot)
        await pilot.press("end")
        record = screen.kept[0].record
        record.events_path.unlink()
        write_again(record, runs.stopped())
        await until(pilot, lambda: screen.kept[0].verdict == "stopped")
        assert screen.row is not None and screen.row.record.name[11:13] == "07"


def write_again(record: Record, events) -> None:
    from tests.support.console import append

    append(record, events)
    write_summary(record)


async def test_reading_does_not_hold_up_the_keys(console, folder, backend):
    """However long it takes: the screen is there, and is left, before anything was read."""
    gate = threading.Event()

    def slow(where: Path, known: tuple[RunRow, ...]) -> tuple[RunRow, ...]:
        assert gate.wait(10)
        return read_history(where, known)

    backend.read_history = slow
    async with console().run_test(size=(80, 24)) as pilot:
        app = await ready(pilot)
        await pilot.press("h", "down", "slash", "x", "escape")
        assert isinstance(app.screen, HistoryScreen)
        assert app.screen.query_one(RunList).nothing == "reading …"
        await pilot.press("escape")
        assert isinstance(app.screen, MainScreen)
        gate.set()
        await pilot.pause()


async def test_without_a_run_it_says_what_to_do(console):
    async with console().run_test(size=(80, 24)) as pilot:
        app = await ready(pilot)
        await pilot.press("h")
        screen = app.screen
        assert isinstance(screen, HistoryScreen)
        await until(pilot, lambda: "No runs yet" in screen.query_one(RunList).nothing)
        assert screen.check_action("delete", ()) is None
        await pilot.press("enter", "space", "e", "d", "down", "end")
        assert app.screen is screen


async def test_a_folder_that_cannot_be_read_says_why(console, backend):
    from tui.system.errors import UserError

    def refuse(where: Path, known: tuple[RunRow, ...]) -> tuple[RunRow, ...]:
        raise UserError("/runs: can't be read (Permission denied)")

    backend.read_history = refuse
    async with console().run_test(size=(80, 24)) as pilot:
        app = await ready(pilot)
        await pilot.press("h")
        await until(pilot, lambda: "Permission denied" in app.screen.query_one(RunList).nothing)


@pytest.mark.parametrize("size", [(160, 48), (80, 24)], ids=["160x48", "80x24"])
async def test_screenshot(console, svg, folder, size):
    async with console().run_test(size=size) as pilot:
        app, screen = await history(pilot)
        screen.query_one("HistoryHead").folder = "/home/ada/runs"
        await pilot.press("down", "space", "space", "up")
        await pilot.pause()
        assert re.sub(r"terminal-\d+", "terminal", app.export_screenshot()) == svg


async def test_every_size_can_be_drawn(console, folder):
    for size in ((20, 5), (40, 12), (60, 18), (109, 30), (112, 33), (200, 60)):
        async with console().run_test(size=size) as pilot:
            app, _ = await history(pilot)
            await pilot.press("end", "slash", "g")
            assert {len(row) for row in screen_rows(app)} == {size[0]}


@pytest.fixture
def invalid(tmp_path: Path) -> RunRow:
    keep(tmp_path / "one" / "a", named(story.run(bad=400), "php", "PHP", wall=NOON))
    (row,) = read_history(tmp_path / "one")
    return row


@pytest.mark.parametrize("width", [78, 109, 110, 158])
def test_a_row_is_as_wide_as_its_list(invalid: RunRow, width: int) -> None:
    for selected in (False, True):
        line = row_line(invalid, width, selected=selected, marked=True, today=TODAY)
        assert width_of(line) in (width, width - 1)
    assert width_of(head_line(width)) in (width, width - 1)


def test_what_is_invalid_has_a_sign_and_a_colour(invalid: RunRow) -> None:
    pieces = row_line(invalid, 110, selected=False, marked=False, today=TODAY)
    errors = [text.strip() for style, text in pieces if style == "error"]
    assert errors == ["✗ 1,000", "✗ 5.00 ms", "✗", "rate and latency invalid"]
    assert ("plain", "   60.0 MB") in pieces


def test_rows_of_other_years_have_the_year(invalid: RunRow) -> None:
    assert when(invalid.started, TODAY) == "12-01 12:00"
    assert when(invalid.started, date(2027, 1, 1)) == "2026-12-01"
    assert when(None, TODAY) == "–"


def test_the_filter_takes_words_of_stack_profile_and_title(invalid: RunRow) -> None:
    assert all(matches(invalid, wanted) for wanted in ("", "php", "GUNI", "php guni", " "))
    assert not matches(invalid, "php nginx")


def test_the_name_has_what_the_other_columns_leave() -> None:
    assert Columns.of(78).name == 20
    assert Columns.of(158).wide and Columns.of(158).name > 60
