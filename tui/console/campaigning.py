"""The part of the app that follows a campaign: its current run is on the screen, and a line says how far it all is."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from textual import on

from tui.campaign.record import CampaignRecord
from tui.console.campaign_source import CampaignSource
from tui.console.campaign_view import CampaignFrame
from tui.console.farewell import attach_command
from tui.console.messages import CampaignFound, CampaignLaunched, CampaignProgressed
from tui.console.reviewing import ReviewingApp
from tui.console.screens.dialogs import Ask, Choice
from tui.run.record import Record


class CampaignApp(ReviewingApp):
    """A campaign outlives the console as a run does; it is stopped, left or attached to as a whole."""

    def __init__(
        self, *, profiles: Path | None, runs: Path | None, attach: Record | CampaignRecord | None = None
    ) -> None:
        super().__init__(profiles=profiles, runs=runs, attach=attach if isinstance(attach, Record) else None)
        self.campaign: CampaignSource | None = None
        """The campaign that goes on, as far as is known."""
        self.campaign_frame: CampaignFrame | None = None
        self.found_campaign = attach if isinstance(attach, CampaignRecord) else None
        self.launching_campaign = False
        """Its process was asked for and hasn't shown up yet."""
        self._campaign_run: Record | None = None
        """The last of its runs."""

    def on_ready(self) -> None:
        if self.found_campaign is not None:
            self.action_attach()

    def on_unmount(self) -> None:
        if self.campaign is not None:
            self.campaign.close()
            self.campaign = None

    @property
    def campaign_goes_on(self) -> bool:
        """Whether a campaign is being launched or followed and hasn't ended."""
        return self.launching_campaign or self.campaign is not None

    @property
    def campaign_kind(self) -> str:
        """What the campaign is called: "comparison" or "suite"."""
        return self.campaign.record.kind if self.campaign else "comparison"

    def follow_campaign(self, record: CampaignRecord) -> None:
        """Show its runs from now on, one after the other."""
        if self.campaign is not None:
            self.campaign.close()
        self.found_campaign = self.campaign_frame = self._campaign_run = None
        self._main.show_hint("")
        self.campaign = CampaignSource(record, self.post_message)
        self.campaign.ask()
        self.refresh_bindings()

    def _tick(self) -> None:
        super()._tick()
        if self.campaign is not None:
            self.campaign.ask()

    @on(CampaignLaunched)
    def _campaign_launched(self, message: CampaignLaunched) -> None:
        self.launching_campaign = False
        self.follow_campaign(message.record)

    @on(CampaignFound)
    def _campaign_found(self, message: CampaignFound) -> None:
        if self.source is None and self.launching is None and not self.campaign_goes_on:
            self.found_campaign = message.record
            self._main.show_hint(f"A {message.record.kind} goes on that was started elsewhere: a shows it")
            self.refresh_bindings()

    @on(CampaignProgressed)
    def _campaign_progressed(self, message: CampaignProgressed) -> None:
        frame = message.frame
        if self.campaign is None or frame.name != self.campaign.record.name:
            return
        self.campaign_frame = frame
        self._main.show_campaign(frame if frame.running else None)
        if frame.run is not None:
            self._follow_start(Record(self.campaign.record.runs / frame.run))
        if not frame.running:
            record = self.campaign.record
            self.campaign.close()
            self.campaign = None
            self.refresh_bindings()
            self._campaign_is_over(record, frame)

    def _follow_start(self, run: Record) -> None:
        """Show the campaign's new run, unless a person looks at another one meanwhile."""
        before, self._campaign_run = self._campaign_run, run
        if run == before:
            return
        if self.record is None or before is None or self.record == before:
            self.follow(run, fresh=True)
        else:
            self.found = run
            self.refresh_bindings()

    def _campaign_is_over(self, record: CampaignRecord, frame: CampaignFrame) -> None:
        if self.leaving:
            self.show_result(record, frame)
            if not self.run_goes_on:
                self._leave()
            return
        if frame.fault is not None:
            self.refuse(
                f"The {frame.kind} isn't complete, {frame.done} of {frame.starts} starts: {frame.fault}"
            )
        self.show_result(record, frame)

    def show_result(self, record: CampaignRecord, frame: CampaignFrame) -> None:
        """A campaign has come to its end."""

    def not_launched(self, reason: str) -> None:
        self.launching_campaign = False
        super().not_launched(reason)

    def run_is_over(self) -> None:
        """A run's end is that of one start while a campaign goes on: who leaves waits for the whole."""
        if not self.campaign_goes_on:
            super().run_is_over()

    def action_attach(self) -> None:
        """Follow the campaign that was found, or the run."""
        if self.found_campaign is not None:
            self.follow_campaign(self.found_campaign)
        else:
            super().action_attach()

    def action_run(self) -> None:
        """Run the selected profile, unless a campaign goes on."""
        if self.campaign_goes_on:
            self.refuse(f"a {self.campaign_kind} goes on; s stops it")
        else:
            super().action_run()

    def action_stop(self) -> None:
        """Stop the run; of a campaign, ask whether all of it is to be stopped."""
        if not self.campaign_goes_on:
            super().action_stop()
            return
        choices = [Choice("n", "let it go on"), Choice("y", "stop it; whole starts are kept")]
        question = f"Stop the whole {self.campaign_kind}, not only this start?"
        self.push_screen(Ask("Stop", question, choices), partial(self._stop_campaign, leaving=False))

    def _stop_campaign(self, answer: str | None, *, leaving: bool) -> None:
        if answer != "y":
            return
        self.leaving = leaving
        if self.campaign is not None:
            self._main.show_hint(f"stops the {self.campaign_kind} …")
            self.jobs.stop_campaign(self.campaign.record)
        elif leaving:
            self._leave()

    def action_quit_console(self) -> None:
        """Leave; ask what becomes of a campaign that goes on."""
        if self.campaign is None:
            super().action_quit_console()
            return
        choices = [
            Choice("s", "stop it, wait for the end of its run, and quit"),
            Choice("l", "let it go on, and quit"),
            Choice("c", "stay here"),
        ]
        place = f", start {frame.number} of {frame.starts}" if (frame := self.campaign_frame) else ""
        self.push_screen(Ask("Quit", f"A {self.campaign_kind} goes on{place}.", choices), self._quit_campaign)

    def _quit_campaign(self, answer: str | None) -> None:
        if answer == "s":
            self._stop_campaign("y", leaving=True)
        elif answer == "l":
            if said := self.what_goes_on():
                self.farewell.append(said)
            self.exit()

    def what_goes_on(self) -> str | None:
        """A campaign's command shows its runs too."""
        if self.campaign is not None:
            return f"The {self.campaign_kind} goes on: {attach_command(self.campaign.record, self.runs)}"
        if self.launching_campaign:
            return f"A comparison is being started: {attach_command(None, self.runs)}"
        return super().what_goes_on()
