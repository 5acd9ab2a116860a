"""Samples with figures of one's own choice, for tests of comparisons."""

from __future__ import annotations

import random
from collections.abc import Sequence

from tui.compare.schema import QuantityName, Sample, VariantSamples

QUANTITIES: tuple[QuantityName, ...] = ("rate", "p50", "p99", "cpu", "memory", "cold-start")


def sample(label: str, nth: int, *, minute: int | None = None, **changes: object) -> Sample:
    """One run; ``changes`` are quantities (``cold_start``), ``traits``, ``identity``, ``reasons``, ``allowed``."""
    values: dict[QuantityName, float | None] = {
        "rate": 2000.0,
        "p50": 0.005,
        "p99": 0.02,
        "cpu": 0.0004,
        "memory": 1e8,
        "cold-start": 0.4,
    }
    for name in QUANTITIES:
        key = name.replace("-", "_")
        if key in changes:
            value = changes[key]
            assert value is None or isinstance(value, float)
            values[name] = value
    minute = nth * 2 if minute is None else minute
    return Sample(
        record=f"run-{label}-{nth}",
        profile=label,
        title=f"The {label}",
        started=f"2026-12-01T03:{minute:02}:00+00:00",
        values=values,
        reasons=dict(changes.get("reasons", {})),  # type: ignore[call-overload]
        traits=dict(changes.get("traits", {})),  # type: ignore[call-overload]
        identity=str(changes.get("identity", label)),
        allowed=tuple(changes.get("allowed", ())),  # type: ignore[arg-type]
    )


def variant(
    label: str, rates: Sequence[float | None], *, first_minute: int = 0, **changes: object
) -> VariantSamples:
    """A variant with these rates, its runs two minutes apart."""
    return VariantSamples(
        label,
        tuple(
            sample(label, nth, minute=first_minute + 2 * nth, rate=rate, **changes)
            for nth, rate in enumerate(rates)
        ),
    )


def noisy(middle: float, seed: int, runs: int = 6, noise: float = 0.01) -> list[float]:
    source = random.Random(seed)
    return [middle * source.lognormvariate(0, noise) for _ in range(runs)]
