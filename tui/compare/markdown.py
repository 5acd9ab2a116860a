"""A comparison as Markdown, to be pasted into an issue or a pull request."""

from __future__ import annotations

from tui.compare import words
from tui.compare.schema import Comparison
from tui.compare.text import differences, figures, letter, variants
from tui.formats.markdown import escaped, grid


def render(comparison: Comparison) -> str:
    """Headings and tables; ends with a newline."""
    everyone = range(len(comparison.variants))
    parts = [f"**{escaped(sentence)}.**" for sentence in comparison.sentences]
    if comparison.warnings:
        parts.append("\n".join(f"- ▲ {escaped(warning)}" for warning in comparison.warnings))
    parts += [
        grid([["variant", "profile", "runs"], *variants(comparison)]),
        grid(figures(comparison, everyone)),
    ]
    parts += [grid(differences(comparison, place)) for place in everyone if place]
    if gaps := words.gaps(comparison):
        parts.append("\n".join(f"- {escaped(gap)}" for gap in gaps))
    runs = "; ".join(
        f"{letter(place)}: {', '.join(variant.records)}" for place, variant in enumerate(comparison.variants)
    )
    parts.append(f"<sub>Runs: {escaped(runs)}. {escaped(comparison.method)}</sub>")
    return "\n\n".join(parts) + "\n"
