"""Every format of an export has the same figures: each is read back and compared with the folded run."""

from __future__ import annotations

import csv
import io
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hdrh.histogram import HdrHistogram

from tests.support import story
from tui.findings.judged import summarise
from tui.formats import hgrm
from tui.formats.export import FORMATS, render
from tui.load.result import Times
from tui.record.events import Event
from tui.record.record import Record
from tui.record.state import RunState, fold
from tui.summary.limits import QUANTITIES, parse_limit
from tui.system.errors import UserError


@pytest.fixture
def record(tmp_path: Path) -> Record:
    return Record(tmp_path / "2026_hello")


@pytest.fixture
def state() -> RunState:
    return fold(story.run(good=2000, bad=10))


def test_all_formats_have_the_same_rate_errors_and_memory(record: Record, state: RunState) -> None:
    summary = summarise(record, state)
    assert summary.result is not None
    for name in ("text", "markdown", "html"):
        written = render(record, state, name)
        assert summary.sentence in written
        assert "1,000" in written, name
        assert "60.0 MB" in written, name
    assert f'"requests_per_second": {summary.result.requests_per_second}' in render(record, state, "json")


def test_every_format_says_what_is_invalid(record: Record) -> None:
    invalid = fold(story.run(good=2000, bad=100))
    assert summarise(record, invalid).invalid == ("rate", "latency")
    for name in ("text", "markdown", "html"):
        assert "rate and latency invalid" in render(record, invalid, name), name
    assert {row["invalid"] for row in csv.DictReader(io.StringIO(render(record, invalid, "csv")))} == {
        "rate latency"
    }
    assert render(record, invalid, "hgrm").endswith("#[Invalid: a finding makes the latency invalid]\n")


def test_a_good_run_is_called_invalid_in_no_format(record: Record, state: RunState) -> None:
    assert {row["invalid"] for row in csv.DictReader(io.StringIO(render(record, state, "csv")))} == {""}
    assert "Invalid" not in render(record, state, "hgrm")


def test_exports_do_not_depend_on_the_terminal(
    record: Record, state: RunState, monkeypatch: pytest.MonkeyPatch
) -> None:
    wide = {name: render(record, state, name) for name in FORMATS}
    monkeypatch.setenv("COLUMNS", "20")
    assert {name: render(record, state, name) for name in FORMATS} == wide


def test_the_series_adds_up_to_the_ticks(record: Record, state: RunState) -> None:
    rows = list(csv.DictReader(io.StringIO(render(record, state, "csv"))))
    assert {row["phase"] for row in rows} >= {"warm-up", "round 1", "round 2"}
    measured = [row for row in rows if row["good_per_second"]]
    for row in measured:
        inside = [
            point
            for point in state.rate
            if int(row["second"]) <= (point.t0 + point.t1) / 2 < int(row["second"]) + 1
        ]
        span = sum(point.t1 - point.t0 for point in inside)
        assert float(row["good_per_second"]) == pytest.approx(sum(point.good for point in inside) / span)
    memory = [int(row["comparable_worker_11"]) for row in rows if row["comparable_worker_11"]]
    assert memory[-1] == 2 * 10**7
    assert all(row["rss_worker_12"] == "" for row in rows), "what was not read is empty, never 0"


def test_the_percentile_text_is_hdrhistograms() -> None:
    values = [1000 + (number * 7919) % 90_000 for number in range(5000)]
    oracle = HdrHistogram(1, 3_600_000_000, 3)
    for value in values:
        oracle.record_value(value)
    times = story.times(*(value / 1000 for value in values))
    lines = hgrm.render(times).splitlines()
    points = [line.split() for line in lines[2:] if not line.startswith("#")]
    assert len(points) > 40
    for value, percentile, count, *_ in points[:-1]:
        microseconds = round(float(value) * 1000)
        assert int(count) == sum(each <= microseconds for each in values)
        assert int(count) >= float(percentile) * len(values)
        expected = oracle.get_value_at_percentile(float(percentile) * 100)
        assert microseconds == pytest.approx(expected, rel=0.003)  # it rounds the count, the text does not
    assert points[-1] == [f"{max(values) / 1000:.3f}", "1.000000000000", "5000"]
    mean = re.search(r"Mean\s+=\s+([\d.]+)", lines[-2])
    assert mean is not None
    assert float(mean[1]) == pytest.approx(sum(values) / len(values) / 1000, abs=0.001)


def test_an_empty_percentile_text_has_its_head_only() -> None:
    assert hgrm.render(Times()).split() == ["Value", "Percentile", "TotalCount", "1/(1-Percentile)"]


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def test_the_page_needs_nothing_from_elsewhere(record: Record, state: RunState) -> None:
    written = render(record, state, "html")
    page = _Page()
    page.feed(written)
    names = [name for name, _ in page.tags]
    assert names.count("svg") == 3
    assert not {"script", "link", "img", "iframe"} & set(names)
    assert not re.search(r"https?://(?!127\.)|url\(|@import", written)


def test_a_page_of_a_failed_run_says_why(record: Record) -> None:
    from tui.record.events import RunEnded

    events: list[Event] = [story.started(), RunEnded(t=1.0, verdict="failed", reason="it <fell> over")]
    written = render(record, fold(events), "html")
    assert "it &lt;fell&gt; over" in written


@pytest.mark.parametrize(
    ("limit", "broken"),
    [
        ("p99 > 4ms", True),
        ("p99 > 50ms", False),
        ("rate < 2000", True),
        ("rate<900", False),
        ("memory > 59MB", True),
        ("errors > 0", True),
        ("error_percent >= 1", False),
        ("cold_start > 500ms", True),
    ],
)
def test_limits(record: Record, state: RunState, limit: str, broken: bool) -> None:
    assert (parse_limit(limit).broken_by(summarise(record, state)) is not None) is broken


def test_every_quantity_that_can_be_limited_is_measured_in_a_good_run(
    record: Record, state: RunState
) -> None:
    summary = summarise(record, state)
    unknown = {name for name, (_, read) in QUANTITIES.items() if read(summary) is None}
    assert unknown <= {"p99.9"}


def test_what_was_not_measured_breaks_a_limit(record: Record) -> None:
    why = parse_limit("p99 > 50ms").broken_by(summarise(record, fold([story.started()])))
    assert why == "--fail-if 'p99 > 50ms': p99 was not measured"


@pytest.mark.parametrize("text", ["p98 > 5ms", "p99", "p99 > fast", "memory > 5ms", "p99 == 5ms", ""])
def test_a_limit_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="--fail-if"):
        parse_limit(text)
