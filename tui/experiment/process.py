"""The process that carries out an experiment: which one it is, whether it is alive, and how to stop it."""

from __future__ import annotations

import fcntl
import json
import os
import signal

from pydantic import BaseModel, ValidationError

from tui.experiment.record import ExperimentRecord
from tui.record.control import ProcessNumber, StartTime
from tui.system.errors import UserError
from tui.system.procfs import Identity, is_alive, read_stat, send_signal
from tui.system.regularfiles import read_regular


def claim(record: ExperimentRecord) -> None:
    """Record that this process carries out the experiment, until it ends.

    Raises:
        UserError: Another process already does.
    """
    try:  # kept open: the lock ends with the process
        fd = os.open(record.process_path, os.O_RDWR | os.O_CREAT | os.O_NONBLOCK, 0o600)
    except OSError as error:
        raise UserError(f"{record.process_path}: can't be written ({error.strerror})") from error
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(fd)
        raise UserError(f"{record.name}: it is already running") from error
    stat = read_stat(os.getpid())
    assert stat is not None
    said = {"pid": stat.identity.pid, "start": stat.identity.start}
    try:
        os.truncate(fd, 0)
        os.write(fd, json.dumps(said).encode())
    except OSError as error:
        raise UserError(f"{record.process_path}: can't be written ({error.strerror})") from error


def is_running(record: ExperimentRecord) -> bool:
    """Whether the experiment's process is alive."""
    identity = _identity(record)
    return identity is not None and is_alive(identity)


def process_pid(record: ExperimentRecord) -> int | None:
    """The pid of the experiment's process; None if it isn't alive."""
    identity = _identity(record)
    return identity.pid if identity is not None and is_alive(identity) else None


def request_stop(record: ExperimentRecord) -> None:
    """Ask the experiment to stop: it stops and summarises its current run, and starts no other.

    Raises:
        UserError: It isn't running.
    """
    identity = _identity(record)
    if identity is None or not send_signal(identity, signal.SIGTERM):
        raise UserError(f"{record.name}: it isn't running")


def _identity(record: ExperimentRecord) -> Identity | None:
    """The process, or None if it was never recorded or that can't be read: then nothing can be asked of it."""
    try:
        said = _Process.model_validate_json(read_regular(record.process_path), strict=True)
    except (OSError, ValidationError):
        return None
    return Identity(said.pid, said.start)


class _Process(BaseModel):
    """``process.json``."""

    pid: ProcessNumber
    start: StartTime
