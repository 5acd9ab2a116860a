"""Kept campaigns as rows, whatever state their folder is in."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from tests.unit.report import story
from tests.unit.report.kept_runs import keep
from tui.campaign.plan import Campaign, Entrant
from tui.campaign.process import claim
from tui.campaign.progress import (
    CampaignBegan,
    CampaignEnded,
    MachineTaken,
    ProgressEvent,
    ProgressWriter,
    StartBegan,
    StartEnded,
    StartVerdict,
)
from tui.campaign.record import CampaignRecord, create_campaign
from tui.campaign.rows import delete_campaign, read_campaigns
from tui.system.errors import UserError

BEGAN = CampaignBegan(wall=1.0, expected=(None, None))


def campaign(runs: Path, *events: ProgressEvent, **changes: object) -> CampaignRecord:
    said = {
        "kind": "comparison",
        "title": "",
        "entrants": (Entrant(label="sync", profile="sync"), Entrant(label="gthread", profile="gthread")),
        "starts": 2,
    }
    record = create_campaign(runs, Campaign.model_validate(said | changes))
    writer = ProgressWriter(record)
    for event in (BEGAN, *events):
        writer.write(event)
    writer.close()
    return record


def start(number: int, verdict: StartVerdict = "good") -> StartEnded:
    return StartEnded(number=number, record=f"run-{number}", verdict=verdict, seconds=1.0)


def test_a_complete_comparison(tmp_path: Path) -> None:
    ended = CampaignEnded(verdict="complete")
    record = campaign(tmp_path, start(1), start(2), start(3, "failed"), start(4), ended)
    (row,) = read_campaigns(tmp_path)
    assert (row.record, row.title, row.verdict) == (record, "comparison of sync and gthread", "complete")
    assert row.words == "complete, 4 starts"
    assert row.sentence == "Complete: 4 of 4 starts, 1 of them without a result."
    assert row.sides == (("sync", 2, 0), ("gthread", 1, 1))
    assert row.started == datetime.strptime(record.name[:19], "%Y-%m-%d_%H-%M-%S").astimezone()


def test_one_that_ended_early_says_how_far_it_came(tmp_path: Path) -> None:
    campaign(tmp_path / "a", start(1), CampaignEnded(verdict="stopped"))
    campaign(tmp_path / "b", start(1), CampaignEnded(verdict="failed", reason="sync: it never answered"))
    campaign(tmp_path / "c", start(1), StartBegan(number=2, record="run-2"))
    rows = [row for name in "abc" for row in read_campaigns(tmp_path / name)]
    assert [row.words for row in rows] == [
        "stopped, 1 of 4 starts",
        "failed, 1 of 4 starts",
        "interrupted, 1 of 4 starts",
    ]
    assert [row.sentence for row in rows] == [
        "Stopped after 1 of 4 starts.",
        "Failed after 1 of 4 starts: sync: it never answered.",
        "Interrupted: its process ended after 1 of 4 starts.",
    ]


def test_one_that_goes_on_says_what_it_does(tmp_path: Path) -> None:
    """This very process carries them out."""
    claim(campaign(tmp_path / "a", start(1), StartBegan(number=2, record="run-2")))
    claim(campaign(tmp_path / "b", MachineTaken(by="the run of hello by ada, pid 7")))
    claim(campaign(tmp_path / "c", start(1)))
    rows = [row for name in "abc" for row in read_campaigns(tmp_path / name)]
    assert {row.verdict for row in rows} == {"running"}
    assert [row.sentence for row in rows] == [
        "It goes on: start 2 of 4, gthread.",
        "It waits for the run of hello by ada, pid 7.",
        "It goes on, 1 of 4 starts done.",
    ]


def test_titles(tmp_path: Path) -> None:
    three = tuple(Entrant(label=name, profile=name) for name in "abc")
    campaign(tmp_path / "a", entrants=three)
    campaign(tmp_path / "b", kind="suite", title="Articles", suite=Path("/x/articles-2009.toml"))
    assert read_campaigns(tmp_path / "a")[0].title == "comparison of a, b and c"
    assert read_campaigns(tmp_path / "b")[0].title == "suite articles-2009"


@pytest.mark.parametrize("damaged", ["campaign.json", "progress.jsonl"])
def test_one_damaged_campaign_does_not_break_the_list(tmp_path: Path, damaged: str) -> None:
    campaign(tmp_path)
    record = campaign(tmp_path)
    (record.folder / damaged).write_text("{}\n")
    rows = {row.record: row for row in read_campaigns(tmp_path)}
    assert len(rows) == 2
    assert rows[record].verdict == "unreadable"
    assert rows[record].sentence.startswith("Unreadable: ") and damaged in rows[record].sentence


def test_deleting_a_campaign_leaves_its_runs(tmp_path: Path) -> None:
    record = campaign(tmp_path, start(1))
    kept = keep(tmp_path / "run-1", story.run())
    with pytest.raises(UserError, match="only what is kept in"):
        delete_campaign(record, tmp_path / "elsewhere")
    delete_campaign(record, tmp_path)
    assert not record.folder.exists()
    assert kept.events_path.exists()


def test_a_campaign_that_goes_on_is_not_deleted(tmp_path: Path) -> None:
    record = campaign(tmp_path)
    claim(record)
    with pytest.raises(UserError, match="it goes on; stop it first"):
        delete_campaign(record, tmp_path)
    assert record.folder.exists()
