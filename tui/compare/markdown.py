"""A comparison as Markdown, to be pasted into an issue or a pull request."""

from __future__ import annotations

from tui.compare import words
from tui.compare.schema import Comparison
from tui.compare.text import differences, figures, letter, sides
from tui.formats.markdown import escaped, grid


def render(comparison: Comparison) -> str:
    """Headings and tables; ends with a newline."""
    everyone = range(len(comparison.sides))
    parts = [f"**{escaped(sentence)}.**" for sentence in comparison.sentences]
    if comparison.warnings:
        parts.append("\n".join(f"- ▲ {escaped(warning)}" for warning in comparison.warnings))
    parts += [grid([["side", "profile", "starts"], *sides(comparison)]), grid(figures(comparison, everyone))]
    parts += [grid(differences(comparison, place)) for place in everyone if place]
    if gaps := words.gaps(comparison):
        parts.append("\n".join(f"- {escaped(gap)}" for gap in gaps))
    runs = "; ".join(
        f"{letter(place)}: {', '.join(side.records)}" for place, side in enumerate(comparison.sides)
    )
    parts.append(f"<sub>Runs: {escaped(runs)}. {escaped(comparison.method)}</sub>")
    return "\n\n".join(parts) + "\n"
