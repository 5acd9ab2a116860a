"""The summary holds what was folded, in each of its formats."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support import story
from tui.findings.judged import summarise
from tui.formats.export import FORMATS, export
from tui.record.events import PhaseChanged, ProcessEnded, RunEnded
from tui.record.record import EventWriter, Record, create_record
from tui.record.state import fold
from tui.summary.schema import Summary
from tui.system.errors import UserError

SCHEMA_FILE = Path(__file__).parents[3] / "docs" / "summary.schema.json"


def summary_of(tmp_path: Path, **changes: object) -> Summary:
    return summarise(Record(tmp_path / "2026_hello"), fold(story.run(**changes)))  # type: ignore[arg-type]


def test_the_rate_is_good_answers_over_measured_seconds(tmp_path: Path) -> None:
    summary = summary_of(tmp_path, good=2000, bad=100)
    result = summary.result
    assert result is not None
    assert (result.good, result.bad, result.seconds) == (4000, 200, 4.0)
    assert result.requests_per_second == 1000.0
    assert result.sent == result.outcomes.total == 4200
    assert result.time_per_request == pytest.approx(10 * 4.0 / 4000)
    assert result.time_per_request_concurrent == pytest.approx(4.0 / 4000)


def test_the_warm_up_is_listed_and_never_counted(tmp_path: Path) -> None:
    summary = summary_of(tmp_path)
    assert summary.warmup is not None
    assert summary.warmup.number is None
    assert [row.number for row in summary.rounds] == [1, 2]


def test_memory_is_summed_over_the_stack_and_divided_over_the_workers(tmp_path: Path) -> None:
    memory = summary_of(tmp_path).memory
    assert memory.idle == 3 * 10**7
    assert memory.after == 6 * 10**7
    assert memory.per_worker == 2 * 10**7
    assert memory.saved_by_sharing == 3 * (4 * 10**7 - 2 * 10**7 - 10**6)
    assert (memory.host_before, memory.host_after) == (9 * 10**8, 11 * 10**8)
    assert [row.label for row in memory.passes] == ["idle", "after warm-up", "after round 1", "after round 2"]


def test_a_percentile_without_samples_is_blank_with_the_reason(tmp_path: Path) -> None:
    result = summary_of(tmp_path, good=50).result
    assert result is not None
    points = {point.percent: point for point in result.percentiles}
    assert points[50].seconds == pytest.approx(0.005, rel=0.01)
    assert points[99].seconds is None
    assert points[99].reason is not None
    assert "at least 10" in points[99].reason


def test_a_process_that_only_started_the_stack_has_ended_and_a_stopped_one_has_not(tmp_path: Path) -> None:
    events = [
        *story.run(ended=False),
        story.seen(9, "helper"),
        ProcessEnded(t=0.6, pid=9, start=90, status="exit 0", expected=True),
        PhaseChanged(t=6.5, phase="stop"),
        ProcessEnded(t=6.6, pid=10, start=100, status="exit 0", expected=True),
        RunEnded(t=7.0, verdict="good"),
    ]
    rows = {row.pid: row for row in summarise(Record(tmp_path), fold(events)).processes}
    assert (rows[9].ended_at, rows[9].ended) == (0.6, "exit 0")
    assert (rows[10].ended_at, rows[10].ended) == (None, "exit 0")


def test_exit_status(tmp_path: Path) -> None:
    assert summary_of(tmp_path).exit_status == 0
    assert summary_of(tmp_path, cpu=2.0).exit_status == 1
    stopped = [*story.run(ended=False), RunEnded(t=9.0, verdict="stopped")]
    assert summarise(Record(tmp_path), fold(stopped)).exit_status == 1


def test_json_names_its_schema_and_fits_the_committed_one(tmp_path: Path) -> None:
    written = json.loads(story.written(summary_of(tmp_path), "json"))
    assert (written["schema"], written["schema_version"]) == ("stackdyno/summary", 1)
    assert Summary.model_validate(written) == summary_of(tmp_path)
    committed = json.loads(SCHEMA_FILE.read_text())
    assert committed == Summary.model_json_schema(), (
        "the schema has changed: raise SCHEMA_VERSION if a reader must know, then run docs/write-schema"
    )


def test_text_and_markdown_hold_the_same_figures(tmp_path: Path) -> None:
    summary = summary_of(tmp_path, bad=3)
    for name in ("text", "markdown"):
        written = story.written(summary, name)
        assert "1,000" in written
        assert "60.0 MB" in written
        assert "5.00 ms" in written
        assert "errors" in written or "not good" in written


def test_text_says_why_a_run_failed(tmp_path: Path) -> None:
    events = [
        story.started(),
        RunEnded(t=1.0, verdict="failed", reason="gunicorn ended with status 1", log_tail=("Boom",)),
    ]
    written = story.written(summarise(Record(tmp_path), fold(events)), "text")
    assert "Failed: gunicorn ended with status 1." in written
    assert "  Boom" in written


def test_export_writes_a_file_or_into_a_folder(tmp_path: Path) -> None:
    record = create_record(tmp_path / "runs", "hello")
    writer = EventWriter(record)
    for event in story.run():
        writer.write(event)
    for name, ending in FORMATS.items():
        assert export(record, name, tmp_path).name == f"{record.name}{ending}"
        assert export(record, name, tmp_path / "here").read_text()
    with pytest.raises(UserError, match="can't write there"):
        export(record, "json", tmp_path / "no" / "such" / "folder.json")
    with pytest.raises(UserError, match='no format "xml"; known: text, json, markdown, csv, hgrm, html'):
        export(record, "xml", tmp_path / "x")


def test_a_stack_on_another_machine_has_no_cpu_of_ours() -> None:
    from tui.formats.rows import placed

    here, elsewhere = story.planned().facts, story.planned(server_cpus=()).facts
    assert placed(here) == "on CPU 0"
    assert placed(elsewhere) == "on another machine"
