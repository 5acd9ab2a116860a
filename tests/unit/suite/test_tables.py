"""Tables and answers from folded runs, with figures worked out by hand from the reference articles."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support import story
from tui.experiment.plan import Experiment, Variant
from tui.findings.judged import summarise
from tui.record.events import Event
from tui.record.record import Record
from tui.record.state import fold
from tui.suite.cells import cells, legend, notes
from tui.suite.formats import FORMATS, FormatName, render
from tui.suite.measured import secrets_of
from tui.suite.models import Suite
from tui.suite.schema import Measured, RoundsRow, SingleRunRow, SuiteResult
from tui.suite.tables import suite_result
from tui.summary.schema import Summary
from tui.summary.secrets import MASK

FRIENDLY = (163, 165, 168, 165, 170)
OFF = (237, 227, 234, 237)
REGULAR = (230, 264, 273, 264)


def summary(events: list[Event], name: str = "2026-12-01_10-00-00_hello") -> Summary:
    return summarise(Record(Path("/nowhere") / name), fold(events))


def with_memory(*megabytes: int, good: int = 2000, **changes: object) -> Summary:
    """A run whose stack has so many MB after each round."""
    events: list[Event] = [
        story.memory(event.t, event.label or "", 11, anon=megabytes[int(event.label[-1]) - 1] * 10**6)
        if event.type == "memory" and event.label and event.label.startswith("after round")
        else event
        for event in story.run(rounds=len(megabytes), good=good, **changes)
    ]
    return summary(events)


def suite(
    kind: str = "rounds", question: dict[str, object] | None = None, labels: Sequence[str] = "ab"
) -> Suite:
    told: dict[str, object] = {
        "title": "Sharing",
        "variant": [{"label": label, "profile": "gunicorn-sync"} for label in labels],
        "table": [{"title": "A table", "kind": kind}],
    }
    if question is not None:
        told["question"] = [{"text": "saved?", "quantity": "memory", "of": "a", "over": "b"} | question]
    return Suite.model_validate(told)


def result(told: Suite, *measured: Measured, complete: bool = True) -> SuiteResult:
    return suite_result("s", told, measured, complete=complete)


@pytest.mark.parametrize("format_name", FORMATS)
def test_no_format_has_a_secret(format_name: FormatName) -> None:
    """One that a run's profile has and the title repeats, and one set for a variant that failed."""
    sent, set_only = "s3nt-in-a-header", "s3t-for-a-variant"
    told = suite(labels=[sent, "b"]).model_copy(update={"title": f"Sharing {sent}"})
    ran = with_memory(*FRIENDLY)
    ran = ran.model_copy(update={"profile": {"load": {"headers": {"X-Api-Key": sent}}}})
    found = [Measured(sent, (ran,)), Measured("b", lacking=f"1 of 1 runs failed: {set_only}")]
    shown = result(told, *found)
    overridden = Variant(label="b", profile="gunicorn-sync", overrides=(f"app.env.DB_PASSWORD={set_only}",))
    experiment = Experiment(kind="suite", title="s", variants=(overridden,), runs_each=1)
    assert sent in render(shown, format_name) and set_only in render(shown, format_name)
    masked = render(shown, format_name, secrets_of(experiment, found))
    assert sent not in masked and set_only not in masked
    assert MASK in masked.replace("\\", "")  # Markdown escapes it


def test_rounds_are_listed_and_quoted_by_their_median_as_the_2009_article_does() -> None:
    found = result(
        suite(question={}), Measured("a", (with_memory(*FRIENDLY),)), Measured("b", (with_memory(*REGULAR),))
    )
    a, b = found.tables[0].rows
    assert isinstance(a, RoundsRow) and isinstance(b, RoundsRow)
    assert a.memory == (tuple(mb * 10**6 for mb in FRIENDLY),)
    assert (a.memory_quoted, b.memory_quoted) == (165e6, 264e6)
    assert a.rate == ((1000.0,) * 5,) and a.rate_quoted == 1000.0
    assert a.host_quoted == 11 * 10**8 - 9 * 10**8
    answer = found.answers[0]
    assert answer.fraction == (264 - 165) / 264 == 0.375
    assert answer.sentence == "37.5 % saved: 165 MB against 264 MB; 1 run per variant, so no verdict"
    text = render(found, "text")
    assert "163; 165; 168; 165" in text and "37.5 % saved" in text


