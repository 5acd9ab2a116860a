"""One run as one sample, from its summary and from its events."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import story
from tui.compare.evidence import read_evidence
from tui.compare.sample import read_sample, sample_of
from tui.findings.judged import summarise, write_summary
from tui.record.events import Event, RunEnded
from tui.record.record import EventWriter, Record, create_record
from tui.record.state import fold
from tui.summary.schema import Summary


def kept(runs: Path, events: list[Event]) -> Record:
    record = create_record(runs, "hello")
    writer = EventWriter(record)
    for event in events:
        writer.write(event)
    writer.close()
    return record


def summary(tmp_path: Path, events: list[Event]) -> Summary:
    return summarise(Record(tmp_path), fold(events))


def unlike_rounds() -> list[Event]:
    """Three rounds of 1,000, 1,500 and 1,100 requests per second."""
    events = story.run(rounds=3)
    goods = iter((2000, 3000, 2200))
    return [
        story.round_ended(event.t, event.round, good=next(goods))
        if event.type == "round-ended" and event.round is not None
        else event
        for event in events
    ]


def test_a_start_counts_by_the_median_of_its_rounds(tmp_path: Path) -> None:
    sample = sample_of(summary(tmp_path, unlike_rounds()))
    assert sample.values["rate"] == 1100.0
    assert sample.values["p50"] == pytest.approx(0.005, rel=0.01)
    assert sample.values["cpu"] == pytest.approx(1.8 / 2200)
    assert sample.values["memory"] == 3 * 2 * 10**7
    assert sample.values["cold-start"] == 0.6
    assert sample.reasons == {}
    assert sample.traits["worker count"] == "2" and sample.traits["connections"] == "10"
    assert sample.traits["protocol"] == "HTTP/1.1" and sample.traits["body length"] == "14"
    assert sample.traits["server CPUs"] == "0"


def test_an_invalid_quantity_is_no_value(tmp_path: Path) -> None:
    """A saturated load generator: rate, latency and CPU a request don't count, memory stands."""
    sample = sample_of(summary(tmp_path, story.run(rounds=3, cpu=1.95)))
    assert sample.values["rate"] is None and sample.values["p99"] is None
    assert sample.reasons["rate"] == "rate invalid: generator-saturated"
    assert sample.reasons["p99"] == "latency invalid: generator-saturated"
    assert sample.values["memory"] is not None


def test_an_allowed_finding_takes_nothing_away(tmp_path: Path) -> None:
    events = story.run(rounds=3, cpu=1.95)
    events[0] = story.started().model_copy(update={"allowed": ("generator-saturated",)})
    sample = sample_of(summary(tmp_path, events))
    assert sample.values["rate"] == 1000.0
    assert sample.allowed == ("generator-saturated",)


def test_few_samples_have_no_p99(tmp_path: Path) -> None:
    sample = sample_of(summary(tmp_path, story.run(rounds=3, good=200)))
    assert sample.values["p99"] is None
    assert sample.reasons["p99"] == "too few samples in every round"


def test_a_failed_run_has_no_values(tmp_path: Path) -> None:
    events = [*story.run(rounds=1, ended=False), RunEnded(t=9.0, verdict="failed", reason="it died")]
    sample = sample_of(summary(tmp_path, events))
    assert all(sample.values[name] is None for name in ("rate", "p50", "p99", "cpu", "memory"))
    assert sample.reasons["rate"] == "the run failed"


def test_a_stopped_run_is_no_whole_start(tmp_path: Path) -> None:
    """An experiment makes it again; its cold start was whole all the same."""
    sample = sample_of(summary(tmp_path, stopped()))
    assert all(sample.values[name] is None for name in ("rate", "p50", "p99", "cpu", "memory"))
    assert sample.reasons["memory"] == "the run was stopped"
    assert sample.values["cold-start"] == 0.6


def test_a_run_that_was_cut_off_is_none(tmp_path: Path) -> None:
    sample = sample_of(summary(tmp_path, story.run(rounds=1, ended=False)))
    assert sample.values["rate"] is None and sample.reasons["rate"] == "the run was cut off"


def stopped() -> list[Event]:
    return [
        *story.run(rounds=2, ended=False),
        RunEnded(t=9.0, verdict="stopped", reason="it was asked to stop"),
    ]


def test_the_summary_is_read_where_it_is_and_the_events_where_it_is_not(tmp_path: Path) -> None:
    record = kept(tmp_path, unlike_rounds())
    folded = read_sample(record)
    write_summary(record)
    assert read_sample(record) == folded
    record.summary_path.write_text('{"schema_version": 0}')
    assert read_sample(record) == folded
    record.summary_path.write_text("[")
    assert read_sample(record) == folded


def test_evidence_of_two_starts(tmp_path: Path) -> None:
    slow, fast = kept(tmp_path, story.run(rounds=2)), kept(tmp_path, story.run(rounds=2, good=4000))
    evidence = read_evidence("A", [slow, fast])
    assert evidence.latency.count == 2 * 2000 + 2 * 4000
    assert evidence.shown == 0  # of two the slower one: the lower median
    first = evidence.rates[0]
    assert len(first) == 2 and first[0] == (pytest.approx(0.25), pytest.approx(1000.0))
    assert first[1][0] == pytest.approx(2.25)
    assert [worker[0] for worker in evidence.workers] == ["master", "worker", "worker"]
    role, pid, private, shared, pss = evidence.workers[1]
    assert (role, pid, private, pss) == ("worker", 11, 10**7, 21 * 10**6)
    assert shared == 11 * 10**6


def test_evidence_leaves_out_the_latency_that_does_not_count(tmp_path: Path) -> None:
    """A run that is invalid and one that was stopped; what happened over time is shown of each."""
    good = kept(tmp_path, story.run(rounds=2))
    void = kept(tmp_path, story.run(rounds=2, cpu=1.95, good=4000))
    evidence = read_evidence("A", [void, good, kept(tmp_path, stopped())])
    assert evidence.latency.count == 2 * 2000
    assert evidence.shown == 1
    assert all(len(rates) == 2 for rates in evidence.rates)


def test_evidence_is_the_same_from_a_kept_summary(tmp_path: Path) -> None:
    records = [kept(tmp_path, story.run(rounds=2, cpu=cpu)) for cpu in (0.5, 1.95)]
    folded = read_evidence("A", records)
    for record in records:
        write_summary(record)
    assert read_evidence("A", records) == folded
