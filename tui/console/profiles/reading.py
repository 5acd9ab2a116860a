"""Reads the catalogue: what each profile would do on this machine, or why it can't.

Only a job imports this: planning pulls in Jinja2 and more, and the first screen shouldn't wait for that.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tui.console.profiles.rows import ProfileRow, State
from tui.console.words import counted, load_words, time_words
from tui.plan.planning import requirements_missing
from tui.profile.catalogue import Catalogue, Entry
from tui.profile.definition import StackDefinition
from tui.profile.estimate import run_seconds
from tui.profile.models import Load, OwnApp, Profile
from tui.profile.types import quoted
from tui.system.cpus import Share, format_cpu_list, share_out, thread_siblings, usable_cpus
from tui.system.errors import UserError


def read_profiles(profiles: Path | None) -> tuple[tuple[ProfileRow, ...], int]:
    """Every profile as a row, and the default one.

    Raises:
        UserError: ``profiles`` is not a folder.
    """
    catalogue = Catalogue(extra=profiles)
    entries = catalogue.entries()
    cpus = usable_cpus(), thread_siblings()
    rows = tuple(_row(entry, catalogue, *cpus) for entry in entries)
    usable = [i for i, entry in enumerate(entries) if not entry.problems]
    return rows, usable[0] if usable else 0


def _row(
    entry: Entry, catalogue: Catalogue, usable: tuple[int, ...], siblings: Mapping[int, frozenset[int]]
) -> ProfileRow:
    title = entry.title or entry.name
    if entry.problems:
        why = tuple(str(problem) for problem in entry.problems)
        return ProfileRow(entry.name, title, entry.path, "broken", (), why)
    try:
        profile = catalogue.load(str(entry.path))
        definition, _ = catalogue.stack(profile.stack)
    except UserError as error:  # the file has changed since the last look
        return ProfileRow(entry.name, title, entry.path, "broken", (), tuple(str(error).splitlines()))
    missing = tuple(requirements_missing(profile, catalogue))
    facts = facts_of(profile, definition, share_out(usable, siblings, profile.workers))
    state: State = "needs" if missing else "ready"
    return ProfileRow(entry.name, title, entry.path, state, facts, missing, run_seconds(profile.load))


def facts_of(profile: Profile, definition: StackDefinition, auto: Share) -> tuple[tuple[str, str], ...]:
    """What a run would do, as (label, words). ``auto``: the CPUs that "auto" stands for on this machine."""
    load = profile.load
    server = auto.server if profile.cpus == "auto" else profile.cpus
    generator = auto.load if load.cpus == "auto" else load.cpus
    name = profile.stack
    facts = [("stack", name if definition.title == name else f"{name}: {definition.title}")]
    if profile.app is not None:
        facts.append(("app", _app(profile.app)))
    changed = [
        f"{option} = {quoted(value)}"
        for option, value in profile.options.items()
        if value != definition.options[option].default
    ]
    if changed:
        facts.append(("options", ", ".join(changed)))
    if definition.external is None:
        each = ", one CPU each" if profile.pin == "each" else ""
        facts.append(("workers", f"{profile.workers} on CPU {format_cpu_list(server)}{each}"))
    asked = f", {load.method} {load.path}" if load.kind in ("closed", "open") else ""
    facts.append(("load", load_words(load, cpus=f" from CPU {format_cpu_list(generator)}") + asked))
    warmup = f", after {time_words(load.warmup)} warm-up" if load.warmup else ""
    facts.append(("rounds", _bound(load) + warmup))
    facts.append(("takes", _time(load)))
    return tuple(facts)


def _bound(load: Load) -> str:
    """``3 of 4 s``."""
    if load.duration is None and load.requests is None:
        return f"{load.rounds}, each as long as the command runs"
    bound = time_words(load.duration) if load.duration is not None else counted(load.requests or 0, "request")
    return f"{load.rounds} of {bound}"


def _time(load: Load) -> str:
    seconds = run_seconds(load)
    if seconds is not None:
        return f"about {time_words(round(seconds))}"
    if load.kind == "command":
        return "as long as the command runs"
    return "as long as the requests take; the warm-up gives an estimate"


def _app(app: str | OwnApp) -> str:
    return app if isinstance(app, str) else f"{app.entry} in {app.path}"