def test_copy_on_write_on_over_off() -> None:
    """The article quotes 234 for four rounds; their median is 235.5, and (235.5 - 165) / 235.5 = 29.9 %."""
    found = result(
        suite(question={}), Measured("a", (with_memory(*FRIENDLY),)), Measured("b", (with_memory(*OFF),))
    )
    assert found.answers[0].sentence.startswith("29.9 % saved: 165 MB against 236 MB")


def test_rounds_tell_how_many_workers_there_were_and_that_counts_differ() -> None:
    """An earlier comparison of the article's author was unfair: one server had been left at its default."""
    two = with_memory(*FRIENDLY)
    assert two.stack is not None
    ten = two.model_copy(update={"stack": two.stack.model_copy(update={"workers": 10})})
    equal = result(suite(), Measured("a", (two,)), Measured("b", (two,)))
    assert legend(equal.tables[0]).startswith("workers: 2 each; ")
    unequal = result(suite(), Measured("a", (two,)), Measured("b", (ten,)))
    assert legend(unequal.tables[0]).startswith("✗ unequal workers: a 2, b 10; ")


def test_more_memory_is_not_called_saved() -> None:
    found = result(
        suite(question={}), Measured("a", (with_memory(*REGULAR),)), Measured("b", (with_memory(*FRIENDLY),))
    )
    assert found.answers[0].fraction == -0.6
    assert found.answers[0].sentence.startswith("60 % more: 264 MB against 165 MB")


def test_six_starts_a_variant_give_an_interval_and_a_verdict() -> None:
    def variant(label: str, *middles: int) -> Measured:
        return Measured(label, tuple(with_memory(middle, middle, middle) for middle in middles))

    found = result(
        suite(question={}),
        variant("a", 163, 164, 165, 165, 166, 167),
        variant("b", 260, 262, 264, 264, 266, 268),
    )
    answer = found.answers[0]
    assert answer.runs == (6, 6) and answer.outcome == "less"
    assert answer.fraction == 0.375
    assert answer.low is not None and answer.high is not None and answer.low <= 0.375 <= answer.high
    assert answer.p_corrected == pytest.approx(2 / 924)
    assert answer.sentence.startswith("37.5 % saved (95 %: 3") and "no verdict" not in answer.sentence
    again = result(suite(question={}), variant("a", *[165] * 6), variant("b", *[165] * 6)).answers[0]
    assert again.outcome == "can't tell"
    assert again.sentence.startswith("can't tell, this may be chance: no difference")


def test_an_idle_stack_is_a_question_too() -> None:
    found = result(
        suite(question={"quantity": "idle-memory"}),
        Measured("a", (with_memory(50, 50),)), Measured("b", (with_memory(90, 90),)),
    )  # fmt: skip
    assert found.answers[0].sentence.startswith("no difference: 30.0 MB against 30.0 MB")


def test_a_rate_is_a_ratio() -> None:
    found = result(
        suite(question={"quantity": "rate"}),
        Measured("a", (with_memory(1, 1, 1, good=3000),)), Measured("b", (with_memory(1, 1, 1),)),
    )  # fmt: skip
    assert found.answers[0].sentence.startswith(
        "50 % faster, 1.50 times the rate: 1,500 req/s against 1,000 req/s"
    )


@pytest.mark.parametrize("allowed", [False, True])
def test_error_pages_count_for_no_rate_and_the_row_is_marked(allowed: bool) -> None:
    """The trap of 2006: 5,835 good answers and 4,165 error pages. Allowed or not, the figures aren't truer."""
    events = story.run(rounds=1, good=5835, bad=4165, seconds=10.0)
    if allowed:
        started = events[0]
        assert started.type == "run-started"
        events[0] = started.model_copy(update={"allowed": ("unexpected-status",)})
    trap, fine = summary(events), with_memory(1, 1, 1)
    found = result(
        suite("speed", question={"quantity": "rate"}), Measured("a", (trap,)), Measured("b", (fine,))
    )
    row, other = found.tables[0].rows
    assert isinstance(row, SingleRunRow)
    assert row.rate == 583.5  # ab told 1,000
    assert (row.requests, row.failed, row.non_2xx) == (10_000, 4165, 4165)
    mark = next(mark for mark in found.marks if mark.code == "unexpected-status")
    assert (
        mark.number in row.invalid["rate"] and mark.number in row.invalid["latency"] and other.invalid == {}
    )
    assert mark.allowed == allowed
    table = cells(found.tables[0])
    assert table[1][3] == "584 ✗" and table[2][3] == "1,000"
    assert any("unexpected-status" in note and "502" in note for note in notes(found, found.tables[0]))
    assert found.answers[0].fraction is None
    assert found.answers[0].sentence.startswith("no answer: a: rate invalid: ")
    assert found.exit_status == (0 if allowed else 1)


