"""Which service each of the stack's processes belongs to, and its role there.

Rules come from the stack definition, and the first that fits wins: a regular expression on the title, the depth below
the process that was started, the number of threads. Where titles say nothing (gunicorn without setproctitle, Apache),
depth decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from tui.system.procfs import Identity, ProcessStat, pids_in, read_cmdline, read_environ

Role = Literal["master", "front", "worker", "helper"]
SETTLING = 10.0
"""Seconds during which a title may still change (a fork that has not set its title yet)."""


class Rule(Protocol):
    """One line of a definition's ``roles``."""

    @property
    def role(self) -> Role: ...
    @property
    def depth(self) -> int | None: ...
    @property
    def match(self) -> str | None: ...
    @property
    def threads(self) -> int | None: ...


@dataclass(frozen=True, slots=True)
class Member:
    """One process of the stack."""

    stat: ProcessStat
    service: str
    role: Role
    depth: int
    title: str


class ProcessTable:
    """Tracks the members of one stack from scan to scan.

    A process whose parent died keeps its service and depth; an orphan that was never seen below its parent
    (a master that daemonised at once) is recognised by the mark in its environment, or by its title. Of a service
    that daemonises, the command and whatever it forks on the way are helpers, and the pid file names the root.
    """

    def __init__(
        self,
        rules: Mapping[str, Sequence[Rule]],
        *,
        title: Callable[[int], str | None] = read_cmdline,
        environ: Callable[[int], dict[str, str] | None] = read_environ,
    ) -> None:
        self._rules = rules
        self._title = title
        self._environ = environ
        self._roots: dict[Identity, str] = {}
        self._launching: set[Identity] = set()
        self._pid_files: dict[Path, str] = {}
        self._known: dict[Identity, Member] = {}

    def started(self, service: str, main: Identity) -> None:
        """Register a service's own process, the root of its part of the tree."""
        self._roots[main] = service

    def launched(self, service: str, command: Identity, pid_file: Path | None) -> None:
        """Register the command of a service that daemonises, and the file where the daemon writes its pid."""
        self._roots[command] = service
        self._launching.add(command)
        if pid_file is not None:
            self._pid_files[pid_file] = service

    def update(self, processes: Iterable[ProcessStat]) -> list[Member]:
        """The live members among ``processes``, which are all descendants of the supervisor."""
        by_pid = {stat.pid: stat for stat in processes if stat.alive}
        self._read_pid_files(by_pid)
        known: dict[Identity, Member] = {}
        for stat in by_pid.values():
            self._place(stat, by_pid, known)
        self._known = known
        return list(known.values())

    def _read_pid_files(self, by_pid: Mapping[int, ProcessStat]) -> None:
        for path, service in self._pid_files.items():
            named = {by_pid[pid].identity for pid in pids_in(path) if pid in by_pid}
            if new := named - self._roots.keys():
                self._roots.update(dict.fromkeys(new, service))
                self._launching -= new
                self._known.clear()  # their depths were counted from the command

    def _place(
        self, stat: ProcessStat, by_pid: Mapping[int, ProcessStat], known: dict[Identity, Member]
    ) -> Member:
        if done := known.get(stat.identity):
            return done
        before = self._known.get(stat.identity)
        if before is not None and stat.age() > SETTLING:
            title, service, depth = before.title, before.service, before.depth
        else:
            title = self._title(stat.pid) or stat.comm
            service, depth = self._position(stat, title, by_pid, known, before)
        role: Role = (
            "helper" if stat.identity in self._launching else self._role(service, depth, title, stat.threads)
        )
        member = known[stat.identity] = Member(stat, service, role, depth, title)
        return member

    def _position(
        self,
        stat: ProcessStat,
        title: str,
        by_pid: Mapping[int, ProcessStat],
        known: dict[Identity, Member],
        before: Member | None,
    ) -> tuple[str, int]:
        if service := self._roots.get(stat.identity):
            return service, 0
        if parent := by_pid.get(stat.ppid):
            above = self._place(parent, by_pid, known)
            if parent.identity in self._launching:
                self._launching.add(stat.identity)
            return above.service, above.depth + 1
        if stat.identity in self._launching:  # its command has ended: this may be the process that remains
            self._launching.discard(stat.identity)
        elif before is not None:
            return before.service, before.depth
        marked = (self._environ(stat.pid) or {}).get("STACKDYNO_SERVICE", "")
        if marked in self._rules:
            return marked, 0
        for service, rules in self._rules.items():
            if any(rule.match and re.search(rule.match, title) for rule in rules):
                return service, 0
        return next(iter(self._rules), ""), 0

    def _role(self, service: str, depth: int, title: str, threads: int) -> Role:
        for rule in self._rules.get(service, ()):
            if rule.depth is not None and rule.depth != depth:
                continue
            if rule.match is not None and not re.search(rule.match, title):
                continue
            if rule.threads is not None and rule.threads != threads:
                continue
            return rule.role
        return "helper"
