"""Warnings when unlike things are compared: that may then explain a difference, and not the stacks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from tui.compare.schema import VariantSamples


def unlike(variants: Sequence[VariantSamples]) -> Iterator[str]:
    """A line for each trait in which the variants, or the runs of one variant, differ; unknown traits are ignored."""
    names = dict.fromkeys(
        name for variant in variants for sample in variant.samples for name in sample.traits
    )
    for name in names:
        values = [_values(variant, name) for variant in variants]
        for variant, found in zip(variants, values, strict=True):
            if len(found) > 1:
                yield f"{variant.label}: its runs differ in {name}: {', '.join(found)}"
        settled = [
            (variant.label, found[0])
            for variant, found in zip(variants, values, strict=True)
            if len(found) == 1
        ]
        if len({value for _, value in settled}) > 1:
            listed = ", ".join(f"{value} ({label})" for label, value in settled)
            yield f"the variants differ in {name}: {listed}"


def same(first: VariantSamples, other: VariantSamples) -> bool:
    """Whether both variants are the same thing, measured in turn: any difference is then this machine's noise.

    One profile before and after a change (of the app, of a version, of the kernel) isn't: that is a comparison.
    """
    identities = {sample.identity for variant in (first, other) for sample in variant.samples}
    if len(identities) != 1 or "" in identities:
        return False
    names = {name for sample in (*first.samples, *other.samples) for name in sample.traits}
    found = [({*_values(first, name)}, {*_values(other, name)}) for name in names]
    changed = any(ours and theirs and not ours & theirs for ours, theirs in found)
    return not changed and not any(in_a_row((first, other)))


def _values(variant: VariantSamples, name: str) -> list[str]:
    return list(dict.fromkeys(sample.traits[name] for sample in variant.samples if name in sample.traits))


def in_a_row(variants: Sequence[VariantSamples]) -> Iterator[str]:
    """A line if the variants were measured one after the other: the machine's drift then looks like a difference."""
    begun = sorted(
        (sample.started, place) for place, variant in enumerate(variants) for sample in variant.samples
    )
    order = [place for _, place in begun]
    changes = sum(one != other for one, other in pairwise(order))
    if len(order) > len(variants) and changes < len(variants):
        yield "the variants were measured one after the other: a change of the machine meanwhile affects one of them"