def test_a_percentile_without_enough_samples_is_blank_with_the_reason() -> None:
    found = result(suite("speed"), Measured("a", (summary(story.run(good=100)),)), Measured("b"))
    row = found.tables[0].rows[0]
    assert isinstance(row, SingleRunRow) and row.p99 is None and row.p99_reason
    assert cells(found.tables[0])[1][5].startswith("–")
    assert f"– 99 %: {row.p99_reason} (a)" in notes(found, found.tables[0])


def test_memory_idle_and_after_are_next_to_the_hosts() -> None:
    found = result(suite("memory", labels="a"), Measured("a", (with_memory(40, 41),)))
    row = found.tables[0].rows[0]
    assert isinstance(row, SingleRunRow)
    assert (row.memory_idle, row.memory_after) == (30 * 10**6, 41 * 10**6)
    assert (row.host_idle, row.host_after) == (10**9, 11 * 10**8)
    assert cells(found.tables[0])[1] == [
        "a", "2", "30.0 MB", "1,000", "5.00 ms", "41.0 MB", "1.00 GB", "1.10 GB",
    ]  # fmt: skip


def test_a_table_fits_100_columns_whatever_the_labels_and_marks() -> None:
    labels = ("Rails: nginx, one unix socket, 5 backlog", "Rails: nginx, one TCP socket for all ten")
    trap = summary(story.run(rounds=1, good=5835, bad=4165, seconds=10.0))
    told = suite("speed", labels=labels)
    found = result(told, Measured(labels[0], (trap,)), Measured(labels[1], (with_memory(1, 1, 1),)))
    assert cells(found.tables[0])[1][0] == "nginx, one unix socket, 5 backlog"
    lines = render(found, "text").splitlines()
    assert max(map(len, lines)) <= 100
    rates = [line for line in lines if "10,000" in line or "1,000 " in line]
    assert len(rates) == 2
    assert rates[0].index("584 ✗") + 3 == rates[1].index("1,000") + 5  # the figures end in one column


def test_every_start_has_its_row() -> None:
    found = result(suite("speed", labels="a"), Measured("a", (with_memory(1, 1), with_memory(1, 1))))
    assert [row[0] for row in cells(found.tables[0])[1:]] == ["a", "  run 2"]


def test_what_was_not_run_is_told_and_is_no_failure_but_a_failed_start_is_one() -> None:
    ran = Measured("a", (with_memory(1, 1, 1),))
    absent = Measured("b", lacking="not run: needs openlitespeed: see its vendor")
    found = result(suite("speed", question={}), ran, absent)
    assert found.exit_status == 0
    assert "b: not run: needs openlitespeed: see its vendor" in render(found, "text")
    assert found.answers[0].sentence == "no answer: b was not run"
    failed = Measured("b", lacking="1 of 1 runs failed: it did not start")
    assert result(suite("speed"), ran, failed).exit_status == 1
    assert result(suite("speed", labels="a"), ran, complete=False).exit_status == 1


@pytest.mark.parametrize("kind", ["speed", "memory", "rounds"])
def test_the_forms_have_the_same_figures(kind: str) -> None:
    found = result(
        suite(kind, question={}),
        Measured("a", (with_memory(*FRIENDLY),)), Measured("b", (with_memory(*REGULAR),)),
    )  # fmt: skip
    text, markdown, told = render(found, "text"), render(found, "markdown"), render(found, "json")
    assert max(map(len, text.splitlines())) <= 100
    for row in cells(found.tables[0])[1:]:
        assert "| " + " | ".join(row).replace(" |  | ", " |  | ") + " |" in markdown
    assert "37.5 % saved" in text and "37.5 % saved" in markdown
    read = json.loads(told)
    assert (read["schema"], read["schema_version"]) == ("stackdyno/suite", 1)
    assert SuiteResult.model_validate_json(told) == found
    row = read["tables"][0]["rows"][0]
    assert row["void"] == {} and (kind == "rounds" or row["start"] == 1)
    assert read["answers"][0]["starts"] == [1, 1]
