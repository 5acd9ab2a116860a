"""Our processes as forks of one that has imported everything.

A short run costs two CPU seconds of ours, and most of that is the import of the same modules in four processes.
So the tests keep one process that has them (``python -m tests.support.forked``), and what would be
``python -m tui.cli ...`` is a fork of it, with its own descriptors, environment, folder, session, arguments (also in
/proc) and the signal handlers of a new interpreter. A runner is in turn a fork of the command that starts it, and
so are supervisor and load of the runner. Only the interpreter's start is left out. What asks for another environment
of the interpreter gets a real one, and so do terminals (``tests/e2e``), benchmarks and ``STACKDYNO_EXEC=1``.
"""

from __future__ import annotations

import array
import atexit
import contextlib
import ctypes
import gc
import importlib
import io
import json
import mmap
import os
import pkgutil
import selectors
import signal
import socket
import struct
import subprocess
import sys
import time
import traceback
from collections.abc import Iterable, Mapping, Sequence
from typing import IO, Any, NoReturn, cast

MAINS = (
    "tui.cli",
    "tui.run.execute",
    "tui.experiment.execute",
    "tui.stack.supervisor",
    "tui.load.process",
)
"""Modules whose ``main()`` is what ``python -m`` runs."""
_INTERPRETER = ("PYTHON", "LANG", "LC_", "STACKDYNO_LOCK")
"""What is read at the interpreter's start or at an import, which a fork doesn't repeat."""
_Stream = int | IO[Any] | None


# In the test.


class Process:
    """A fork of the server, used as a ``subprocess.Popen`` in text mode is."""

    def __init__(
        self, words: Sequence[str], stdin: _Stream, stdout: _Stream, stderr: _Stream, cpus: Iterable[int]
    ) -> None:
        self.args = words
        self.returncode: int | None = None
        self.stdout: IO[str] | None = None
        self.stderr: IO[str] | None = None
        ours, theirs = socket.socketpair()
        given = [theirs.fileno()]
        opened = []
        for name, stream in (("stdin", stdin), ("stdout", stdout), ("stderr", stderr)):
            if stream == subprocess.PIPE:
                read, write = os.pipe()
                setattr(self, name, open(read, encoding=sys.stdout.encoding, errors="replace"))  # noqa: PTH123, SIM115
                opened.append(write)
                given.append(write)
            elif stream == subprocess.DEVNULL:
                opened.append(os.open(os.devnull, os.O_RDWR))
                given.append(opened[-1])
            else:
                number = ("stdin", "stdout", "stderr").index(name)
                given.append(
                    number if stream is None else stream if isinstance(stream, int) else stream.fileno()
                )
        mask = os.umask(0o077)
        os.umask(mask)
        told = {
            "words": list(words), "environment": dict(os.environ), "folder": os.getcwd(),  # noqa: PTH109
            "umask": mask, "cpus": sorted(cpus),
        }  # fmt: skip
        _server().send(told, given)
        for descriptor in opened:
            os.close(descriptor)
        theirs.close()
        self._conversation = ours.makefile("r")
        self.pid = int(self._conversation.readline())
        self._socket = ours

    def poll(self) -> int | None:
        with contextlib.suppress(TimeoutError, subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            with selectors.DefaultSelector() as ready:
                ready.register(self._socket, selectors.EVENT_READ)
                if not ready.select(timeout):
                    raise subprocess.TimeoutExpired(list(self.args), timeout or 0)
            self.returncode = int(self._conversation.readline())
            self._conversation.close()
            self._socket.close()
        return self.returncode

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        end = None if timeout is None else time.monotonic() + timeout
        parts: dict[str, list[bytes]] = {"stdout": [], "stderr": []}
        with selectors.DefaultSelector() as ready:
            for name in parts:
                if (stream := getattr(self, name)) is not None and not stream.closed:
                    ready.register(stream, selectors.EVENT_READ, name)
            while ready.get_map():
                left = None if end is None else end - time.monotonic()
                some = ready.select(left) if left is None or left > 0 else []
                if not some:
                    raise subprocess.TimeoutExpired(list(self.args), timeout or 0)
                for key, _ in some:
                    if part := os.read(key.fd, 1 << 16):
                        parts[key.data].append(part)
                    else:
                        ready.unregister(key.fileobj)
                        cast("IO[str]", key.fileobj).close()
        self.wait(None if end is None else max(end - time.monotonic(), 0.0))
        out, err = (b"".join(part).decode(errors="replace") for part in parts.values())
        return out, err

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *details: object) -> None:
        self.wait()


