"""The part of the app that shows pages over the screen and writes files: nothing in it changes a run."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from textual.content import Content

from tui.console.dialogs import ExportDialog
from tui.console.drawing.lines import GLYPHS
from tui.console.following import FollowingApp
from tui.console.help import help_text
from tui.console.pages import LogPage, Page
from tui.formats.export import FORMATS
from tui.record.record import Record, default_runs


class PagingApp(FollowingApp):
    """Exports, a profile's file, the server's log, the findings, a picture of the screen, the help."""

    def action_export(self) -> None:
        """Ask for format and path, and write."""
        if self.record is not None:
            self.ask_export(self.record)

    def ask_export(self, record: Record) -> None:
        """Ask for format and path of an export of this run, and write it."""
        dialog = ExportDialog(FORMATS, record.name, Path.cwd())
        self.push_screen(dialog, partial(self._export, record))

    def _export(self, record: Record, chosen: tuple[str, Path] | None) -> None:
        if chosen is not None:
            self.jobs.export(record, *chosen)

    def action_view(self) -> None:
        """Show the selected profile's file."""
        if self.row is None:
            return
        try:
            text = self.row.path.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            self.refuse(f"{self.row.path}: {error.strerror}")
            return
        reasons = Content("\n").join([Content.styled(why, "$error") for why in self.row.why_not])
        shown = Content.assemble(reasons, "\n\n", text) if self.row.why_not else Content(text)
        self.push_screen(Page(str(self.row.path), shown))

    def action_log(self) -> None:
        """Show the end of the server's log, and follow it."""
        if self.record is not None:
            self.push_screen(LogPage(self.record.logs))

    def action_findings(self) -> None:
        """Show all findings."""
        lines: list[Content] = []
        for finding in self.frame.findings if self.frame else ():
            style = {"invalid": "$error", "warning": "$warning"}.get(finding.mark, "$foreground")
            lines.append(Content.assemble((f"{GLYPHS[finding.mark]} {finding.text}", style)))
            lines += [
                Content.styled(f"  {text}", "$foreground 65%")
                for text in (finding.evidence, finding.remedy)
                if text
            ]
            lines.append(Content(""))
        self.push_screen(
            Page("Findings", Content("\n").join(lines) if lines else "This run has no findings.")
        )

    def action_save_screenshot(self) -> None:
        """Save the screen as an SVG file in the folder of runs."""
        folder = self.record.folder if self.record else (self.runs or default_runs())
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self.notify(f"Wrote {self.save_screenshot(path=str(folder))}", markup=False)
        except OSError as error:
            self.refuse(f"{folder}: {error.strerror}")

    def action_help(self) -> None:
        """Explain the screen and the keys."""
        self.push_screen(Page("stackdyno", help_text()))
