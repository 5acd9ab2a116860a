"""What the run says about itself."""

from __future__ import annotations

from textual.reactive import reactive

from tui.console.drawing.drawn import Drawn
from tui.console.drawing.lines import GLYPHS, MARK_STYLES, Line, clip, finding_lines
from tui.console.run.frame import FindingLine


class Findings(Drawn):
    """Severity, text and remedy of each finding; in one line when there is only one."""

    DEFAULT_CSS = """
    Findings { height: auto; min-height: 1; }
    """

    BORDER_TITLE = "Findings"

    findings: reactive[tuple[FindingLine, ...]] = reactive((), repaint=False)
    """What is drawn, the gravest first."""
    judged: reactive[bool] = reactive(False, repaint=False)
    """Whether there is a run to judge."""

    def watch_findings(self) -> None:
        self.redraw()

    def watch_judged(self) -> None:
        self.redraw()

    def lines(self, width: int, height: int) -> list[Line]:
        if not self.findings:
            return (
                [(("good", "✓ "), ("quiet", "nothing to say"))]
                if self.judged
                else [(("quiet", "no run yet"),)]
            )
        if height == 1:
            return [self._in_one(width)]
        lines: list[Line] = []
        for finding in self.findings:
            lines += finding_lines(finding.mark, finding.text, finding.remedy, width)
        if len(lines) > height:
            lines = [*lines[: height - 1], (("quiet", f"  … {len(self.findings)} in all: f"),)]
        return lines

    def _in_one(self, width: int) -> Line:
        first = self.findings[0]
        more = f"  +{len(self.findings) - 1}: f" if len(self.findings) > 1 else ""
        text = first.text + (f" · {first.remedy}" if first.remedy else "")
        kept = clip(((MARK_STYLES[first.mark], f"{GLYPHS[first.mark]} "), ("plain", text)), width - len(more))
        return (*kept, ("quiet", more))
