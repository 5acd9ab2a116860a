"""Comparisons made by hand: the same figures every time, of variants that differ in a known way."""

from __future__ import annotations

from collections.abc import Sequence

from tests.support.recorded_runs import MB, latencies, scatter, times
from tui.compare.evidence import VariantEvidence
from tui.compare.schema import Cell, Comparison, Difference, Outcome, Row, VariantPart

LABELS = ("gunicorn-sync", "gunicorn-preload", "nginx-fcgi-unix-each", "uwsgi", "unicorn")
SPEED = (1.0, 1.18, 0.91, 1.005, 1.42)
"""How fast each variant is, against the first."""
MEMORY = (165 * MB, 103 * MB, 88 * MB, 164 * MB, 240 * MB)


def cell(median: float | None, *, runs: int, scatter: float = 0.02, reason: str | None = None) -> Cell:
    """A cell whose interval reaches ``scatter`` of the median to either side."""
    known = median is not None
    return Cell(
        runs=runs if known else 0,
        median=median,
        low=median * (1 - scatter) if median is not None else None,
        high=median * (1 + scatter) if median is not None else None,
        interval="95 %" if runs >= 6 else "range",
        values=(median,) * runs,
        reason=reason,
    )


def difference(first: Cell, other: Cell) -> Difference | None:
    """As it would come out: no verdict below six runs, and none to tell where it is less than the scatter."""
    if first.median is None or other.median is None:
        return Difference(fraction=None, low=None, high=None, p=None, p_corrected=None, outcome=None)
    fraction = other.median / first.median - 1
    if min(first.runs, other.runs) < 6:
        return Difference(fraction=fraction, low=None, high=None, p=None, p_corrected=None, outcome=None)
    outcome: Outcome = "can't tell" if abs(fraction) < 0.03 else "more" if fraction > 0 else "less"
    p = 0.6 if outcome == "can't tell" else 0.002
    return Difference(
        fraction=fraction, low=fraction - 0.02, high=fraction + 0.02, p=p, p_corrected=p, outcome=outcome
    )


def row(quantity: str, title: str, unit: str, better: str, cells: Sequence[Cell]) -> Row:
    return Row.model_validate(
        {
            "quantity": quantity,
            "title": title,
            "unit": unit,
            "better": better,
            "primary": quantity == "rate",
            "cells": tuple(cells),
            "differences": (None, *(difference(cells[0], other) for other in cells[1:])),
        }
    )


def comparison(
    variants: int = 2,
    runs: int = 6,
    *,
    warnings: Sequence[str] = (),
    invalid: bool = False,
    labels: Sequence[str] = LABELS,
) -> Comparison:
    """``variants`` of ``runs`` each; ``invalid`` leaves the second one without any latency."""
    numbers = range(variants)
    void = "latency invalid: the load generator used 97 % of its CPU"
    slow: list[Cell] = []
    for i in numbers:
        gone = invalid and i == 1
        slow.append(cell(None if gone else 0.0062 / SPEED[i], runs=runs, reason=void if gone else None))
    middle = [
        cell(None, runs=runs, reason=void) if invalid and i == 1 else cell(0.0019 / SPEED[i], runs=runs)
        for i in numbers
    ]
    cold = [cell(0.412 * (1 + i / 3), runs=runs - (i == 0), scatter=0.2) for i in numbers]
    if invalid:
        cold[0] = cold[0].model_copy(update={"reason": f"{runs - 1} of {runs} runs: one had no cold start"})
    rows = (
        row(
            "rate",
            "requests/s",
            "requests/s",
            "higher",
            [cell(4812 * SPEED[i], runs=runs) for i in numbers],
        ),
        row("p50", "p50", "s", "lower", middle),
        row("p99", "p99", "s", "lower", slow),
        row(
            "cpu",
            "CPU per request",
            "s",
            "lower",
            [cell(0.000207 / SPEED[i], runs=runs) for i in numbers],
        ),
        row(
            "memory",
            "memory",
            "bytes",
            "lower",
            [cell(MEMORY[i], runs=runs, scatter=0.005) for i in numbers],
        ),
        row("cold-start", "cold start", "s", "lower", cold),
    )
    return Comparison(
        stackdyno="0.1",
        variants=tuple(
            VariantPart(
                label=labels[i],
                title=labels[i],
                runs=runs,
                records=tuple(f"run-{i}-{n}" for n in range(runs)),
            )
            for i in numbers
        ),
        rows=rows,
        sentences=tuple(sentence(rows[0], labels, i) for i in numbers if i),
        warnings=tuple(warnings),
        method="Each run is a fresh stack; medians of runs, in the order A B B A.",
    )


def sentence(rate: Row, labels: Sequence[str], i: int) -> str:
    found = rate.differences[i]
    assert found is not None and found.fraction is not None
    if found.outcome is None:
        return f"{labels[i]}: no verdict with fewer than six runs of each variant."
    if found.outcome == "can't tell":
        return f"{labels[i]}: can't tell, the noise is larger than the difference to {labels[0]}."
    return f"{labels[i]} serves {abs(found.fraction):.0%} {found.outcome} requests than {labels[0]}."


def evidence(variants: int = 2, runs: int = 6, labels: Sequence[str] = LABELS) -> tuple[VariantEvidence, ...]:
    """What the runs of :func:`comparison` would show."""
    return tuple(
        VariantEvidence(
            label=labels[i],
            latency=times(latencies(6000, i + 1, 0.0019 / SPEED[i]), 3),
            rates=tuple(rates(4812 * SPEED[i], 10 * i + n) for n in range(runs)),
            shown=runs // 2,
            workers=tuple(
                (
                    "master" if n == 0 else "worker",
                    4100 + n,
                    MEMORY[i] // (16 if n == 0 else 5),
                    24 * MB,
                    MEMORY[i] // 4,
                )
                for n in range(5)
            ),
        )
        for i in range(variants)
    )


def rates(middle: float, seed: int) -> tuple[tuple[float, float], ...]:
    """Three rounds of four seconds, a point each second, with a second and a half between the rounds."""
    numbers = scatter(seed + 1)
    return tuple(
        (5.5 * n + second + 0.5, middle * (0.94 + 0.12 * next(numbers)))
        for n in range(3)
        for second in range(4)
    )
