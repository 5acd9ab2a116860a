"""Records on disk as runners leave them, for tests of what reads many of them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from tests.support import story
from tui.findings.judged import write_summary
from tui.record.events import Event, Planned, RunEnded, RunStarted
from tui.record.record import EventWriter, Record
from tui.system.procfs import read_stat


def keep(folder: Path, events: Iterable[Event], *, summary: bool = True, alive: bool = False) -> Record:
    """A record of these events; ``alive`` makes this very process its runner."""
    folder.mkdir(parents=True)
    record = Record(folder)
    writer = EventWriter(record)
    for event in events:
        writer.write(event)
    writer.close()
    if alive:
        stat = read_stat(os.getpid())
        assert stat is not None
        said = {"pid": stat.identity.pid, "start": stat.identity.start, "control": "/nowhere"}
        record.runner_path.write_text(json.dumps(said))
    if summary:
        write_summary(record)
    return record


def named(
    events: Iterable[Event], name: str, title: str, *, wall: float = 1.0, stack: str = "gunicorn"
) -> list[Event]:
    """The same run of another profile."""
    said = {"profile_name": name, "profile_title": title, "wall": wall, "profile": {"stack": stack}}
    changed: list[Event] = []
    for event in events:
        if isinstance(event, RunStarted):
            event = event.model_copy(update=said)
        elif isinstance(event, Planned):
            event = event.model_copy(update={"facts": event.facts.model_copy(update={"stack": stack})})
        changed.append(event)
    return changed


def ended(verdict: str, reason: str | None = None) -> list[Event]:
    """A run that ended so."""
    *before, last = story.run(rounds=0 if verdict == "failed" else 2)
    assert isinstance(last, RunEnded)
    return [*before, last.model_copy(update={"verdict": verdict, "reason": reason})]
