"""Waiting for what a campaign does, and looking at what it leaves."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from tests.integration.run.command import Command, processes_of
from tui.campaign.progress import Progress, read_progress
from tui.campaign.record import CampaignRecord, find_campaign, list_campaigns
from tui.run import control
from tui.run.record import Record, first_event, list_records, read_state


def wait_for(
    record: CampaignRecord, condition: Callable[[Progress], object], seconds: float = 40.0
) -> Progress:
    deadline = time.monotonic() + seconds
    while not condition(progress := read_progress(record)):
        assert time.monotonic() < deadline, f"it did not happen in time: {progress}"
        time.sleep(0.05)
    return progress


def nothing_left(runs: Path) -> bool:
    """Whether no run of this folder goes on, and no process of a stack that it started lives."""
    return not any(
        control.is_running(record) or ((told := first_event(record)) and processes_of(told.run))
        for record in list_records(runs)
    )


def measuring(record: CampaignRecord) -> Record:
    """Wait until the current run has put load on; its record."""
    progress = wait_for(record, lambda progress: progress.current)
    assert progress.current is not None
    run = Record(record.runs / progress.current[1])
    wait_for(record, lambda progress: first_event(run) and read_state(run).in_round)
    return run


def begin(stackdyno: Command, *arguments: str) -> subprocess.Popen[str]:
    """A command in whose second start load is put on when this returns."""
    command = subprocess.Popen(
        stackdyno.words(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 20
    while not list_campaigns(stackdyno.runs):
        assert time.monotonic() < deadline, command.communicate(timeout=5)
        time.sleep(0.05)
    campaign = find_campaign(None, stackdyno.runs)
    wait_for(campaign, lambda progress: len(progress.done) == 1)
    measuring(campaign)
    return command
