"""The process between the runner and the stack: starts the stack, reaps it, ends it.

It is a child subreaper, so a master that daemonises, or a worker whose parent dies, becomes its child and not that of
pid 1. Everything below it is the stack, and none of it is ours. It exchanges JSON lines over one socket; when that
closes, however the runner died, it stops the stack and exits. It uses no asyncio: ``waitpid(-1)`` and asyncio's own
child watcher steal exit statuses from each other. It imports nothing heavy either: it runs on the measured machine.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from tui.stack.leftovers import Leftovers
from tui.stack.log_limit import PERIOD, LogLimit
from tui.system.procfs import Identity, ProcessStat, descendants, is_alive, pids_in, read_stat

PR_SET_CHILD_SUBREAPER = 36
SWEEP = 2.0
"""Seconds that processes which outlive their service have left before they are killed."""
HURRY = 0.7
"""The longest wait of any step once the runner is dead: nothing may be left five seconds later."""
KILLING = 3.0
"""Seconds for which SIGKILL is repeated: a process in uninterruptible sleep acts on it late."""
VICTIM = 200
"""By how much the stack's ``oom_score_adj`` is above ours: as if it used a fifth of the memory more."""
_OOM = Path("/proc/self/oom_score_adj")
_LOG = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC


def become_subreaper() -> None:
    """Make this process adopt the orphans among its descendants (prctl(2))."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"prctl(PR_SET_CHILD_SUBREAPER): {os.strerror(number)}")


@dataclass(slots=True)
class Service:
    """One started copy of a service."""

    name: str
    copy: int
    main: Identity
    daemonises: bool
    pid_file: Path | None
    stop_signal: int
    stop_timeout: float


class Supervisor:
    """Owns every process of one stack."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._services: list[Service] = []
        self._leftovers: Leftovers | None = None
        self._runtime: Path | None = None
        self._logs: dict[Path, LogLimit] = {}
        self._selector = selectors.DefaultSelector()
        self._wake, wake = socket.socketpair()
        self._wake.setblocking(False)
        wake.setblocking(False)
        signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
        self._wake_writer = wake
        self._hurry = False
        self._pending: deque[dict[str, Any]] = deque()
        signal.signal(signal.SIGTERM, self._asked_to_leave)
        # Not SIG_IGN: the services would inherit it, like the signals that a shell ignores for a job started with "&".
        for unheeded in (signal.SIGCHLD, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
            signal.signal(unheeded, lambda *_: None)
        self._selector.register(self._wake, selectors.EVENT_READ)
        self._selector.register(channel, selectors.EVENT_READ)
        self._unread = b""

    def _asked_to_leave(self, *_: object) -> None:
        self._hurry = True

    def run(self) -> None:
        """Serve until the runner has ended, then leave nothing behind."""
        while not self._hurry:
            self._pump(PERIOD if self._logs else None)
            while self._pending:
                self._obey(self._pending.popleft())
        self.stop()
        if self._runtime is not None:
            shutil.rmtree(self._runtime, ignore_errors=True)

    def _pump(self, timeout: float | None) -> None:
        """Sleep until something happens; then read the runner's messages, reap who ended, and look at the logs."""
        for key, _ in self._selector.select(timeout):
            if key.fileobj is self._channel:
                self._receive()
            else:
                self._wake.recv(4096)
        self._reap()
        for logs in self._logs.values():
            logs.look()

    def _receive(self) -> None:
        try:
            data = self._channel.recv(1 << 20)
        except OSError:
            data = b""
        if not data:
            self._hurry = True
            self._selector.unregister(self._channel)
        *lines, self._unread = (self._unread + data).split(b"\n")
        self._pending.extend(json.loads(line) for line in lines)

    def _obey(self, command: dict[str, Any]) -> None:
        match command["do"]:
            case "begin":
                self._runtime = Path(command["runtime"])
                self._leftovers = Leftovers(command["leftovers"])
            case "start":
                self._start(command)
            case "stop":
                self.stop()

    def _say(self, **event: object) -> None:
        with contextlib.suppress(OSError):
            self._channel.sendall(json.dumps(event).encode() + b"\n")

    def _start(self, command: dict[str, Any]) -> None:
        service = command["service"]
        folder = Path(service["log"]).parent
        self._logs.setdefault(folder, LogLimit(folder))
        cpus = frozenset(service["cpus"])
        switch = {
            key: value
            for key, value in (("user", command["uid"]), ("group", command["gid"]))
            if value is not None
        }
        try:
            with os.fdopen(os.open(service["log"], _LOG, 0o600), "ab") as log, _first_to_be_killed():
                if switch:  # opening /dev/stderr reopens this file, which needs permission
                    os.fchown(log.fileno(), switch["user"], switch["group"])
                process = subprocess.Popen(
                    service["argv"],
                    cwd=None if switch else service["cwd"],
                    env=service["env"],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                    preexec_fn=_binder(cpus, service["cwd"] if switch else None),
                    extra_groups=[] if switch else None,
                    **switch,
                )
        except subprocess.SubprocessError:
            text = f"{service['cwd']}: can't be entered, or CPUs {sorted(cpus)} can't be used"
            self._say(event="failed", service=service["name"], copy=service["copy"], text=text)
            return
        except OSError as error:
            text = f"{getattr(error, 'filename', None) or service['argv'][0]}: {error.args[-1]}"
            self._say(event="failed", service=service["name"], copy=service["copy"], text=text)
            return
        # _reap collects its status; Popen must not wait for it too.
        process.returncode = 0
        stat = read_stat(process.pid)
        main = stat.identity if stat else Identity(process.pid, 0)
        pid_file = service.get("pid_file")
        self._services.append(
            Service(
                name=service["name"],
                copy=service["copy"],
                main=main,
                daemonises=service["daemonises"],
                pid_file=Path(pid_file) if pid_file else None,
                stop_signal=service["stop_signal"],
                stop_timeout=service["stop_timeout"],
            )
        )
        self._say(
            event="started", service=service["name"], copy=service["copy"], pid=main.pid, start=main.start
        )

    def _reap(self) -> None:
        while True:
            try:
                ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return
            if ended is None:
                return
            # Peek first: its start time can only be read while it is a zombie.
            stat = read_stat(ended.si_pid)
            pid, status, usage = os.wait4(ended.si_pid, 0)
            self._say(
                event="ended",
                pid=pid,
                start=stat.identity.start if stat else 0,
                status=describe_status(status),
                code=os.waitstatus_to_exitcode(status),
                cpu=usage.ru_utime + usage.ru_stime,
            )

    def stop(self) -> None:
        """End the stack: each service by its own signal, last started first, then whatever is left."""
        killed: list[str] = []
        for _, copies in groupby(reversed(self._services), key=lambda service: service.name):
            killed += self._stop_together(list(copies))
        self._services.clear()
        self._wait(lambda: not self._living(), SWEEP)
        if self._living():
            self._signal_all(signal.SIGTERM)
            self._wait(lambda: not self._living(), 0.5)
        killed += map(_named, self._living())
        deadline = time.monotonic() + KILLING
        while self._living() and time.monotonic() < deadline:
            self._signal_all(signal.SIGKILL)
            self._pump(0.02)
        left = [_named(stat) for stat in self._living()]
        removed = self._leftovers.remove() if self._leftovers else []
        cut = {name: lost for logs in self._logs.values() for name, lost in logs.finish().items()}
        self._say(event="stopped", killed=list(dict.fromkeys(killed)), removed=removed, left=left, cut=cut)

    def _stop_together(self, copies: list[Service]) -> list[str]:
        """Stop the copies of one service; returns those that did not stop in time and were killed."""
        waiting: list[Identity] = []
        for service in copies:
            for target in self._targets(service):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(target.pid, service.stop_signal)
                    waiting.append(target)
        limit = max(service.stop_timeout for service in copies)
        self._wait(lambda: not any(is_alive(target) for target in waiting), limit)
        late = [stat for stat in self._living() if stat.identity in waiting]
        for stat in late:
            with contextlib.suppress(ProcessLookupError):
                os.kill(stat.pid, signal.SIGKILL)
        return [_named(stat) for stat in late]

    def _wait(self, done: Callable[[], bool], limit: float) -> None:
        """Wait until ``done``, at most ``limit`` seconds; only briefly after the runner has ended."""
        began = time.monotonic()
        while not done() and time.monotonic() - began < (min(limit, HURRY) if self._hurry else limit):
            self._pump(0.02)

    def _targets(self, service: Service) -> list[Identity]:
        """The process that gets the stop signal: the one we started, or the master that it left behind."""
        if not service.daemonises:
            return [service.main] if is_alive(service.main) else []
        ours = {stat.identity.pid: stat for stat in self._living()}
        if named := [ours[pid].identity for pid in pids_in(service.pid_file) if pid in ours]:
            return named
        return [stat.identity for stat in ours.values() if stat.ppid == os.getpid()]

    def _living(self) -> list[ProcessStat]:
        return [stat for stat in descendants(os.getpid()) if stat.alive]

    def _signal_all(self, number: int) -> None:
        for stat in self._living():
            with contextlib.suppress(ProcessLookupError):
                os.kill(stat.identity.pid, number)


def _named(stat: ProcessStat) -> str:
    return f"{stat.comm} (pid {stat.pid})"


def describe_status(status: int) -> str:
    """A wait status in words: ``exit 0``, ``SIGKILL``."""
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return f"exit {code}"
    with contextlib.suppress(ValueError):
        return signal.Signals(-code).name
    return f"signal {-code}"


@contextlib.contextmanager
def _first_to_be_killed() -> Iterator[None]:
    """What is started meanwhile is chosen by the kernel's out-of-memory killer before any process of ours.

    It inherits a raised ``oom_score_adj``. Raising ours and lowering it again needs no right, whereas a child that has
    become another user may not write its own.
    """
    try:
        before = _OOM.read_text()
        _OOM.write_text(str(min(int(before) + VICTIM, 1000)))
    except (OSError, ValueError):  # no such file in this container: the kernel chooses as it likes
        yield
        return
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            _OOM.write_text(before)


def _binder(cpus: frozenset[int], folder: str | None) -> Callable[[], None]:
    """What a service does before its program: as the stack's user it enters its folder with that user's rights."""

    def bind() -> None:
        if folder is not None:
            os.chdir(folder)
        if cpus:
            os.sched_setaffinity(0, cpus)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])

    return bind


def main() -> None:
    """Entry point: the arguments are the number of the inherited socket, and the runtime folder to be known by."""
    channel = socket.socket(fileno=int(sys.argv[1]))
    channel.set_inheritable(False)
    become_subreaper()
    Supervisor(channel).run()


if __name__ == "__main__":
    main()
