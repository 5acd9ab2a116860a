"""How users write a variant: ``gunicorn-sync,workers=4``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from tui.experiment.plan import Variant
from tui.summary.secrets import masked_setting

_OVERRIDE = re.compile(r",(?=[A-Za-z_][\w.-]*=)")
_LONGEST = 60
"""Characters of a label."""


def split_overrides(text: str) -> tuple[str, tuple[str, ...]]:
    """The profile and its overrides: ``shop,cpus=0,1,workers=2`` is ``shop`` with ``cpus=0,1`` and ``workers=2``.

    A comma separates only if ``KEY=`` follows, and not within quotes, brackets or braces of a value.
    """
    parts = [""]
    for part in _OVERRIDE.split(text):
        if parts[-1] and not _whole(parts[-1]):
            parts[-1] += f",{part}"
        elif parts[-1]:
            parts.append(part)
        else:
            parts[-1] = part
    return parts[0], tuple(parts[1:])


def _whole(text: str) -> bool:
    return (
        text.count("{") == text.count("}") and text.count("[") == text.count("]") and not text.count('"') % 2
    )


def parse_variants(texts: Iterable[str], common: Sequence[str] = ()) -> tuple[Variant, ...]:
    """The variants, each with a distinct label. A variant's own overrides follow those that are common to all.

    A label goes into tables, titles and the name of a folder, so what an export masks is masked there too.
    """
    variants: list[Variant] = []
    for text in texts:
        profile, own = split_overrides(text)
        name = profile
        if "/" in profile or profile.endswith(".toml"):
            path = Path(profile).expanduser().absolute()
            profile, name = str(path), path.stem
        label = ",".join([name, *(masked_setting(override).removeprefix("options.") for override in own)])
        if len(label) > _LONGEST:
            label = f"{label[: _LONGEST - 1]}…"
        label = distinct(label, [each.label for each in variants])
        variants.append(Variant(label=label, profile=profile, overrides=(*common, *own)))
    return tuple(variants)


def distinct(label: str, taken: Sequence[str]) -> str:
    """The label; if it is taken, as in an A/A comparison, a number is added."""
    number, chosen = 1, label
    while chosen in taken:
        number += 1
        chosen = f"{label} ({number})"
    return chosen
