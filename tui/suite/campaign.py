"""From a suite to the campaign that runs it, without the entrants that this machine can't run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tui.campaign.plan import Campaign, Entrant, LeftOut
from tui.campaign.process import is_running
from tui.campaign.progress import read_progress
from tui.campaign.record import CampaignRecord, list_campaigns
from tui.profile.catalogue import Catalogue
from tui.run.facts import expected_seconds
from tui.stack.planning import requirements_missing
from tui.suite.loading import profile_of
from tui.suite.models import Suite
from tui.system.errors import UserError


def campaign_of(
    suite: Suite,
    path: Path,
    catalogue: Catalogue,
    *,
    profiles: Path | None = None,
    overrides: Sequence[str] = (),
    starts: int | None = None,
    allow: Sequence[str] = (),
    beside: bool = False,
) -> Campaign:
    """The campaign of a suite; what is set for all comes first, then the entrants' own, ``overrides`` last.

    Raises:
        UserError: An override is wrong, or no entrant can be run here.
    """
    entrants, left_out = [], []
    for each in suite.entrant:
        profile, own = profile_of(each.profile, path), (*suite.set, *each.set, *overrides)
        if missing := requirements_missing(catalogue.load(profile, own), catalogue):
            more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
            left_out.append(LeftOut(label=each.label, reason=missing[0] + more))
        else:
            entrants.append(Entrant(label=each.label, profile=profile, overrides=own, allow=each.allow))
    if not entrants:
        raise UserError("\n".join(f"{each.label}: {each.reason}" for each in left_out))
    return Campaign(
        kind="suite",
        title=suite.title,
        entrants=tuple(entrants),
        starts=suite.starts if starts is None else starts,
        profiles=profiles.absolute() if profiles else None,
        allow=tuple(allow),
        beside=beside,
        suite=path,
        left_out=tuple(left_out),
    )


def is_as_written(campaign: Campaign, suite: Suite, path: Path) -> bool:
    """Whether the campaign ran the entrants of the suite's file as it is now; the call may have set more of them."""
    ran = {entrant.label: entrant for entrant in campaign.entrants}
    labels = {*ran, *(each.label for each in campaign.left_out)}
    if labels != {each.label for each in suite.entrant}:
        return False
    for each in suite.entrant:
        own = (*suite.set, *each.set)
        entrant = ran.get(each.label)
        if entrant and (entrant.profile, entrant.overrides[: len(own)]) != (
            profile_of(each.profile, path),
            own,
        ):
            return False
    return True


def unfinished(campaign: Campaign, runs: Path) -> CampaignRecord | None:
    """The newest campaign of the same suite with the same content that goes on or was interrupted.

    One whose newest campaign is complete, or whose content has changed since, is not gone on with.
    """
    for record in _of_suite(campaign.suite, runs):
        progress = read_progress(record)
        same = progress.campaign.model_copy(update={"beside": campaign.beside}) == campaign
        if not same or not progress.remaining or (progress.lost and not is_running(record)):
            return None
        return record
    return None


def newest_finished(path: Path, runs: Path) -> CampaignRecord:
    """The newest complete campaign of a suite.

    Raises:
        UserError: There is none.
    """
    for record in _of_suite(path, runs):
        ended = read_progress(record).ended
        if ended is not None and ended.verdict == "complete":
            return record
    raise UserError(
        f"{path.stem}: no finished run of this suite in {runs}; run it with: stackdyno suite {path.stem}"
    )


def _of_suite(path: Path | None, runs: Path) -> list[CampaignRecord]:
    """The readable campaigns of a suite's file, newest first."""
    found = []
    for record in list_campaigns(runs, "suite"):
        try:
            if record.read().suite == path and read_progress(record):
                found.append(record)
        except UserError:
            continue  # a damaged one is no reason to refuse a new one
    return found


def expected_of(suite: Suite, path: Path, catalogue: Catalogue) -> float | None:
    """Seconds that the whole suite should take, by its profiles; None where one only says how many requests."""
    each = [
        expected_seconds(catalogue.load(profile_of(entrant.profile, path), (*suite.set, *entrant.set)))
        for entrant in suite.entrant
    ]
    return None if None in each else suite.starts * sum(seconds or 0.0 for seconds in each)
