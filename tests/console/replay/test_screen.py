"""Every key of a replay does what the help says, and nothing is started, stopped or written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from tests.support import recorded_runs as runs
from tests.support.console import notices, ready, recorded, screen_rows, until
from tui.console.dialogs import AskTime, ExportDialog
from tui.console.history.screen import HistoryScreen
from tui.console.pages import LogPage, Page
from tui.console.replay.recording import Recording, read_recording
from tui.console.replay.screen import ReplayScreen
from tui.console.replay.widgets import TimeLine

SIZES = [(160, 48), (80, 24)]


@dataclass
class Wall:
    """The wall clock of a replay, which goes on only when it is told to."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    """Three rounds, with findings."""
    return read_recording(recorded(tmp_path / "runs" / "run", runs.finished()))


async def open_replay(pilot: Pilot, recording: Recording, wall: Wall) -> ReplayScreen:
    """The replay over the console, as soon as its findings are known."""
    screen = ReplayScreen(recording, wall)
    pilot.app.push_screen(screen)
    await until(pilot, lambda: screen.frame is not None and screen._searched)
    return screen


async def shown_at(pilot: Pilot, screen: ReplayScreen, recording: Recording, position: float) -> None:
    """Wait for the frame of this position, on the screen and on the bar."""
    frame = recording.frame(position)
    await until(pilot, lambda: screen.frame == frame)
    bar = screen.query_one(TimeLine).bar
    assert bar is not None and bar.at == pytest.approx(position)


@pytest.mark.parametrize(
    ("keys", "seconds", "position"),
    [
        ((), 0, 0.0),
        ((), 3, 3.0),
        (("space",), 3, 0.0),
        (("space", "space"), 3, 3.0),
        (("right",), 0, 5.0),
        (("right", "right", "left"), 1, 6.0),
        (("left",), 1, 1.0),
        (("plus", "plus"), 2, 8.0),
        (("greater_than_sign", "equals_sign", "minus"), 2, 4.0),
        (("plus", "less_than_sign"), 2, 2.0),
        (("space", "t", "1", "2", ".", "5", "enter"), 9, 12.5),
        (("space", "g", "0", ":", "0", "7", "enter"), 9, 7.0),
        (("home",), 2, 2.0),
    ],
    ids=str,
)
async def test_keys_move_the_clock(console, recording, keys, seconds, position):
    wall = Wall()
    async with console().run_test(size=(160, 48)) as pilot:
        screen = await open_replay(pilot, recording, wall)
        await pilot.press(*keys)
        wall.now += seconds
        await shown_at(pilot, screen, recording, position)


@pytest.mark.parametrize(
    ("keys", "place"),
    [
        (("right_square_bracket",), "start"),
        (("pagedown", "shift+right"), "warm-up"),
        (("right_square_bracket",) * 3, "round 1"),
        (("right_square_bracket",) * 4 + ("left_square_bracket",), "round 1"),
        (("pagedown",) * 4 + ("pageup", "shift+left"), "warm-up"),
        (("t", *"round", "space", "2", "enter"), "round 2"),
    ],
    ids=str,
)
async def test_keys_go_to_a_phase(console, recording, keys, place):
    wall = Wall()
    async with console().run_test(size=(160, 48)) as pilot:
        screen = await open_replay(pilot, recording, wall)
        await pilot.press("space", *keys)
        at = next(phase.at for phase in recording.phases if phase.text == place)
        await shown_at(pilot, screen, recording, at)


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_n_pauses_where_a_finding_was_first_made(console, recording, size):
    wall = Wall()
    async with console().run_test(size=size) as pilot:
        screen = await open_replay(pilot, recording, wall)
        first = screen.found[0]
        await pilot.press("n")
        wall.now += 5
        await shown_at(pilot, screen, recording, first.at)
        assert first.text in "\n".join(line.text for line in screen.frame.findings)
        assert any(first.text in said for said in notices(pilot.app)) == (size == (80, 24))
        await pilot.press(*["n"] * len(screen.found))
        await until(pilot, lambda: "No later finding" in notices(pilot.app))
        await pilot.press("home", "N")
        await until(pilot, lambda: "No earlier finding" in notices(pilot.app))


async def test_at_the_end_it_shows_the_result_and_plays_again(console, recording):
    wall = Wall()
    async with console().run_test(size=(80, 24)) as pilot:
        screen = await open_replay(pilot, recording, wall)
        await pilot.press("end")
        await shown_at(pilot, screen, recording, recording.length)
        assert "requests/s" in (screen.frame.status.verdict or "")
        assert "■ end" in screen_rows(pilot.app)[2]
        await pilot.press("space")
        wall.now += 1
        await shown_at(pilot, screen, recording, 1.0)


async def test_a_click_on_the_bar_or_on_a_place_goes_there(console, recording):
    wall = Wall()
    async with console().run_test(size=(160, 48)) as pilot:
        screen = await open_replay(pilot, recording, wall)
        await pilot.press("space")
        row = next(y for y, text in enumerate(screen_rows(pilot.app)) if "┃ round 2" in text)
        await pilot.click(offset=(20, row))
        await shown_at(
            pilot, screen, recording, next(phase.at for phase in recording.phases if phase.text == "round 2")
        )
        end = len(screen_rows(pilot.app)[2].rstrip()) - len("0:16.6") - 3
        await pilot.click(offset=(end, 2))
        await until(pilot, lambda: screen.clock.at(wall.now) == pytest.approx(recording.length, abs=0.2))


@pytest.mark.parametrize(
    ("typed", "said"), [("99:00", "the run ends at"), ("round 9", '"round 9" is no time; type 12.5')]
)
async def test_a_time_that_is_none_is_said_and_can_be_corrected(console, recording, typed, said):
    wall = Wall()
    async with console().run_test(size=(80, 24)) as pilot:
        screen = await open_replay(pilot, recording, wall)
        await pilot.press("space", "t")
        pilot.app.screen.query_one(Input).value = typed
        await pilot.press("enter")
        await until(pilot, lambda: said in "\n".join(screen_rows(pilot.app)))
        assert isinstance(pilot.app.screen, AskTime)
        pilot.app.screen.query_one(Input).value = "3"
        await pilot.press("enter")
        await shown_at(pilot, screen, recording, 3.0)


@pytest.mark.parametrize(
    ("key", "over"), [("l", LogPage), ("f", Page), ("e", ExportDialog), ("question_mark", Page)]
)
async def test_keys_open_what_they_say(console, recording, key, over):
    async with console().run_test(size=(80, 24)) as pilot:
        screen = await open_replay(pilot, recording, Wall())
        await pilot.press(key)
        await until(pilot, lambda: type(pilot.app.screen) is over)
        await pilot.press("escape")
        await until(pilot, lambda: pilot.app.screen is screen)


async def test_keys_that_run_or_stop_do_nothing(console, runners, recording):
    files = {path: path.read_bytes() for path in recording.record.folder.rglob("*") if path.is_file()}
    async with console().run_test(size=(160, 48)) as pilot:
        screen = await open_replay(pilot, recording, Wall())
        await pilot.press("r", "enter", "s", "a", "c", "p", "h", "1", "right", "end", "n")
        assert pilot.app.screen is screen
        shown = {command.title for command in pilot.app.get_system_commands(screen)}
        assert "Play or pause" in shown and not any("Run" in title or "Stop" in title for title in shown)
    assert runners.launched == runners.stopped == []
    assert files == {path: path.read_bytes() for path in recording.record.folder.rglob("*") if path.is_file()}


async def test_a_failed_run_offers_its_log_and_no_run(console, tmp_path):
    failed = read_recording(recorded(tmp_path / "runs" / "run", runs.failed()))
    async with console().run_test(size=(80, 24)) as pilot:
        screen = await open_replay(pilot, failed, Wall())
        await pilot.press("end")
        await shown_at(pilot, screen, failed, failed.length)
        await until(pilot, lambda: "l the whole log" in "\n".join(screen_rows(pilot.app)))
        text = "\n".join(screen_rows(pilot.app))
        assert "Worker failed to" in text and "runs it again" not in text


@pytest.mark.parametrize("key", ["q", "escape", "ctrl+c"])
async def test_leaving_a_replay_that_was_called_leaves_the_console(console, recording, key):
    app = console(replay=recording)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen) and app.screen.frame)
        await pilot.press(key)
        await until(pilot, lambda: not app.is_running)
    assert app.return_code == 0 and app.farewell == []


async def test_r_in_the_history_replays_and_q_comes_back(console, tmp_path):
    recorded(tmp_path / "runs" / "2026-11-30_10-00-00_gunicorn-sync", runs.finished())
    app = console()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        await pilot.press("h")
        await until(pilot, lambda: isinstance(app.screen, HistoryScreen) and app.screen.kept)
        await pilot.press("r")
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen) and app.screen.frame)
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, HistoryScreen))


async def test_a_record_that_cannot_be_read_is_refused_in_one_line(console, tmp_path):
    record = recorded(tmp_path / "runs" / "run", [])
    record.events_path.write_text('{"type": "run-started", "schema_version": 99}\n')
    app = console()
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(ReplayScreen(record))
        await until(pilot, lambda: notices(app))
        assert "event schema 99" in notices(app)[0] and "\n" not in notices(app)[0]
        await until(pilot, lambda: not isinstance(app.screen, ReplayScreen))


@pytest.mark.parametrize("size", SIZES, ids=["160x48", "80x24"])
async def test_screenshot(console, recording, svg, size):
    async with console().run_test(size=size) as pilot:
        screen = await open_replay(pilot, recording, Wall())
        await pilot.press("space", "t", *"9.5", "enter")
        await shown_at(pilot, screen, recording, 9.5)
        await pilot.pause()
        drawn = re.sub(r"terminal-\d+", "terminal", pilot.app.export_screenshot())
        assert drawn == svg
