"""Stands for the process of a campaign: what it would write down is written by a test."""

from __future__ import annotations

from pathlib import Path

from tests.console import recorded_runs as runs
from tests.unit.report.kept_runs import keep, named
from tui.campaign.plan import Campaign
from tui.campaign.progress import (
    CampaignBegan,
    CampaignEnded,
    ProgressEvent,
    ProgressWriter,
    StartBegan,
    StartEnded,
)
from tui.campaign.record import CampaignRecord, create_campaign
from tui.run.record import Record


class Campaigns:
    """The campaigns that were launched, and which of them go on."""

    def __init__(self) -> None:
        self.launched: list[Campaign] = []
        self.going_on: set[CampaignRecord] = set()
        self.stopped: list[CampaignRecord] = []

    def launch(self, campaign: Campaign, runs: Path | None = None) -> CampaignRecord:
        assert runs is not None
        self.launched.append(campaign)
        record = create_campaign(runs, campaign)
        self.note(record, CampaignBegan(wall=1.0, expected=(10.0,) * len(campaign.entrants)))
        self.going_on.add(record)
        return record

    def is_running(self, record: CampaignRecord) -> bool:
        return record in self.going_on

    def request_stop(self, record: CampaignRecord) -> None:
        self.stopped.append(record)
        self.end(record, "stopped", "it was asked to stop")

    def note(self, record: CampaignRecord, event: ProgressEvent) -> None:
        writer = ProgressWriter(record)
        writer.write(event)
        writer.close()

    def begin(self, record: CampaignRecord, number: int, profile: str) -> Record:
        """A start under way."""
        run = keep(
            record.runs / f"run-{number}", named(runs.running(), profile, profile), summary=False, alive=True
        )
        self.note(record, StartBegan(number=number, record=run.name))
        return run

    def whole(self, record: CampaignRecord, number: int, profile: str) -> Record:
        """A start that is done."""
        run = keep(record.runs / f"whole-{number}", named(runs.finished(), profile, profile))
        self.note(record, StartBegan(number=number, record=run.name))
        self.note(record, StartEnded(number=number, record=run.name, verdict="good", seconds=10.0))
        return run

    def end(self, record: CampaignRecord, verdict: str = "complete", reason: str | None = None) -> None:
        self.note(record, CampaignEnded.model_validate({"verdict": verdict, "reason": reason}))
        self.going_on.discard(record)
