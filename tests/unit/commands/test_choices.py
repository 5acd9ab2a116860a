"""What a command lets a person choose is what the renderers know, though it doesn't import them to say so."""

from __future__ import annotations

from tui.commands import compare, export, suite
from tui.compare import formats as compare_formats
from tui.compare.quantities import QUANTITIES
from tui.formats import export as run_formats
from tui.suite import formats as suite_formats


def test_every_format_and_quantity_can_be_chosen_and_no_other() -> None:
    assert tuple(run_formats.FORMATS) == export.FORMATS
    assert tuple(compare_formats.FORMATS) == compare.FORMATS
    assert tuple(QUANTITIES) == compare.PRIMARY
    assert suite.FORMATS == suite_formats.FORMATS
