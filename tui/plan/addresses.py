"""Where a stack listens: allocated TCP ports, unix sockets in the runtime folder, or the URL of a running stack."""

import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tui.plan import checks
from tui.plan.plan import ExternalPlan
from tui.plan.templates import Renderer
from tui.profile.definition import PortDefinition, SocketDefinition, StackDefinition
from tui.profile.models import Profile
from tui.profile.problems import Problem, ProfileErrors


@dataclass(frozen=True)
class Allotment:
    """What each name stands for: one port or socket, or a list if the definition has a count."""

    ports: dict[str, int | list[int]]
    sockets: dict[str, str | list[str]]


def allot(
    definition: StackDefinition, renderer: Renderer, runtime: Path, profile: str
) -> tuple[Allotment, list[Problem]]:
    """Ports and sockets for a definition, and a problem for each fixed port or path that is unavailable."""
    ports, problems = _ports(definition.ports, renderer, profile)
    sockets = _sockets(definition.sockets, renderer, runtime)
    for path in map(str, flat(sockets).values()):
        problems += socket_problems(path, profile)
    return Allotment(ports, sockets), problems


def _ports(
    definitions: tuple[PortDefinition, ...], renderer: Renderer, profile: str
) -> tuple[dict[str, int | list[int]], list[Problem]]:
    counts = [_count(port, renderer, f"ports[{index}]") for index, port in enumerate(definitions)]
    free = iter(checks.free_ports(sum(1 if count is None else count for count in counts)))
    ports: dict[str, int | list[int]] = {}
    problems = []
    for index, (port, count) in enumerate(zip(definitions, counts, strict=True)):
        first = renderer.number(port.number, f"ports[{index}].number")
        places = range(1 if count is None else count)
        numbers = [first + place if first else next(free) for place in places]
        ports[port.name] = numbers[0] if count is None else numbers
        for number in numbers if first else []:
            if refusal := checks.port_refusal(number):
                problems.append(Problem(profile, "", refusal, "choose another, or 0 for a free one"))
    return ports, problems


def _sockets(
    definitions: tuple[SocketDefinition, ...], renderer: Renderer, runtime: Path
) -> dict[str, str | list[str]]:
    sockets: dict[str, str | list[str]] = {}
    for index, unix in enumerate(definitions):
        count = _count(unix, renderer, f"sockets[{index}]")
        stem = runtime / unix.name
        several = [f"{stem}-{place}.sock" for place in range(count or 0)]
        sockets[unix.name] = f"{stem}.sock" if count is None else several
    return sockets


def _count(allotted: PortDefinition | SocketDefinition, renderer: Renderer, place: str) -> int | None:
    return None if allotted.count is None else renderer.number(allotted.count, f"{place}.count")


def socket_problems(path: str, profile: str) -> list[Problem]:
    """Whether the path of a unix socket is too long."""
    refusal = checks.socket_path_refusal(path)
    allowed = "choose a shorter socket name, or a shorter runtime folder for the run"
    return [Problem(profile, "", refusal, allowed)] if refusal else []


def flat(allotted: dict[str, Any]) -> dict[str, Any]:
    """One name for each: the members of a list are "NAME.0", "NAME.1" and so on."""
    names: dict[str, Any] = {}
    for name, value in allotted.items():
        several = isinstance(value, list)
        names |= {f"{name}.{place}": item for place, item in enumerate(value)} if several else {name: value}
    return names


def check_ways(external: ExternalPlan, remote: bool, profile: str) -> None:
    """A running stack is found in exactly one way; on another machine its processes can't be seen at all."""
    ways = [key for key in ("pid_file", "unit", "process") if getattr(external, key)]
    if len(ways) == (0 if remote else 1):
        return
    found = f"found {' and '.join(ways) or 'none'} of pid_file, unit and process"
    allowed = "set exactly one to say which processes belong to the stack"
    if remote:
        allowed = "set none of them: another machine's processes can't be seen from here"
    raise ProfileErrors([Problem(profile, "options", found, allowed)])


def is_remote(address: str) -> bool:
    """Whether an address in a plan, ``HOST:PORT`` or ``unix:PATH``, belongs to another machine."""
    host = address.rpartition(":")[0].strip("[]")
    return not address.startswith("unix:") and not checks.is_this_machine(host)


def address_of(url: str, profile: Profile) -> str:
    """Address and port behind a URL; another machine's only if the profile allows it."""
    parts = urlsplit(url)
    try:
        port = parts.port or 80
    except ValueError:
        port = 0
    if parts.scheme != "http" or not parts.hostname or not port or parts.path not in ("", "/") or parts.query:
        allowed = "write http://HOST:PORT; the path belongs in load.path, and https isn't measured"
        raise ProfileErrors([Problem(profile.name, "options", f'found the URL "{url}"', allowed)])
    try:
        found = socket.getaddrinfo(parts.hostname, port, type=socket.SOCK_STREAM)
    except OSError as error:
        problem = Problem(profile.name, "options", f"can't find {parts.hostname}: {error.strerror}")
        raise ProfileErrors([problem]) from None
    address = str(min(found, key=lambda each: each[0] != socket.AF_INET)[4][0])
    if not profile.allow_remote and is_remote(f"{address}:{port}"):
        allowed = "set allow_remote = true if you may put a load on it"
        problem = Problem(profile.name, "options", f"{url} is on another machine ({address})", allowed)
        raise ProfileErrors([problem])
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
