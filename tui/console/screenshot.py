"""A screenshot of the console on a recorded run, for the README and for reports."""

from __future__ import annotations

import asyncio
from pathlib import Path

from textual.pilot import Pilot

from tui.console.app import ConsoleApp
from tui.console.compare.screen import CompareScreen
from tui.console.drawing.themes import STACKDYNO_DARK
from tui.experiment.record import ExperimentRecord
from tui.record.record import Record
from tui.system.errors import UserError
from tui.system.wholefiles import write_export

LONGEST = 15.0
"""Seconds to wait for the run to appear on the screen."""


def save_screenshot(
    record: Record | ExperimentRecord,
    path: Path,
    size: tuple[int, int],
    *,
    profiles: Path | None,
    runs: Path | None,
) -> Path:
    """Draw the console at ``size`` (columns, rows) showing a run or an experiment's comparison, and write it as SVG.

    Raises:
        UserError: The record can't be read, or the file can't be written.
    """
    svg = asyncio.run(_drawn(record, size, profiles, runs))
    path = path.expanduser().absolute()
    write_export(path, svg)
    return path


async def _drawn(
    record: Record | ExperimentRecord, size: tuple[int, int], profiles: Path | None, runs: Path | None
) -> str:
    app = ConsoleApp(profiles=profiles, runs=runs, attach=record)
    async with app.run_test(size=size) as pilot:
        app.theme = STACKDYNO_DARK.name  # a screenshot has all colours, whatever this terminal supports
        if isinstance(record, ExperimentRecord):
            await _until_compared(app, pilot)
        else:
            await _until_shown(app, pilot)
        return app.export_screenshot(title="stackdyno")


async def _until_shown(app: ConsoleApp, pilot: Pilot[None]) -> None:
    deadline = asyncio.get_running_loop().time() + LONGEST
    while app.frame is None or not app.selection.rows:
        if app.source is not None and app.source.fault is not None:
            break
        if asyncio.get_running_loop().time() > deadline:
            raise UserError("the run could not be shown; is its record damaged?")
        await pilot.pause(0.05)
    if app.source is not None and app.source.fault is not None:
        raise UserError(app.source.fault)
    await pilot.pause(0.3)


async def _until_compared(app: ConsoleApp, pilot: Pilot[None]) -> None:
    deadline = asyncio.get_running_loop().time() + 4 * LONGEST
    while not (isinstance(app.screen, CompareScreen) and app.screen.evidence):
        frame = app.session.progress
        if frame is not None and not frame.running and (frame.kind != "comparison" or not frame.comparable):
            raise UserError(
                f"{frame.name}: fewer than two variants have a complete run, so there is nothing to compare"
            )
        if asyncio.get_running_loop().time() > deadline:
            raise UserError("the comparison could not be shown; is it still running, or is a record damaged?")
        await pilot.pause(0.05)
    await pilot.pause(0.3)
