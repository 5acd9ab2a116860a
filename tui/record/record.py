"""The folder of one run, and reading it while it grows, after it ends or after it was cut off.

::

    2026-11-30_22-45-12_gunicorn-sync/
        events.jsonl    everything that happened, one JSON object per line
        profile.toml    the profile's file, as it was
        plan.json       the commands, files, CPUs and addresses that it led to
        runner.json     the runner's process and its control socket
        summary.json    written at the end
        logs/  conf/    what the servers wrote; the configuration that they got
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from platformdirs import user_state_path
from pydantic import ValidationError
from pydantic_core import from_json

from tui.record.events import EVENT, SCHEMA_VERSION, Event, LinesLost, Notice, RunStarted
from tui.record.folders import KeptFolder, is_kept, list_folders, named, new_folder
from tui.record.handing_over import receive
from tui.record.second_place import LastingReader, LastingWriter, find_place
from tui.record.soundness import is_sound
from tui.record.state import RunState
from tui.system.errors import UserError
from tui.system.private import make_private_folder
from tui.system.regularfiles import read_regular

PROOF = "events.jsonl"
"""The file that makes a folder a record."""
LONG_LINE = 1 << 20
"""More bytes than a run's last event takes, including the tail of the server's log."""


def default_runs() -> Path:
    """Where runs are kept unless ``--runs`` says otherwise."""
    return user_state_path("stackdyno") / "runs"


class Record(KeptFolder):
    """One run's folder."""

    @property
    def events_path(self) -> Path:
        return self.folder / PROOF

    @property
    def profile_path(self) -> Path:
        return self.folder / "profile.toml"

    @property
    def plan_path(self) -> Path:
        return self.folder / "plan.json"

    @property
    def runner_path(self) -> Path:
        return self.folder / "runner.json"

    @property
    def summary_path(self) -> Path:
        return self.folder / "summary.json"

    @property
    def logs(self) -> Path:
        return self.folder / "logs"

    @property
    def conf(self) -> Path:
        return self.folder / "conf"


class VariantRuns(NamedTuple):
    """One of several things that are compared, and its runs, oldest first."""

    label: str
    records: tuple[Record, ...]


def create_record(runs: Path, profile: str) -> Record:
    """Create a folder below ``runs``, readable only by its owner; its name sorts by time."""
    record = Record(new_folder(runs, profile))
    make_private_folder(record.logs)
    make_private_folder(record.conf)
    return record


def list_records(runs: Path) -> list[Record]:
    """The records below ``runs`` that we may read, newest first. Raises UserError when ``runs`` can't be read."""
    return [Record(folder) for folder in list_folders(runs, PROOF)]


def find_record(name: str | None, runs: Path) -> Record:
    """Find a record by its folder, its name or the beginning of its name; without a name, the newest one."""
    if name is not None and is_kept(Path(name), PROOF):
        return Record(Path(name).resolve())
    records = list_records(runs)
    if not records:
        raise UserError(f"{runs}: no runs yet; start one with `stackdyno run PROFILE`")
    found = records[0] if name is None else named(records, name)
    if found is None:
        raise UserError(f"{name}: no such run in {runs}; the newest is {records[0].name}")
    return found


class EventWriter:
    """Appends events to a record."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._t = 0.0
        self._lost: float | None = None
        """When the first event came that couldn't be kept."""
        self._lines = LastingWriter(record.folder, PROOF, "run", self._notice)

    def write(self, event: Event) -> None:
        """Append an event; this never fails, since a full disk must not end a measurement."""
        self._t = event.t
        if not self._lines.beside:
            with contextlib.suppress(OSError):
                self._lines.beside[self._record.runner_path.name] = read_regular(self._record.runner_path)
        self._lines.write(event.model_dump_json().encode())
        if self._lines.whole:
            self._lost = None
        elif self._lost is None:
            self._lost = event.t

    def _notice(self, code: Literal["moved", "not-kept"], text: str) -> bytes:
        t = self._t if self._lost is None else self._lost
        return Notice(t=t, code=code, severity="warning", text=text).model_dump_json().encode()

    def close(self) -> bool:
        """Close the record. Returns whether it has all events; if not, whoever follows it has got them."""
        self._lines.close()
        return self._lines.whole


class Follower:
    """Reads a record as ``tail -f`` would. A line that can't be read becomes :class:`LinesLost`."""

    def __init__(self, record: Record) -> None:
        self._path = record.events_path
        self._lines = LastingReader(record.folder, PROOF)
        self._number = 0
        self._t = 0.0

    def poll(self) -> list[Event]:
        """All of :meth:`events` at once: many times what the file takes."""
        return list(self.events())

    def events(self) -> Iterator[Event]:
        """The events whose lines were completed since the last call, one by one, without holding the others.

        Raises:
            UserError: The file can't be read, or was written with another version of the schema.
        """
        yield from map(self._event, self._lines.lines())

    def _event(self, line: bytes) -> Event:
        self._number += 1
        event = _parsed(line)
        if event is None:
            if self._number == 1:
                self._check_version(line)
            return LinesLost(t=self._t, where=f"line {self._number:,} of {PROOF}")
        self._t = event.t
        return event

    def _check_version(self, line: bytes) -> None:
        try:
            fields = from_json(line)
        except ValueError:
            return
        version = fields.get("schema_version", SCHEMA_VERSION) if isinstance(fields, dict) else SCHEMA_VERSION
        if version != SCHEMA_VERSION:
            raise UserError(
                f"{self._path}: written with event schema {version}, this stackdyno reads {SCHEMA_VERSION}"
            )


def _parsed(line: bytes) -> Event | None:
    """The line's event; None if it isn't one, or can't be true."""
    try:
        event = EVENT.validate_json(line)
    except ValidationError:
        return None
    return event if is_sound(event) and not isinstance(event, LinesLost) else None


def read_events(record: Record) -> Iterator[Event]:
    """All events of a record, without a last line that was cut off."""
    yield from Follower(record).events()


def first_event(record: Record) -> RunStarted | None:
    """The first event, which says what the run is, read without the rest; None if it can't be read."""
    try:
        line, *_ = read_regular(record.events_path, limit=LONG_LINE).split(b"\n", 1)
        return RunStarted.model_validate_json(line)
    except (OSError, ValidationError):
        return None


def last_event(record: Record) -> Event | None:
    """The newest complete event, read without the others; None if there is none or it is damaged.

    It shows how a run ended, and costs the reading of one line.
    """
    place = find_place(record.folder) or record.folder
    try:
        *lines, _ = read_regular(place / PROOF, offset=-LONG_LINE).split(b"\n")
    except OSError:
        return None
    return _parsed(lines[-1]) if lines else None


def handed_over(record: Record) -> Event | None:
    """The last event of a record that can't be kept, while its runner hands it over; None at any other time."""
    lines = receive(record.events_path)
    return _parsed(lines[-1]) if lines else None


def read_state(record: Record) -> RunState:
    """Fold a whole record.

    Raises:
        UserError: It isn't a record, or its first line, which says what the run is, can't be read.
    """
    state = RunState()
    for event in read_events(record):
        state.apply(event)
    need_run(record, state)
    return state


def need_run(record: Record, state: RunState) -> None:
    """Raises UserError if a whole record's state has no beginning: it isn't a record, or its first line is damaged."""
    if state.started is None and state.lost is not None:
        raise UserError(f"{record.events_path}: {state.lost}, and the one that says what was run is missing")
    if state.started is None:
        raise UserError(f"{record.folder}: contains no run")
