"""The whole console in a real terminal: keys go in, the screen is read."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.support.terminal import Opener, newest, until_ended, words
from tui.record.control import is_running
from tui.system.procfs import is_alive, read_stat

SIZES = [pytest.param(160, 48, id="160x48"), pytest.param(80, 24, id="80x24")]


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_from_the_start_to_an_exported_summary(
    terminal: Opener, runs: Path, tmp_path: Path, columns: int, rows: int
) -> None:
    screen = terminal(columns=columns, rows=rows)
    screen.wait_for("A quick one")
    pressed = time.monotonic()
    screen.press("r")
    screen.wait_for(r"[1-9][\d,]* now")
    assert time.monotonic() - pressed < 10  # three seconds on a quiet machine
    screen.wait_for("round 1 of 2")
    shown = screen.wait_for(r"[\d,]+ requests/s.*no errors", 30)
    assert "Traceback" not in shown
    state = until_ended(newest(runs))
    assert state.ended is not None
    assert state.ended.verdict == "good"
    for process in state.processes.values():
        assert str(process.seen.pid) in shown, "a worker is not on the screen"
    screen.press("e")
    screen.wait_for("(?i)export")
    screen.press("Escape")
    screen.wait_for(r"(?s)\A(?!.*escape cancels)")  # a key right after an escape is taken for one with alt
    screen.press("q")
    left = screen.wait_for("left with 0")
    assert "requests" in left.lower()


def test_the_figures_on_the_screen_are_those_of_the_summary(terminal: Opener, runs: Path) -> None:
    screen = terminal()
    screen.wait_for("A quick one")
    screen.press("Enter")
    shown = screen.wait_for(r"[\d,]+ requests/s.*no errors", 30)
    record = newest(runs)
    until_ended(record)
    deadline = time.monotonic() + 5
    while not record.summary_path.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    summary = json.loads(record.summary_path.read_text())
    assert summary["sentence"] in shown
    assert f"{summary['result']['requests_per_second']:,.0f} mean" in shown


def test_a_run_is_replayed_from_its_start_to_its_result(terminal: Opener, runs: Path, profiles: Path) -> None:
    command = [*words(runs, "--profiles", str(profiles)), "run", "quick"]
    assert subprocess.run(command, capture_output=True, timeout=60).returncode in (0, 1)
    kept = sorted((path, path.stat().st_mtime_ns) for path in runs.rglob("*"))
    screen = terminal("replay", columns=80, rows=24)
    screen.wait_for(r"playing +1×")
    screen.press("Space", "t")
    screen.wait_for("Go to")
    screen.type("round 2")
    screen.press("Enter")
    screen.wait_for(r"round 2 of 2[^$]*paused +1×")
    screen.press("+", "+", "+", "Space")
    screen.wait_for(r"[\d,]+ requests/s[^$]*end +8×", 20)
    screen.press("q")
    screen.wait_for("left with 0")
    assert kept == sorted((path, path.stat().st_mtime_ns) for path in runs.rglob("*"))


def test_a_stopped_run_is_summarised(terminal: Opener, runs: Path) -> None:
    screen = terminal()
    screen.wait_for("A quick one")
    screen.press("r")
    screen.wait_for("round 1 of 2")
    screen.press("s")
    screen.wait_for("(?i)stopped")
    state = until_ended(newest(runs))
    assert state.ended is not None
    assert state.ended.verdict == "stopped"


def test_a_broken_profile_says_what_is_wrong_and_does_not_run(terminal: Opener, runs: Path) -> None:
    screen = terminal()
    screen.wait_for("A quick one")
    screen.press("2")
    screen.wait_for("workres")
    screen.press("r")
    screen.wait_for('did you mean "workers"')
    assert not runs.exists()


def test_quitting_asks_and_the_run_continues_and_is_attached_to(terminal: Opener, runs: Path) -> None:
    first = terminal()
    first.wait_for("A quick one")
    first.press("r")
    first.wait_for("round 1 of 2")
    first.press("q")
    asked = first.wait_for("(?i)let it")
    assert "stop" in asked.lower()
    first.press("l")
    first.wait_for(rf"stackdyno --runs {re.escape(str(runs))} attach")
    record = newest(runs)
    assert is_running(record)
    second = terminal("attach")
    second.wait_for(r"requests/s.*no errors", 30)
    state = until_ended(record)
    assert {point.round for point in state.rate} == {None, 1, 2}


@pytest.mark.parametrize("how", ["terminal", "SIGHUP", "SIGTERM"])
def test_a_lost_terminal_ends_the_console_and_not_the_run(terminal: Opener, runs: Path, how: str) -> None:
    screen = terminal()
    screen.wait_for("A quick one")
    screen.press("r")
    screen.wait_for("round 1 of 2")
    stat = read_stat(screen.pid())
    assert stat is not None
    if how == "terminal":
        screen.close()
    else:
        os.kill(stat.pid, getattr(signal, how))
    deadline = time.monotonic() + 10
    while is_alive(stat.identity):
        assert time.monotonic() < deadline, "the console stayed"
        time.sleep(0.05)
    state = until_ended(newest(runs))
    assert state.ended is not None
    assert state.ended.verdict == "good"
    assert len(state.rounds) == 2


def test_without_colours_and_with_sixteen(terminal: Opener) -> None:
    for environment in ({"NO_COLOR": "1"}, {"TERM": "xterm-16color", "TEXTUAL_COLOR_SYSTEM": "standard"}):
        screen = terminal(environment=environment)
        screen.wait_for("A quick one")
        screen.press("?")
        screen.wait_for("(?i)help")
        screen.press("Escape", "q")
        screen.wait_for("left with 0")


def test_a_console_with_nothing_to_do_leaves_with_its_terminal_too(terminal: Opener, runs: Path) -> None:
    screen = terminal()
    screen.wait_for("A quick one")
    screen.press("r")
    screen.wait_for(r"[\d,]+ requests/s.*no errors", 30)
    stat = read_stat(screen.pid())
    assert stat is not None
    screen.close()
    deadline = time.monotonic() + 10
    while is_alive(stat.identity):
        assert time.monotonic() < deadline, "the console stayed"
        time.sleep(0.05)
