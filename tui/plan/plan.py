"""The plan: everything concrete about one run of a stack, before anything is started.

``make_plan`` (:mod:`tui.plan.planning`) makes it from a profile on this machine: commands, environments, files,
addresses, CPUs. It goes as JSON to the runner and to the supervisor, which reads it with the standard library alone,
because that process must start fast and stay small.
"""

import json
import types
import typing
from dataclasses import asdict, dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, Literal

from tui.load.request import Expected


@dataclass(frozen=True, slots=True)
class RoleRule:
    """Which processes have a role. A rule fits if everything that it names fits; the first rule that fits decides."""

    role: Literal["master", "front", "worker", "helper"]
    depth: int | None
    """0 is the service's root: the process started or, when it daemonises, the one in the pid file."""
    match: str | None
    """A regular expression to search for in the command line, whose arguments are joined with spaces."""
    threads: int | None = None


@dataclass(frozen=True, slots=True)
class ServicePlan:
    """One command to start. Copies of a service share its name; ``copy`` counts them from 0."""

    name: str
    copy: int
    argv: tuple[str, ...]
    """``argv[0]`` is an absolute path."""
    cwd: Path
    env: dict[str, str]
    """The complete environment; nothing is inherited."""
    log: Path
    """Where stdout and stderr go."""
    cpus: tuple[int, ...]
    daemonises: bool
    pid_file: Path | None
    stop_signal: int
    stop_timeout: float
    """Seconds from the signal until what still runs is killed."""
    roles: tuple[RoleRule, ...]
    refusals: str | None = None
    """A regular expression for its log lines about connections that a full unix socket refused."""


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """What is written into the runtime folder: a rendered file, a copy of another file, or else a folder."""

    path: Path
    mode: int
    content: str | None
    source: Path | None


@dataclass(frozen=True, slots=True)
class VersionCommand:
    """How a program reports its version: the first group of ``regex`` in what it writes to stdout or stderr."""

    argv: tuple[str, ...]
    regex: str


@dataclass(frozen=True, slots=True)
class StatusPlan:
    """Where a server reports what is busy, and what to extract from it: see :mod:`tui.profile.status`."""

    url: str | None
    socket: str | None
    send: str
    file: str | None
    command: tuple[str, ...]
    env: dict[str, str]
    """The command's complete environment."""
    every: float
    stale: float
    unit: str
    format: Literal["json", "text", "csv", "xml"]
    find: dict[str, str]
    rows: str
    values: dict[str, str]
    """Expressions for busy, idle, queue and requests, as far as it reports them."""
    workers: dict[str, str]
    """Expressions for each, pid, requests and busy; empty if it reports nothing about single workers."""

    @property
    def where(self) -> str:
        """In words: ``http://127.0.0.1:8002/``, ``passenger-status``."""
        if self.command:
            return Path(self.command[0]).name
        return " on ".join(part for part in (self.url, self.socket, self.file) if part)


@dataclass(frozen=True, slots=True)
class ExternalPlan:
    """A stack that is already running; one of the last three names its processes, or none on another machine."""

    url: str
    pid_file: Path | None
    unit: str | None
    process: str | None


@dataclass(frozen=True, slots=True)
class Plan:
    """A run, ready to be started."""

    run_id: str
    profile: str
    stack: str
    title: str
    app: str | None
    """The app's name, or the folder of the user's own app."""
    interface: str | None
    services: tuple[ServicePlan, ...]
    """In start order; they stop in reverse order."""
    files: tuple[PlannedFile, ...]
    address: str
    """"127.0.0.1:PORT" or "unix:PATH"."""
    url: str
    """What a user would open; for a unix socket, path and socket in words."""
    path: str
    """The path that the load requests: ``load.path`` of the profile."""
    load_host: str
    """The Host header."""
    load_command: tuple[str, ...]
    """The command of another load generator, ready to run; empty if there is none."""
    expect: Expected
    workers: int | None
    """How many processes with the role worker are expected; None if the stack doesn't say."""
    server_cpus: tuple[int, ...]
    """Empty if the stack is on another machine."""
    load_cpus: tuple[int, ...]
    shared_cpus: bool
    """Server and load share a CPU, or a core through SMT."""
    shared_by_choice: bool
    """They share, although this machine has enough CPUs to keep them apart."""
    pin: Literal["shared", "each"]
    uid: int | None
    """The user that the stack runs as, if that isn't us; else None."""
    gid: int | None
    user: str | None
    runtime: Path
    logs: Path
    ready_timeout: float
    leftovers: tuple[str, ...]
    """Absolute glob patterns."""
    ports: dict[str, int]
    """The allocated ports by name; several with one name are "NAME.0", "NAME.1" and so on."""
    sockets: dict[str, str]
    """The unix sockets in the runtime folder, named like ports."""
    versions: dict[str, VersionCommand]
    status: dict[str, StatusPlan]
    keepalive: bool
    """Whether the server can keep connections alive, whether or not the load asks for it."""
    external: ExternalPlan | None
    notices: tuple[str, ...]

    def to_json(self) -> str:
        """The plan as one JSON object; :meth:`from_json` gives an equal plan."""
        return json.dumps(asdict(self), default=str)

    @classmethod
    def from_json(cls, text: str) -> "Plan":
        """Reads what :meth:`to_json` wrote."""
        plan: Plan = _built(cls, json.loads(text))
        return plan


def _built(kind: Any, value: Any) -> Any:
    """Converts ``value`` from JSON to the annotated type ``kind`` of a plan's field."""
    if is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        built = {field.name: _built(hints[field.name], value[field.name]) for field in fields(kind)}
        return typing.cast(Any, kind)(**built)
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if value is None or origin is Literal:
        return value
    if origin is types.UnionType:
        return _built(next(arg for arg in args if arg is not type(None)), value)
    if origin is tuple:
        return tuple(_built(args[0], item) for item in value)
    if origin is dict:
        return {key: _built(args[1], item) for key, item in value.items()}
    return kind(value)
