"""A comparison from its marks to its screen, in a real terminal that is lost on the way."""

from __future__ import annotations

import re
from pathlib import Path

from tests.support.terminal import Opener, Terminal
from tui.experiment.process import is_running
from tui.experiment.progress import read_progress, variant_runs
from tui.experiment.record import list_experiments

SHORT = """
title   = "Number {name}"
order   = {order}
stack   = "gunicorn"
app     = "hello"
workers = 1

[load]
connections = 10
duration    = "600ms"
warmup      = "0s"
rounds      = 1
"""


def begun(screen: Terminal) -> str:
    """The screen with the first run under way; at the same time as another run, if one is using this machine."""
    shown = screen.wait_for(r"run \d of 6|This machine is in use", 30)
    if "This machine is in use" in shown:
        screen.press("y")
    return screen.wait_for(r"comparison +run \d of 6 · (one|two)", 30)


def test_a_comparison_outlives_its_terminal_and_is_shown_at_its_end(
    terminal: Opener, runs: Path, profiles: Path
) -> None:
    for order, name in enumerate(("one", "two"), start=-1):
        (profiles / f"{name}.toml").write_text(SHORT.format(name=name, order=order))
    screen = terminal(columns=80, rows=24)
    screen.wait_for("Number one")
    screen.press("1", "Space", "2", "Space")
    screen.wait_for("2 marked: c compares")
    screen.press("c")
    screen.wait_for("Number one against Number two")
    screen.press("3")
    begun(screen)
    screen.close()

    (record,) = list_experiments(runs)
    assert is_running(record)
    again = terminal("attach")
    assert re.search(r"about \d+ (s|min) left", again.wait_for(r"run \d of 6 · (one|two)", 30))
    shown = again.wait_for("PSS [0-9]", 90)
    assert not is_running(record)
    progress = read_progress(record)
    assert progress.ended is not None and progress.ended.verdict == "complete"
    assert [len(found) for _, found in variant_runs(record)] == [3, 3]
    for part in (
        "Compare",
        "A one",
        "B two",
        "no verdict",
        "requests/s",
        "━━━ A p50",
        "run 1 of 3|run 2|run 3",
    ):
        assert re.search(part, shown), part
    assert "Traceback" not in shown
    again.press("Escape", "q")
    left = again.wait_for("left with 0")
    assert record.name in left
