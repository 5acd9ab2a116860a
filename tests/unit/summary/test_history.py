"""The runs that are kept as rows: each as what it is, whatever state its record is in."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest

from tests.support import story
from tests.support.kept_runs import ended, keep, named
from tui.summary import history
from tui.summary.history import read_history


def test_a_good_run_has_its_figures(tmp_path: Path) -> None:
    record = keep(tmp_path / "2026-12-01_10-00-00_hello", named(story.run(), "hello", "Hello", wall=1000.0))
    (row,) = read_history(tmp_path)
    assert (row.record, row.profile, row.title, row.stack, row.workers) == (
        record,
        "hello",
        "Hello",
        "gunicorn",
        2,
    )
    assert (row.verdict, row.invalid, row.rounds) == ("good", (), 2)
    assert row.rate == 1000.0
    assert row.p50 == pytest.approx(0.005, rel=0.01) and row.p99 == pytest.approx(0.005, rel=0.01)
    assert row.memory == 60_000_000
    assert row.sentence.startswith("1,000 requests/s, p99 5.00 ms")
    assert row.started == datetime.fromtimestamp(1000.0).astimezone()
    assert (
        row.started is not None
        and row.started.utcoffset() == datetime.fromtimestamp(1000.0).astimezone().utcoffset()
    )


def test_newest_first_and_an_empty_folder_is_no_error(tmp_path: Path) -> None:
    for day in ("02", "03", "01"):
        keep(tmp_path / f"2026-12-{day}_10-00-00_hello", story.run())
    assert [row.record.name[8:10] for row in read_history(tmp_path)] == ["03", "02", "01"]
    assert read_history(tmp_path / "none") == ()


def test_what_is_invalid_is_listed_with_its_quantities(tmp_path: Path) -> None:
    keep(tmp_path / "a", story.run(good=2000, bad=400))
    (row,) = read_history(tmp_path)
    assert row.verdict == "invalid"
    assert row.invalid == ("rate", "latency")
    assert row.words == "rate and latency invalid"
    assert any(each.severity == "invalid" for each in row.findings)


def test_warnings_of_a_good_run_are_counted(tmp_path: Path) -> None:
    keep(tmp_path / "a", story.run(good=2000, bad=2))
    (row,) = read_history(tmp_path)
    warnings = sum(each.severity == "warning" for each in row.findings)
    assert row.verdict == "good" and warnings
    assert row.words == f"good, {warnings} warning{'s' * (warnings > 1)}"


def test_stopped_and_failed_runs(tmp_path: Path) -> None:
    keep(tmp_path / "b", ended("stopped", "it was asked to stop"))
    keep(tmp_path / "a", ended("failed", "gunicorn ended with status 1"))
    stopped, failed = read_history(tmp_path)
    assert (stopped.verdict, stopped.rate) == ("stopped", 1000.0)
    assert (failed.verdict, failed.rate, failed.p99) == ("failed", None, None)
    assert failed.sentence == "Failed: gunicorn ended with status 1."


def test_a_run_without_a_summary_is_running_or_was_cut_off(tmp_path: Path) -> None:
    events = named(story.run(ended=False), "shop", "My shop", stack="php-fpm")
    keep(tmp_path / "b", events, summary=False, alive=True)
    keep(tmp_path / "a", events, summary=False)
    running, cut = read_history(tmp_path)
    assert (running.verdict, cut.verdict) == ("running", "cut off")
    assert {(row.title, row.stack, row.rate) for row in (running, cut)} == {("My shop", "php-fpm", None)}


def test_a_run_that_has_just_been_launched_is_running(tmp_path: Path) -> None:
    keep(tmp_path / "a", [], summary=False, alive=True)
    assert [row.verdict for row in read_history(tmp_path)] == ["running"]


def test_a_summary_that_is_being_written_is_no_damage(tmp_path: Path) -> None:
    record = keep(tmp_path / "a", story.run(), alive=True)
    record.summary_path.write_text(record.summary_path.read_text()[:500])
    assert [row.verdict for row in read_history(tmp_path)] == ["running"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{", "summary.json is damaged"),
        ("[]", "summary.json is damaged"),
        ('{"schema_version": 1}', "summary.json is damaged"),
        ('{"schema_version": 99}', "summary.json has schema 99, this stackdyno reads 1"),
    ],
)
def test_one_damaged_summary_does_not_break_the_list(tmp_path: Path, content: str, reason: str) -> None:
    keep(tmp_path / "c", story.run())
    record = keep(tmp_path / "b", story.run())
    record.summary_path.write_text(content)
    keep(tmp_path / "a", story.run())
    rows = read_history(tmp_path)
    assert [row.verdict for row in rows] == ["good", "unreadable", "good"]
    assert rows[1].sentence == f"Unreadable: {reason}."


@pytest.mark.parametrize("line", ["", "{}\n", "\x00\n", '{"type": "run-started", "schema_version": 2}\n'])
def test_a_record_whose_beginning_is_damaged_is_unreadable(tmp_path: Path, line: str) -> None:
    record = keep(tmp_path / "a", [], summary=False)
    record.events_path.write_text(line)
    (row,) = read_history(tmp_path)
    assert row.verdict == "unreadable"
    assert row.title == "a"


def test_a_damaged_run_is_named_by_its_folder(tmp_path: Path) -> None:
    record = keep(tmp_path / "2026-12-01_10-30-00_my-shop", story.run())
    record.summary_path.write_text("{")
    (row,) = read_history(tmp_path)
    assert (row.profile, row.started) == ("my-shop", datetime(2026, 12, 1, 10, 30).astimezone())


def test_a_summary_with_more_in_it_is_read(tmp_path: Path) -> None:
    """A later stackdyno may add fields without a new version."""
    record = keep(tmp_path / "a", story.run(good=2000, bad=400))
    fields = json.loads(record.summary_path.read_text())
    fields["new"] = 1
    fields["findings"][0]["newer"] = 2
    record.summary_path.write_text(json.dumps(fields))
    assert [row.verdict for row in read_history(tmp_path)] == ["invalid"]


def test_settled_rows_are_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(tmp_path / "b", story.run())
    keep(tmp_path / "a", story.run(ended=False), summary=False)
    first = read_history(tmp_path)
    read: list[str] = []
    really = history._read
    monkeypatch.setattr(history, "_read", lambda record: (read.append(record.name), really(record))[1])
    assert read_history(tmp_path, first) == first
    assert read == ["a"]
