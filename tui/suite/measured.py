"""From the records of a suite's runs to their summaries, with reasons for missing ones."""

from __future__ import annotations

from collections.abc import Sequence

from tui.experiment.plan import Experiment
from tui.experiment.progress import Progress
from tui.findings.judged import read_summary
from tui.profile.overrides import apply_overrides
from tui.record.record import VariantRuns
from tui.suite.schema import Measured
from tui.summary.secrets import Secrets


def measured(progress: Progress, variants: Sequence[VariantRuns]) -> tuple[Measured, ...]:
    """Each variant with what was measured of it so far; variants that were left out come last.

    Raises:
        UserError: A record is damaged.
    """
    found = [
        Measured(
            label, tuple(read_summary(record) for record in records), _lacking(progress, index, len(records))
        )
        for index, (label, records) in enumerate(variants)
    ]
    left_out = [
        Measured(each.label, lacking=f"not run: {each.reason}") for each in progress.experiment.left_out
    ]
    return (*found, *left_out)


def secrets_of(experiment: Experiment, found: Sequence[Measured]) -> Secrets:
    """What an export of a suite masks: the secrets of its runs' profiles, and those it sets where nothing ran."""
    settings = (apply_overrides({}, variant.overrides) for variant in experiment.variants)
    return Secrets(*settings, *(summary.profile for each in found for summary in each.summaries))


def _lacking(progress: Progress, variant: int, usable: int) -> str | None:
    """Why a variant has fewer runs than it should."""
    wanted = progress.experiment.runs_each
    if usable == wanted:
        return None
    failed = [each.ended for each in progress.failed if each.run.variant == variant]
    if failed:
        return f"{len(failed)} of {wanted} runs failed: {failed[0].reason or failed[0].verdict}"
    if usable < len(progress.records_of(variant)):
        return f"{usable} of {wanted} runs: the other records are gone"
    return f"{usable} of {wanted} runs so far"
