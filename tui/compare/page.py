"""A comparison as one self-contained page: no script, and no style, font or image from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from tui.compare import charts, words
from tui.compare.evidence import VariantEvidence
from tui.compare.schema import Comparison
from tui.compare.text import differences, figures, letter, variants
from tui.formats import svg
from tui.formats.html import STYLE, section, table
from tui.summary import units

MORE_STYLE = """
.whisker { stroke: var(--ink); fill: none } svg .title { fill: var(--ink); font-weight: 600 }
.f0 { fill: #2f7ea8 } .f1 { fill: #c7791f } .f2 { fill: #3c8d5a } .f3 { fill: #8a5aa8 } .f4 { fill: #b5475c }
.f5 { fill: #7a7f36 } .shared { fill-opacity: .4 }
.c1 { stroke-dasharray: 7 3 } .c2 { stroke-dasharray: 2 3 } .c3 { stroke-dasharray: 9 3 2 3 }
.c4 { stroke-dasharray: 4 2 } .c5 { stroke-dasharray: 1 2 }
.key { display: inline-block; margin-right: 1.5rem } .key svg { width: 3rem; height: .6rem; margin-right: .4rem }
"""


def render(comparison: Comparison, evidence: Sequence[VariantEvidence]) -> str:
    """The whole page, with charts of what ``evidence`` has."""
    everyone = range(len(comparison.variants))
    title = " against ".join(variant.label for variant in comparison.variants)
    parts = [
        f"<h1>{escape(title)}</h1>",
        *(f'<p class="verdict">{escape(sentence)}.</p>' for sentence in comparison.sentences),
        section("Warnings", _items(comparison.warnings, "▲ ")),
        table([["variant", "profile", "runs"], *variants(comparison)]),
        section("Figures", table(figures(comparison, everyone))),
        *(table(differences(comparison, place)) for place in everyone if place),
        _items(words.gaps(comparison), f"{words.BLANK} "),
        section("Medians and their intervals", _bars(comparison)),
        *_charts(evidence),
        section("Circumstances", _circumstances(comparison)),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{escape(title)}</title><style>{STYLE}{MORE_STYLE}</style></head>\n<body>\n"
        + "\n".join(part for part in parts if part)
        + "\n</body></html>\n"
    )


def _items(texts: Sequence[str], mark: str) -> str:
    if not texts:
        return ""
    return "<ul>" + "".join(f"<li>{mark}{escape(text)}</li>" for text in texts) + "</ul>"


def _bars(comparison: Comparison) -> str:
    return "".join(f"<p>{drawn}</p>" for row in comparison.rows if (drawn := charts.bars(row, comparison)))


def _charts(evidence: Sequence[VariantEvidence]) -> list[str]:
    legend = _legend([variant.label for variant in evidence])
    latency = [(variant.label, list(variant.latency.histogram.buckets())) for variant in evidence]
    rates = [
        svg.Line(variant.label, variant.rates[variant.shown] if variant.rates else ()) for variant in evidence
    ]
    drawn = [
        ("Latency of good answers, share of requests", svg.histograms(latency, "latency of each variant")),
        (
            "Requests per second over the counted rounds, of each variant's median run",
            svg.lines(rates, "requests per second of each variant", units.rate),
        ),
    ]
    parts = [section(title, legend + chart) for title, chart in drawn if chart]
    parts.append(
        section(
            "Memory of each process after the last round (PSS: private, and paler: its part of shared memory)",
            charts.workers(evidence),
        )
    )
    return parts


def _legend(labels: Sequence[str]) -> str:
    keys = []
    for place, label in enumerate(labels):
        line = f'<svg viewBox="0 0 48 8"><path class="line c{place % 6}" d="M0,4H48"/></svg>'
        keys.append(f'<span class="key">{line}{letter(place)} {escape(label)}</span>')
    return f"<p>{''.join(keys)}</p>"


def _circumstances(comparison: Comparison) -> str:
    runs = [
        f"Runs of {letter(place)}: {', '.join(variant.records)}"
        for place, variant in enumerate(comparison.variants)
    ]
    facts = [*runs, f"stackdyno {comparison.stackdyno}", comparison.method]
    return "".join(f'<p class="quiet">{escape(line)}</p>' for line in facts)