def start(
    words: Sequence[str],
    *,
    stdin: _Stream = None,
    stdout: _Stream = None,
    stderr: _Stream = None,
    cpus: Iterable[int] | None = None,
) -> Process | subprocess.Popen[str]:
    """``subprocess.Popen(words, text=True, ...)``, by a fork where the words are a command of ours."""
    if _is_ours(words) and _server().serves(os.environ):
        return Process(words, stdin, stdout, stderr, cpus or os.sched_getaffinity(0))
    bind = (lambda: os.sched_setaffinity(0, cpus)) if cpus else None
    return subprocess.Popen(
        words, stdin=stdin, stdout=stdout, stderr=stderr, preexec_fn=bind, text=True, errors="replace"
    )


def _is_ours(words: Sequence[str]) -> bool:
    return words[0] == sys.executable and "-m" in words[1:3] and words[words.index("-m") + 1] in MAINS


def _of_the_interpreter(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(_INTERPRETER)}


class _Server:
    """The process that forks, as the test sees it."""

    def __init__(self) -> None:
        self._environment = _of_the_interpreter(os.environ)
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__, str(theirs.fileno())], pass_fds=[theirs.fileno()]
        )
        theirs.close()
        self._able = os.environ.get("STACKDYNO_EXEC") != "1" and self._socket.recv(1) == b"+"
        atexit.register(self._end)

    def serves(self, environment: Mapping[str, str]) -> bool:
        return self._able and _of_the_interpreter(environment) == self._environment

    def send(self, told: object, descriptors: Sequence[int]) -> None:
        self._socket.sendmsg(
            [json.dumps(told).encode()],
            [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))],
        )

    def _end(self) -> None:
        self._socket.close()
        self._process.wait()


_servers: dict[int, _Server] = {}


def _server() -> _Server:
    """This process's own."""
    if os.getpid() not in _servers:
        _servers[os.getpid()] = _Server()
    return _servers[os.getpid()]


# In the server and its forks.


def _import_everything() -> None:
    """What a command or a runner imports sooner or later, and the shipped definitions' texts, compiled."""
    import tui

    for name in (*MAINS, "concurrent.futures.thread", "httpx", "anyio._backends._asyncio", "encodings.idna"):
        importlib.import_module(name)
    for module in pkgutil.walk_packages(tui.__path__, "tui."):
        if not module.name.startswith("tui.console"):
            importlib.import_module(module.name)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        sys.modules["tui.cli"].main(["profiles"])


def _serve(requests: socket.socket) -> None:
    """Fork on request until the test's process ends; what was forked goes on without us."""
    asked: dict[int, socket.socket] = {}
    with selectors.DefaultSelector() as ready:
        ready.register(requests, selectors.EVENT_READ)
        while True:
            for key, _ in ready.select():
                if key.fileobj is requests:
                    try:
                        content, descriptors, _, _ = socket.recv_fds(requests, 1 << 20, 4)
                    except ConnectionResetError:
                        return
                    if not content:
                        return
                    told = json.loads(content)
                    pid = os.fork()
                    if pid == 0:
                        os.chdir(told["folder"])
                        os.umask(told["umask"])
                        os.sched_setaffinity(0, told["cpus"])
                        _become(told["words"], told["environment"], descriptors[1:])
                    for descriptor in descriptors[1:]:
                        os.close(descriptor)
                    asked[pid] = socket.socket(fileno=descriptors[0])
                    with contextlib.suppress(OSError):
                        asked[pid].sendall(b"%d\n" % pid)
                    ready.register(os.pidfd_open(pid), selectors.EVENT_READ, pid)
                else:
                    _, status = os.waitpid(key.data, 0)
                    with contextlib.suppress(OSError):  # the test may not care any more
                        asked[key.data].sendall(b"%d\n" % os.waitstatus_to_exitcode(status))
                    asked.pop(key.data).close()
                    ready.unregister(key.fd)
                    os.close(key.fd)


