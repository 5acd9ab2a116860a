"""Which saved runs make up a variant of a comparison."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable, Sequence
from pathlib import Path

from tui.profile.problems import nearest
from tui.record.control import is_running
from tui.record.events import RunEnded
from tui.record.record import Record, VariantRuns, find_record, first_event, last_event, list_records
from tui.summary.reading import kept_summary
from tui.system.errors import UserError


def is_saved(text: str, runs: Path) -> bool:
    """Whether ``text`` names saved runs: several joined with "+", a folder, a name or the beginning of one."""
    try:
        for part in _parts(text):
            find_record(part, runs)
    except UserError:
        return False
    return True


def variants_of_runs(texts: Iterable[str], runs: Path) -> tuple[VariantRuns, ...]:
    """A variant for each of ``texts``: runs by name, beginning or folder, joined with "+".

    Raises:
        UserError: Everything that is wrong with them, one line each.
    """
    problems: list[str] = []
    variants: list[tuple[Record, ...]] = []
    seen: set[Record] = set()
    for text in texts:
        variant = []
        for part in _parts(text):
            if not part:
                problems.append(f'"{text}": a run is missing before or after a +')
                continue
            try:
                record = _usable(find_record(part, runs))
            except UserError as error:
                problems.append(str(error))
                continue
            if record in seen:
                problems.append(f"{record.name}: given twice, but a run can't be compared with itself")
            seen.add(record)
            variant.append(record)
        variants.append(tuple(sorted(variant, key=lambda record: record.name)))
    if problems:
        raise UserError("\n".join(problems))
    return tuple(map(VariantRuns, _labels(variants), variants))


def variants_of_profiles(names: Sequence[str], runs: Path) -> tuple[VariantRuns, ...]:
    """A variant for each profile: all its finished runs of this machine.

    Raises:
        UserError: Everything that is wrong with the names, one line each.
    """
    found: dict[str, list[Record]] = {}
    host = socket.gethostname()
    for record in reversed(list_records(runs)):
        started, ended = first_event(record), last_event(record)
        if started is None or started.machine.hostname != host:
            continue
        if isinstance(ended, RunEnded) and ended.verdict == "good":
            found.setdefault(started.profile_name, []).append(record)
    problems = [
        f'{name}: no finished run of a profile "{name}" in {runs}; {nearest(name, found)}'
        for name in names
        if name not in found
    ]
    problems += [f"{name}: given twice" for name in dict.fromkeys(names) if names.count(name) > 1]
    if problems:
        raise UserError("\n".join(problems))
    return tuple(VariantRuns(name, tuple(found[name])) for name in names)


def _parts(text: str) -> list[str]:
    return [text] if os.access(Path(text) / "events.jsonl", os.R_OK) else text.split("+")


def _usable(record: Record) -> Record:
    """The record, if its run has ended and measured something."""
    if is_running(record):
        raise UserError(f"{record.name}: it is still running; compare it when it has ended")
    ended = last_event(record)
    if not isinstance(ended, RunEnded):
        if (kept := kept_summary(record)) is not None and kept.verdict in ("good", "stopped"):
            return record  # only its events are damaged
        raise UserError(f"{record.name}: it was cut off, so it isn't a complete run")
    if ended.verdict == "failed":
        raise UserError(f"{record.name}: it failed, so there is nothing to compare: {ended.reason}")
    return record


def _labels(variants: Sequence[tuple[Record, ...]]) -> list[str]:
    """The profile of each variant's first run; with that run's time if variants share a profile."""
    firsts = [variant[0] for variant in variants]
    started = [first_event(record) for record in firsts]
    names = [
        each.profile_name if each else record.name[20:] for each, record in zip(started, firsts, strict=True)
    ]
    times = [f"{record.name[5:10]} {record.name[11:19].replace('-', ':')}" for record in firsts]
    return [
        f"{name} {time}" if names.count(name) > 1 else name for name, time in zip(names, times, strict=True)
    ]
