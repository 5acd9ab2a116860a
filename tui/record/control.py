"""The small unix socket that stops a run, and the check whether its runner is alive."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field, ValidationError

from tui.record.record import Record
from tui.record.running import lock_name
from tui.record.second_place import find_place
from tui.system.errors import UserError
from tui.system.private import write_private
from tui.system.procfs import Identity, is_alive, read_stat
from tui.system.regularfiles import read_regular

ProcessNumber = Annotated[int, Field(gt=0, le=1 << 22)]
"""A pid: Linux gives out none above 2**22."""
StartTime = Annotated[int, Field(ge=0, lt=1 << 63)]
"""Clock ticks since boot."""


class ControlSocket:
    """The runner's end: carries out ``{"do": "stop"}``."""

    def __init__(self, path: Path, stop: Callable[[], None]) -> None:
        self._path = path
        self._stop = stop
        self._server: asyncio.Server | None = None

    async def open(self, record: Record) -> None:
        """Listen, and write the address into the record."""
        before = os.umask(0o177)  # no chmod afterwards: the stack's user may have put a link there meanwhile
        try:
            self._server = await asyncio.start_unix_server(self._serve, path=self._path)
        finally:
            os.umask(before)
        stat = read_stat(os.getpid())
        assert stat is not None
        said = {
            "pid": stat.identity.pid,
            "start": stat.identity.start,
            "control": str(self._path),
            "lock": lock_name(),
        }
        write_private(record.runner_path, json.dumps(said))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, ValueError):
            command = json.loads(await asyncio.wait_for(reader.readline(), 5))
            known = command.get("do") == "stop"
            if known:
                self._stop()
            writer.write(json.dumps({"ok": known}).encode() + b"\n")
            await writer.drain()
        writer.close()

    def close(self) -> None:
        if self._server is not None:
            self._server.close()
        self._path.unlink(missing_ok=True)


def is_running(record: Record) -> bool:
    """Whether the record's runner is alive."""
    try:
        runner = _runner(record)
    except UserError:
        return False
    return runner is not None and is_alive(runner.identity)


def runner_fault(record: Record) -> str | None:
    """Why ``runner.json`` doesn't say which process is the runner; None if it does, or if there is none."""
    try:
        _runner(record)
    except UserError as error:
        return str(error)
    return None


def runner_pid(record: Record) -> int | None:
    """The pid of the record's runner; None if there is none alive, or the record doesn't say."""
    try:
        runner = _runner(record)
    except UserError:
        return None
    return runner.identity.pid if runner is not None and is_alive(runner.identity) else None


def request_stop(record: Record, patience: float = 3.0) -> None:
    """Ask the runner to stop and summarise; it answers at once and stops in its own time.

    One that is held up doesn't answer within ``patience`` seconds, but finds the request once it continues.

    Raises:
        UserError: The run has already ended, its runner doesn't answer, or the record doesn't say which it is.
    """
    try:
        runner = _runner(record)
    except UserError as error:
        raise UserError(f"{record.name}: {error}, so its runner can't be asked to stop") from error
    if runner is None or not is_alive(runner.identity):
        raise UserError(f"{record.name}: the run is over")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.settimeout(patience)
        try:
            client.connect(runner.control)
            client.sendall(b'{"do": "stop"}\n')
            client.recv(100)
        except (OSError, ValueError) as error:
            raise UserError(
                f"{record.name}: its runner (pid {runner.identity.pid}) doesn't answer: {error}"
            ) from error


class _Runner(BaseModel):
    """``runner.json``."""

    pid: ProcessNumber
    start: StartTime
    control: str

    @property
    def identity(self) -> Identity:
        return Identity(self.pid, self.start)


def _runner(record: Record) -> _Runner | None:
    """The runner, or None if none was recorded yet. Raises UserError if that can't be read."""
    try:
        content = read_regular(record.runner_path)
        return _Runner.model_validate_json(content, strict=True)
    except FileNotFoundError:
        place = find_place(record.folder)
        return None if place is None or place == record.folder else _runner(Record(place))
    except OSError as error:
        raise UserError(f"{record.runner_path.name} can't be read: {error.strerror}") from error
    except ValidationError as error:
        raise UserError(f"{record.runner_path.name} is damaged") from error
