"""What the main screen looks like, as screenshots that a review shows.

A screenshot that changes on purpose is renewed with ``pytest tests/console/test_screenshots.py --snapshot-update``,
looked at, and committed.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support import recorded_runs as runs
from tests.support.console import RUNS, frame_after, screen_rows, screen_with
from tui.console.profiles.rows import ProfileRow
from tui.console.run.source import FrameReady
from tui.record.record import Record

SIZES = ((160, 48), (80, 24))
OF_THE_DRAWN_WINDOW = {"#ff5f57", "#febc2e", "#28c840", "#c5c8c6"}
"""The three lamps and the title that Textual draws around a screenshot."""


@pytest.mark.parametrize("size", SIZES, ids=["160x48", "80x24"])
@pytest.mark.parametrize("run", [None, *RUNS], ids=["idle", *RUNS])
async def test_screen(console, svg, run, size):
    drawn, _ = await screen_with(console, size, run)
    assert drawn == svg


@pytest.mark.parametrize(
    "keys", [("question_mark",), ("f",), ("e",), ("q",)], ids=["help", "findings", "export", "quit"]
)
async def test_over_the_screen(console, svg, keys, tmp_path, monkeypatch):
    monkeypatch.setattr("pathlib.Path.cwd", lambda: Path("/home/ada"))
    drawn, _ = await screen_with(console, (80, 24), "running", *keys)
    assert drawn == svg


async def test_the_list_of_profiles(console, svg):
    drawn, _ = await screen_with(console, (80, 24), None, "p", "3")
    assert drawn == svg


async def test_a_small_terminal_still_says_the_essential(console):
    _, text = await screen_with(console, (40, 12), "running")
    joined = "\n".join(text)
    assert "4,880 now" in joined and "p99 7.8" in joined and "round 2 of 3" in joined


async def test_every_size_can_be_drawn(console):
    for size in ((20, 5), (60, 18), (100, 30), (119, 33), (200, 60)):
        _, text = await screen_with(console, size, "running")
        assert {len(line) for line in text} == {size[0]}


@pytest.mark.parametrize("size", SIZES, ids=["160x48", "80x24"])
async def test_drawing_only_what_changed_gives_the_same_screen(console, size):
    """Frame by frame through a run, then as if the console had just been attached."""
    events = runs.running()
    app = console(Record(Path("/runs/run")), still=True)
    async with app.run_test(size=size) as pilot:
        while not app.selection.rows:
            await pilot.pause(0.02)
        for upto in [*range(9, len(events), 11), len(events)]:
            app.post_message(FrameReady(frame_after(events[:upto])))
            await pilot.pause()
        step_by_step = screen_rows(app)
    _, at_once = await screen_with(console, size, "running")
    assert step_by_step == at_once


async def test_without_colours_nothing_is_lost(console, monkeypatch):
    """NO_COLOR: every state that has a colour has a sign too."""
    monkeypatch.setenv("NO_COLOR", "1")
    drawn, text = await screen_with(console, (160, 48), "running")
    colours = set(re.findall(r"fill: (#[0-9a-f]{6})", drawn))
    greys = {colour for colour in colours if len({colour[1:3], colour[3:5], colour[5:7]}) == 1}
    assert colours - greys <= OF_THE_DRAWN_WINDOW
    joined = "\n".join(text)
    assert all(sign in joined for sign in ("×", "▲", "●", "✗", "░", "▸"))


async def test_the_narrow_screen_has_all_its_parts(console, rows: tuple[ProfileRow, ...]):
    _, text = await screen_with(console, (80, 24), "finished")
    joined = "\n".join(text)
    assert "✓ 4,677 requests/s" in text[1]
    for part in ("4,677 mean", "p99 6.2", "4 of 4", "sharing saves", "load generator at 61 %", "q quit"):
        assert part in joined
