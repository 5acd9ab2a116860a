"""The export formats: each gives the same comparison in another form."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from tui.compare import markdown, page, text
from tui.compare.evidence import VariantEvidence
from tui.compare.schema import Comparison
from tui.summary.secrets import Secrets
from tui.system.errors import UserError
from tui.system.text import printable

FORMATS: dict[str, str] = {
    "text": ".txt",
    "json": ".json",
    "markdown": ".md",
    "csv": ".csv",
    "html": ".html",
}
"""The formats by name, with the file name extension of each."""


def render(
    comparison: Comparison, evidence: Sequence[VariantEvidence], name: str, secrets: Secrets | None = None
) -> str:
    """A comparison in one of ``FORMATS``; ``evidence`` is for the page's charts, ``secrets`` are masked.

    Raises UserError for another format.
    """
    if secrets is None:
        return printable(_rendered(comparison, evidence, name))
    return secrets.mask(printable(_rendered(secrets.masked_model(comparison), evidence, name)))


def _rendered(comparison: Comparison, evidence: Sequence[VariantEvidence], name: str) -> str:
    match name:
        case "text":
            return text.render(comparison)
        case "json":
            return comparison.model_dump_json(by_alias=True, indent=2) + "\n"
        case "markdown":
            return markdown.render(comparison)
        case "csv":
            return _csv(comparison)
        case "html":
            return page.render(comparison, evidence)
    raise UserError(f'there is no format "{name}"; known: {", ".join(FORMATS)}')


def _csv(comparison: Comparison) -> str:
    """A row for each run and quantity; a value that wasn't measured is empty."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["side", "run", "quantity", "unit", "primary", "value"])
    for row in comparison.rows:
        for variant, cell in zip(comparison.variants, row.cells, strict=True):
            for record, value in zip(variant.records, cell.values, strict=True):
                shown = "" if value is None else f"{value:.10g}"
                writer.writerow(
                    [variant.label, record, row.quantity, row.unit, "yes" if row.primary else "no", shown]
                )
    return file.getvalue()
