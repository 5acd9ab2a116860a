"""Every form of a comparison holds the same figures: each is read back and compared."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.support.samples import noisy, variant
from tests.support.story import times
from tui.compare import words
from tui.compare.comparison import compare
from tui.compare.evidence import VariantEvidence
from tui.compare.formats import FORMATS, render
from tui.compare.reading import secrets_of
from tui.compare.schema import Comparison
from tui.load.result import Times
from tui.suite.schema import SuiteResult
from tui.system.errors import UserError

FACTORS = {"µs": 1e-6, "ms": 1e-3, "s": 1.0, "MB": 1e6, "requests/s": 1.0, "%": 0.01, "": 1.0}
DOCS = Path(__file__).parents[3] / "docs"


@pytest.fixture
def comparison() -> Comparison:
    void = {"p99": "latency invalid: generator-lag"}
    return compare(
        [
            variant("gunicorn-sync", noisy(1000, 1), memory=264e6, traits={"kernel": "6.1"}),
            variant(
                "nginx | <fcgi>",
                noisy(1180, 2),
                first_minute=1,
                memory=165e6,
                p99=None,
                reasons=void,
                traits={"kernel": "6.2"},
            ),
        ]
    )


@pytest.fixture
def evidence() -> list[VariantEvidence]:
    return [
        VariantEvidence(
            label, times(*(middle * factor for factor in (0.5, 1, 1, 2, 4))), (((0.5, 1000.0), (1.5, 1010.0)),), 0,
            (("master", 10, 4_000_000, 6_000_000, 10_000_000), ("worker", 11, None, None, None)),
        )
        for label, middle in (("gunicorn-sync", 5.0), ("nginx | <fcgi>", 4.0))
    ]  # fmt: skip


@pytest.mark.parametrize("format_name", FORMATS)
def test_no_form_has_a_secret_of_a_run(format_name: str) -> None:
    """In a label, in a trait that differs, and in a reason; long enough to be wrapped in a table of text."""
    secret = "tok3n-" + "abcdefgh" * 14
    profile = json.dumps({"load": {"headers": {"Authorization": f"Bearer {secret}"}}})
    compared = [
        variant(f"a {secret}", noisy(1000, 1), identity=profile, traits={"app": secret}),
        variant("b", noisy(1180, 2), p99=None, reasons={"p99": f"log: {secret}"}, traits={"app": "other"}),
    ]
    compared[1] = replace(
        compared[1], samples=tuple(replace(sample, identity="{}") for sample in compared[1].samples)
    )
    evidence = [VariantEvidence(each.label, times(0.005), (), 0, ()) for each in compared]
    plain = render(compare(compared), evidence, format_name)
    masked = render(compare(compared), evidence, format_name, secrets_of(compared))
    assert "abcdefgh" in plain
    assert "abcdefgh" not in masked and "***" in masked.replace("\\", "")


def test_json_is_the_comparison(comparison: Comparison, evidence: list[VariantEvidence]) -> None:
    written = render(comparison, evidence, "json")
    assert Comparison.model_validate_json(written) == comparison
    read = json.loads(written)
    assert read["schema"] == "stackdyno/comparison"
    assert read["sides"][0].keys() == {"label", "title", "starts", "records"}
    assert read["rows"][0]["cells"][0]["starts"] == 6


def test_csv_has_every_value_of_every_start(comparison: Comparison, evidence: list[VariantEvidence]) -> None:
    rows = list(csv.DictReader(io.StringIO(render(comparison, evidence, "csv"))))
    assert len(rows) == 6 * (6 + 6)
    for row in comparison.rows:
        for part, cell in zip(comparison.variants, row.cells, strict=True):
            mine = [each for each in rows if each["side"] == part.label and each["quantity"] == row.quantity]
            assert [each["run"] for each in mine] == list(part.records)
            read = [float(each["value"]) if each["value"] else None for each in mine]
            assert read == [None if value is None else pytest.approx(value) for value in cell.values]
            assert {each["primary"] for each in mine} == {"yes" if row.primary else "no"}


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_forms_for_people_tell_the_same_sentences(
    comparison: Comparison, evidence: list[VariantEvidence], form: str
) -> None:
    written = _plain(render(comparison, evidence, form))
    for told in (*comparison.sentences, *comparison.warnings, *words.gaps(comparison)):
        assert _plain(told) in written
    for part in comparison.variants:
        assert all(record in written for record in part.records)


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_figures_read_back_from_a_form_for_people_are_those_of_the_comparison(
    comparison: Comparison, evidence: list[VariantEvidence], form: str
) -> None:
    written = render(comparison, evidence, form)
    for row in comparison.rows:
        read, differing = [each[1:] for each in grid(written, form) if each[0] == row.title]
        for cell, told in zip(row.cells, zip(read[::2], read[1::2], strict=True), strict=True):
            if cell.median is None:
                assert told == ("–", "")
                continue
            assert amount(told[0], row.unit) == pytest.approx(cell.median, rel=0.006)
            assert ends(told[1], "–", row.unit) == pytest.approx((cell.low, cell.high), rel=0.006)
        found = row.differences[1]
        assert found is not None
        if found.fraction is None or found.p_corrected is None:
            assert differing == ["–", "", "", ""]
            continue
        assert amount(differing[0]) == pytest.approx(
            found.fraction, abs=0.0006 if abs(found.fraction) < 0.0995 else 0.006
        )
        assert ends(differing[1], " to ", "%") == pytest.approx((found.low, found.high), abs=0.006)
        assert amount(differing[2], "") == pytest.approx(found.p_corrected, abs=0.006)
        better = {None: "", "can't tell": "can't tell", "more": "worse", "less": "better"}
        if row.better == "higher":
            better |= {"more": "better", "less": "worse"}
        assert differing[3] == better[found.outcome]


def grid(written: str, form: str) -> list[list[str]]:
    """The rows of all tables, each as wide as its head."""
    if form == "html":
        rows = re.findall(r"<tr>(.*?)</tr>", written)
        return [[unescape(cell) for cell in re.findall(r"<t[hd]>(.*?)</t[hd]>", row)] for row in rows]
    if form == "markdown":
        lines = [line for line in written.splitlines() if line.startswith("|")]
        return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    rows = [re.split(r" {2,}", line.strip()) for line in written.splitlines() if line.startswith("  ")]
    return [[*row, *[""] * (5 - len(row))] for row in rows]  # only cells at the end of a line are empty


def amount(told: str, unit: str = "%") -> float:
    """A figure as the comparison has it: ``1.85 ms`` is 0.00185, ``−17 %`` is -0.17."""
    number, _, said = told.removeprefix("< ").replace(",", "").replace("−", "-").partition(" ")
    return float(number) * FACTORS[said or unit]


def ends(told: str, between: str, unit: str) -> tuple[float, float]:
    """Both ends of an interval; the unit may stand behind the second one alone."""
    low, high = told.split(between)
    _, _, said = high.partition(" ")
    return amount(low, said or unit), amount(high, unit)


def _plain(written: str) -> str:
    """Without tags, entities, escapes and folds."""

    class Texts(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.texts: list[str] = []

        def handle_data(self, data: str) -> None:
            self.texts.append(data)

    if "<p" in written:
        written = written.split("</style>")[-1]
    parser = Texts()
    parser.feed(written.replace("<fcgi>", "&lt;fcgi&gt;").replace("\\|", "|").replace("< 0", "&lt; 0"))
    return re.sub(
        r"\s+", " ", "".join(f" {text} " if len(text) > 1 else text for text in parser.texts)
    ).strip()


def test_the_text_is_80_columns_wide(comparison: Comparison, evidence: list[VariantEvidence]) -> None:
    written = render(comparison, evidence, "text")
    assert max(map(len, written.splitlines())) <= 80


def test_text_of_five_variants_is_no_wider() -> None:
    five = compare([variant(f"profile-{number}", noisy(1000 + number, number)) for number in range(5)])
    written = render(five, [], "text")
    assert max(map(len, written.splitlines())) <= 80
    assert "E against A" in written


def test_the_page_needs_nothing_else(comparison: Comparison, evidence: list[VariantEvidence]) -> None:
    written = render(comparison, evidence, "html")
    assert "<script" not in written and "http" not in written and "url(" not in written
    assert "<fcgi>" not in written
    labels = re.findall(r'aria-label="([^"]*)"', written)
    assert len(labels) == 9  # six quantities, latency, rate, memory
    assert "10.0 MB, 4.00 MB private" in written
    assert re.search(r"B worker 11</text><text[^>]*>not readable<", written)


def test_bars_are_as_long_as_the_medians_and_reach_over_the_intervals(
    comparison: Comparison, evidence: list[VariantEvidence]
) -> None:
    written = render(comparison, evidence, "html")
    row = comparison.rows[0]
    drawing = re.search(r'<svg[^>]*aria-label="requests/s of .*?</svg>', written)
    assert drawing is not None
    bars = [
        (float(x), float(width))
        for x, width in re.findall(r'x="([\d.]+)" y="\d+" width="([\d.]+)"', drawing[0])
    ]
    ends = [
        (float(low), float(high))
        for low, high in re.findall(r"M[\d.]+,\d+v8M([\d.]+),\d+H([\d.]+)", drawing[0])
    ]
    scale = bars[0][1] / row.cells[0].median
    for cell, (x, width), (low, high) in zip(row.cells, bars, ends, strict=True):
        drawn = (width / scale, (low - x) / scale, (high - x) / scale)
        assert drawn == pytest.approx((cell.median, cell.low, cell.high), rel=0.001)


def test_a_variant_keeps_its_line_where_another_has_none(
    comparison: Comparison, evidence: list[VariantEvidence]
) -> None:
    first, second = evidence
    lacking = [VariantEvidence(first.label, Times(), (), 0, ()), second]
    written = render(comparison, lacking, "html")
    legend = re.findall(r'class="line (c\d)" d="[^"]*"/></svg>B nginx', written)
    drawn = re.findall(r'<polyline class="line (c\d)"[^>]*><title>nginx', written)
    assert legend == drawn == ["c1", "c1"]  # latency and rate


def test_a_page_without_evidence_has_its_tables(comparison: Comparison) -> None:
    empty = [VariantEvidence(part.label, Times(), (), 0, ()) for part in comparison.variants]
    written = render(comparison, empty, "html")
    assert "Latency of good answers" not in written and "against A" in written


def test_an_unknown_form_is_reported(comparison: Comparison) -> None:
    with pytest.raises(UserError, match='no format "pdf"; known: text, json, markdown, csv, html'):
        render(comparison, [], "pdf")
    assert list(FORMATS) == ["text", "json", "markdown", "csv", "html"]


@pytest.mark.parametrize(("name", "model"), [("comparison", Comparison), ("suite", SuiteResult)])
def test_the_committed_schema_is_that_of_the_models(
    name: str, model: type[Comparison] | type[SuiteResult]
) -> None:
    committed = json.loads((DOCS / f"{name}.schema.json").read_text())
    assert committed == model.model_json_schema(), "run docs/write-schema"
