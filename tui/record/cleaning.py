"""Ends what runs left behind whose runner and supervisor were killed together, and removes their folders."""

from __future__ import annotations

import contextlib
import shutil
import signal
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tui.record.running import LeftBehind, gone_runtimes, look, unlisted_records
from tui.system.procfs import Identity, is_alive, send_signal

GRACE = 5.0
"""Seconds between SIGTERM and SIGKILL."""
_KILLING = 3.0
"""Seconds for which SIGKILL is repeated."""
_PERIOD = 0.05


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What was done."""

    ended: tuple[LeftBehind, ...]
    """By run, every process that was seen; all have ended but those in ``alive``."""
    killed: frozenset[Identity]
    """Those that had not ended after SIGTERM."""
    alive: frozenset[Identity]
    """Those that SIGKILL did not end."""
    removed: tuple[Path, ...]
    """Runtime folders and records without a first event."""
    kept: tuple[str, ...]
    """What could not be removed, and why."""


def clean(runs: Path, grace: float = GRACE) -> Cleaned:
    """End every process that was left behind, then remove the folders of runs that are gone."""
    ended: dict[str, LeftBehind] = {}
    termed = _until_none(ended, signal.SIGTERM, grace)
    killed = _until_none(ended, signal.SIGKILL, _KILLING) if termed else frozenset()
    alive = frozenset(each.identity for left in look().left for each in left.processes) if killed else killed
    removed, kept = [], []
    for folder in (*gone_runtimes(), *unlisted_records(runs)):
        try:
            shutil.rmtree(folder)
            removed.append(folder)
        except OSError as error:
            kept.append(f"{folder}: could not be removed completely ({error.strerror}: {error.filename})")
    return Cleaned(tuple(ended.values()), killed, alive, tuple(removed), tuple(kept))


def _until_none(ended: dict[str, LeftBehind], number: signal.Signals, seconds: float) -> frozenset[Identity]:
    """Signal everything that was left behind until nothing is there. Returns who got the signal and did not heed it.

    It looks again after each turn: a master may have replaced a worker meanwhile.
    """
    deadline = time.monotonic() + seconds
    told: set[Identity] = set()
    while left := look().left:
        now = [each for run in left for each in run.processes]
        for run in left:
            known = ended.setdefault(run.run, LeftBehind(run.run, run.folder, run.ended))
            seen = {each.identity for each in known.processes}
            known.processes += [each for each in run.processes if each.identity not in seen]
        fresh = {each.identity for each in now} - (told if number == signal.SIGTERM else set())
        _signal(fresh, number)
        told |= fresh
        if time.monotonic() > deadline:
            break
        _wait({each.identity for each in now}, deadline)
    if number == signal.SIGKILL:
        return frozenset(told)
    return frozenset(each for each in told if is_alive(each))


def _wait(identities: Iterable[Identity], deadline: float) -> None:
    while any(map(is_alive, identities)) and time.monotonic() < deadline:
        time.sleep(_PERIOD)


def _signal(identities: Iterable[Identity], number: signal.Signals) -> None:
    for identity in identities:
        with contextlib.suppress(PermissionError):
            send_signal(identity, number)
