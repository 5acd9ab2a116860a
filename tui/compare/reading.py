"""From the runs of variants to their comparison and the evidence for its charts.

Reading a run's figures takes milliseconds; its evidence must be folded from all events, so it comes second.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence

from tui.compare.comparison import compare
from tui.compare.evidence import VariantEvidence, read_evidence
from tui.compare.sample import read_sample
from tui.compare.schema import Comparison, QuantityName, VariantSamples
from tui.record.record import Record, VariantRuns
from tui.summary.secrets import Secrets

Wanted = Callable[[Sequence[Record]], Iterable[Record]]
"""Gives the records one by one; it may raise to end the reading if nobody waits for the result any more."""


def compare_runs(found: Sequence[VariantRuns], primary: QuantityName, wanted: Wanted = iter) -> Comparison:
    """Compare two or more variants by their runs, each with the first.

    Raises:
        UserError: A record is damaged.
    """
    return compare(read_variants(found, wanted), primary)


def read_variants(found: Sequence[VariantRuns], wanted: Wanted = iter) -> list[VariantSamples]:
    """The samples of each variant.

    Raises:
        UserError: A record is damaged.
    """
    return [VariantSamples(label, tuple(map(read_sample, wanted(records)))) for label, records in found]


def secrets_of(variants: Iterable[VariantSamples]) -> Secrets:
    """What an export of their comparison masks."""
    profiles = {sample.identity for variant in variants for sample in variant.samples if sample.identity}
    return Secrets(*map(json.loads, sorted(profiles)))


def read_all_evidence(found: Sequence[VariantRuns], wanted: Wanted = iter) -> tuple[VariantEvidence, ...]:
    """The evidence for the figures of each variant.

    Raises:
        UserError: A record is damaged.
    """
    return tuple(read_evidence(label, tuple(wanted(records))) for label, records in found)
