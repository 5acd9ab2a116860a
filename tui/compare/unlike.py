"""Warnings where unlike things are compared: a difference may then be theirs and not the stacks'."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from tui.compare.schema import Side


def unlike(sides: Sequence[Side]) -> Iterator[str]:
    """A line for each trait in which the sides, or the starts of one, differ; what isn't known of a side isn't told."""
    names = dict.fromkeys(name for side in sides for sample in side.samples for name in sample.traits)
    for name in names:
        values = [_values(side, name) for side in sides]
        for side, found in zip(sides, values, strict=True):
            if len(found) > 1:
                yield f"{side.label}: its starts differ in {name}: {', '.join(found)}"
        settled = [
            (side.label, found[0]) for side, found in zip(sides, values, strict=True) if len(found) == 1
        ]
        if len({value for _, value in settled}) > 1:
            told = ", ".join(f"{value} ({label})" for label, value in settled)
            yield f"the sides differ in {name}: {told}"


def same(first: Side, other: Side) -> bool:
    """Whether both sides are the same thing, measured in turn: what they differ by is this machine's noise.

    One profile before and after a change (of the app, of a version, of the kernel) isn't: that is a comparison.
    """
    identities = {sample.identity for side in (first, other) for sample in side.samples}
    if len(identities) != 1 or "" in identities:
        return False
    names = {name for sample in (*first.samples, *other.samples) for name in sample.traits}
    found = [({*_values(first, name)}, {*_values(other, name)}) for name in names]
    changed = any(ours and theirs and not ours & theirs for ours, theirs in found)
    return not changed and not any(in_a_row((first, other)))


def _values(side: Side, name: str) -> list[str]:
    return list(dict.fromkeys(sample.traits[name] for sample in side.samples if name in sample.traits))


def in_a_row(sides: Sequence[Side]) -> Iterator[str]:
    """A line where the sides were measured one after the other, so that its drift looks like a difference."""
    begun = sorted((sample.started, place) for place, side in enumerate(sides) for sample in side.samples)
    order = [place for _, place in begun]
    changes = sum(one != other for one, other in pairwise(order))
    if len(order) > len(sides) and changes < len(sides):
        yield "the sides were measured one after the other: a change of the machine meanwhile falls on one of them"