class _Child:
    """A fork of a command: what it uses of ``subprocess.Popen``."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        return self._reap(os.WNOHANG)

    def wait(self) -> int | None:
        return self._reap(0)

    def _reap(self, flags: int) -> int | None:
        if self.returncode is None:
            try:
                pid, status = os.waitpid(self.pid, flags)
            except ChildProcessError:  # a runner reaps whatever it inherits
                pid, status = self.pid, 0
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)


class _Subprocess:
    """Stands for :mod:`subprocess` where processes of ours are started."""

    DEVNULL = subprocess.DEVNULL
    TimeoutExpired = subprocess.TimeoutExpired

    @staticmethod
    def Popen(words: Sequence[str], **given: Any) -> Any:  # noqa: N802
        if not _is_ours(words):
            return subprocess.Popen(words, **given)
        pid = os.fork()
        if pid == 0:
            os.setsid()
            nothing = os.open(os.devnull, os.O_RDWR)
            streams = [nothing, nothing, given["stderr"].fileno()]
            _become(words, given.get("env") or os.environ, streams, given.get("pass_fds", ()))
        return _Child(pid)


def _become(
    words: Sequence[str], environment: Mapping[str, str], streams: Sequence[int], kept: Sequence[int] = ()
) -> NoReturn:
    """Be what ``exec`` of these words would have made, and end with its status."""
    status = 1
    try:
        copies = [os.dup(stream) for stream in streams]
        for number, copy in enumerate(copies):
            os.dup2(copy, number)
        gc.freeze()  # an object of the parent that were collected would close a number that is ours by then
        for name in os.listdir("/proc/self/fd"):  # noqa: PTH208
            if int(name) > 2 and int(name) not in kept:
                with contextlib.suppress(OSError):
                    os.close(int(name))
        for number in signal.valid_signals():
            if callable(signal.getsignal(number)):
                signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        signal.set_wakeup_fd(-1)
        changed = dict(environment)  # it may be our own
        os.environ.clear()
        os.environ.update(changed)
        time.tzset()
        at = words.index("-m") + 1
        sys.argv = [str(sys.modules[words[at]].__file__), *words[at + 1 :]]
        _pose(words, changed)
        buffered = "PYTHONUNBUFFERED" not in changed
        for number, name in enumerate(("stdin", "stdout", "stderr")):
            raw = open(number, "rb" if number == 0 else "wb", closefd=False)  # noqa: SIM115
            setattr(
                sys,
                name,
                io.TextIOWrapper(
                    raw,
                    encoding=sys.__stdout__.encoding,
                    errors="backslashreplace" if number == 2 else "strict",
                    line_buffering=number == 2 or raw.isatty(),
                    write_through=number > 0 and not buffered,
                ),
            )
        gc.enable()
        status = _main(words[at])
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def _main(module: str) -> int:
    """The exit status of a module's ``main``, by the interpreter's rules."""
    status = 0
    try:
        sys.modules[module].main()
    except SystemExit as exit:
        if isinstance(exit.code, str):
            print(exit.code, file=sys.stderr)
        status = exit.code if isinstance(exit.code, int) else int(exit.code is not None)
    except KeyboardInterrupt:
        traceback.print_exc()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    except BaseException:
        traceback.print_exc()
        status = 1
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            status = 120
    return status


_PR_SET_MM, _PR_SET_MM_MAP = 35, 14
_posed: list[mmap.mmap] = []


def _pose(words: Sequence[str], environment: Mapping[str, str]) -> None:
    """Make /proc show these arguments and this environment (prctl(2), PR_SET_MM_MAP, which needs no rights)."""
    arguments = b"".join(os.fsencode(word) + b"\0" for word in words)
    variables = b"".join(os.fsencode(f"{name}={value}") + b"\0" for name, value in environment.items())
    memory = mmap.mmap(-1, len(arguments) + len(variables), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    memory.write(arguments + variables)
    _posed[:] = [memory]
    begin = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    between, end = begin + len(arguments), begin + len(memory)
    with open("/proc/self/stat") as file:  # noqa: PTH123
        field = dict(enumerate(map(str, file.read().rpartition(")")[2].split()), 3))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.sbrk.restype = ctypes.c_void_p
    code = [int(field[number]) for number in (26, 27, 45, 46, 47)]
    layout = struct.pack(
        "=11QQIi", *code, libc.sbrk(0), int(field[28]), begin, between, between, end, 0, 0, -1
    )
    libc.prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
    told = ctypes.create_string_buffer(layout, len(layout))
    if libc.prctl(_PR_SET_MM, _PR_SET_MM_MAP, ctypes.addressof(told), len(layout), 0):
        raise OSError(ctypes.get_errno(), "PR_SET_MM_MAP")


def _main_of_the_server() -> None:
    requests = socket.socket(fileno=int(sys.argv[1]))
    try:
        _pose([sys.executable, "-m", __spec__.name, sys.argv[1]], os.environ)
    except OSError:  # a kernel without CONFIG_CHECKPOINT_RESTORE
        requests.send(b"-")
        return
    _import_everything()
    for name in ("tui.run.detached", "tui.stack.supervised", "tui.load.child"):
        sys.modules[name].subprocess = _Subprocess  # type: ignore[attr-defined]
    gc.collect()
    gc.freeze()
    requests.send(b"+")
    _serve(requests)


if __name__ == "__main__":
    _main_of_the_server()
