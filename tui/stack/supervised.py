"""The runner's side of the supervisor: starts the stack, hears what ended, stops it."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tui.plan.plan import Plan, ServicePlan
from tui.stack.leftovers import Leftovers
from tui.system.errors import UserError
from tui.system.private import append_private
from tui.system.procfs import Identity


class StackError(UserError):
    """The stack could not be started, or ended by itself."""


@dataclass(frozen=True, slots=True)
class Started:
    """The process of one copy of a service."""

    service: ServicePlan
    identity: Identity


@dataclass(frozen=True, slots=True)
class Ended:
    """A process that the supervisor reaped: a service's own process or an adopted orphan."""

    identity: Identity
    status: str
    code: int
    cpu: float
    """CPU seconds, including those of the children that it had waited for."""
    done: bool
    """It was the command of a service that daemonises, and has put the service into the background."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """The result of stopping the stack."""

    killed: tuple[str, ...]
    removed: tuple[str, ...]
    left: tuple[str, ...]
    cut: dict[str, int] = field(default_factory=dict)
    """Bytes that were left out of each log that grew too long."""


class SupervisedStack:
    """One stack under one supervisor process.

    ``on_ended`` is called for every process that the supervisor reaps.
    """

    def __init__(self, plan: Plan, on_ended: Callable[[Ended], None]) -> None:
        self._plan = plan
        self._on_ended = on_ended
        self._replies: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: socket.socket | None = None
        self._unread = b""
        self._stopping = False
        self._starting: ServicePlan | None = None
        self.leftovers = Leftovers(plan.leftovers)
        """The supervisor removes them, unless it was killed."""
        self.started: list[Started] = []
        self.failure: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        """Set when a service ends by itself or the supervisor dies: the reason, in words."""

    @property
    def pid(self) -> int:
        """The supervisor's pid: the root of everything that belongs to the stack."""
        assert self._process is not None
        return self._process.pid

    def open(self) -> None:
        """Start the supervisor, bound to the load's CPUs: it must not disturb the server."""
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tui.stack.supervisor", str(theirs.fileno()), str(self._plan.runtime)],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=append_private(Path(self._plan.logs) / "supervisor.err"),
            start_new_session=True,
        )
        theirs.close()
        self._channel = ours
        asyncio.get_running_loop().add_reader(ours, self._receive)
        self._tell(do="begin", runtime=str(self._plan.runtime), leftovers=list(self._plan.leftovers))

    async def start(self) -> None:
        """Start the services in order.

        Raises:
            StackError: A command could not be executed.
        """
        for service in self._plan.services:
            self._starting = service
            self._tell(do="start", service=_jsonable(service), uid=self._plan.uid, gid=self._plan.gid)
            reply = await self._reply("started", "failed")
            if reply["event"] == "failed":
                raise StackError(f"{service.name} could not be started: {reply['text']}")

    async def stop(self) -> Stopped:
        """End everything below the supervisor: each service in its own way, then by force."""
        self._stopping = True
        if self.lost:
            return Stopped((), (), ())
        self._tell(do="stop")
        reply = await self._reply("stopped")
        return Stopped(tuple(reply["killed"]), tuple(reply["removed"]), tuple(reply["left"]), reply["cut"])

    async def close(self) -> None:
        """Release the supervisor, which removes the runtime folder, and wait for it to end."""
        self._stopping = True
        if self._channel is not None:
            asyncio.get_running_loop().remove_reader(self._channel)
            self._channel.close()
        if self._process is not None:
            await asyncio.to_thread(self._process.wait)

    @property
    def lost(self) -> bool:
        """The supervisor has died: what is still alive of the stack is now a child of the runner."""
        return self._process is None or self._process.poll() is not None

    def _tell(self, **command: object) -> None:
        assert self._channel is not None
        try:
            self._channel.setblocking(True)
            self._channel.sendall(json.dumps(command).encode() + b"\n")
        except OSError as error:
            raise StackError("the supervisor process has ended") from error
        finally:
            self._channel.setblocking(False)

    async def _reply(self, *events: str) -> dict[str, Any]:
        while True:
            reply = await self._replies.get()
            if reply["event"] in events:
                return reply
            if reply["event"] == "lost":
                raise StackError("the supervisor process has ended")

    def _receive(self) -> None:
        assert self._channel is not None
        try:
            data = self._channel.recv(1 << 16)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            asyncio.get_running_loop().remove_reader(self._channel)
            self._replies.put_nowait({"event": "lost"})
            self._fail("the supervisor process was killed")
            return
        *lines, self._unread = (self._unread + data).split(b"\n")
        for line in lines:
            event = json.loads(line)
            if event["event"] == "ended":
                self._ended(event)
                continue
            if event["event"] == "started" and self._starting is not None:
                # Here and not where the reply is awaited: the next line may already report the end of the process.
                self.started.append(Started(self._starting, Identity(event["pid"], event["start"])))
            self._replies.put_nowait(event)

    def _ended(self, event: dict[str, Any]) -> None:
        identity = Identity(event["pid"], event["start"])
        service = next((each.service for each in self.started if each.identity == identity), None)
        done = service is not None and service.daemonises and event["code"] == 0
        self._on_ended(Ended(identity, event["status"], event["code"], event["cpu"], done))
        if service is not None and not done:
            self._fail(f"{service.name} ended with {_words(event)}")

    def _fail(self, text: str) -> None:
        if not self._stopping and not self.failure.done():
            self.failure.set_result(text)


def _words(event: dict[str, Any]) -> str:
    return f"status {event['code']}" if event["code"] >= 0 else event["status"]


def _jsonable(service: ServicePlan) -> dict[str, Any]:
    return {
        key: os.fspath(value) if isinstance(value, os.PathLike) else value
        for key, value in asdict(service).items()
    }
