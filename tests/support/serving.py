"""Each app served over each interface for real, by what needs the least of a machine."""

from __future__ import annotations

import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from email.parser import BytesParser
from functools import cache
from pathlib import Path

import httpx
import pytest

from tests.support import fastcgi
from tui.profile.catalogue import Catalogue, shipped_folder

APPS = shipped_folder() / "apps"
OFFERED = dict(Catalogue(search=[APPS.parent]).apps())
SECONDS = 30.0
"""How long a start and an answer may take on a busy machine."""


@dataclass(frozen=True)
class Answer:
    """An answer as a client of any interface sees it; the names of the headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


Ask = Callable[..., Answer]
"""Asks for a path, and with a second argument by another method than GET."""


@dataclass(frozen=True)
class Served:
    """A server that runs an app."""

    ask: Ask
    process: subprocess.Popen[bytes]
    log: Path


@contextmanager
def served(app: str, interface: str, folder: Path) -> Iterator[Served]:
    """Starts an app on a unix socket in a folder of the test's; at the end the server must leave by SIGTERM."""
    _needs(app, interface)
    path, log = folder / "socket", folder / "log"
    with _standard_input(interface, path) as standard_input, log.open("wb") as output:
        process = subprocess.Popen(
            _command(app, interface, path),
            cwd=APPS / app,
            stdin=standard_input,
            stdout=output,
            stderr=output,
            env=_environment(folder, path),
        )
    try:
        if interface in _FASTCGI:
            ask = _over_fastcgi(APPS / app / _FASTCGI[interface], path)
        else:
            ask = _over_http(path)
            _wait_for(path, process, log)
        yield Served(ask, process, log)
    finally:
        process.terminate()
        process.wait(SECONDS)


_FASTCGI = {"fcgi-ruby": "fcgi.rb", "php": "index.php"}


def _command(app: str, interface: str, path: Path) -> Sequence[str]:
    match interface:
        case "wsgi":
            gunicorn = [
                sys.executable,
                "-m",
                "gunicorn",
                "--no-control-socket",
                "--preload",
                "--threads",
                "2",
            ]
            return [*gunicorn, "--bind", f"unix:{path}", f"{app}_wsgi:app"]
        case "asgi":
            return [sys.executable, "-m", "uvicorn", "--uds", str(path), f"{app}_asgi:app"]
        case "rack":  # one worker, forked after the app is loaded
            cluster = ["--workers", "1", "--threads", "2:2", "--preload", "--environment", "production"]
            return ["puma", "--bind", f"unix://{path}", *cluster, "config.ru"]
        case "fcgi-ruby":
            return ["ruby", "fcgi.rb"]
        case "php":
            return ["php-cgi", "-d", "display_errors=stderr"]
        case "node":
            return ["node", "server.js"]
    raise AssertionError(f"nothing here serves {interface}")


def _environment(folder: Path, path: Path) -> dict[str, str]:
    """What the processes of a stack get, so that an app needs no more."""
    home = {"HOME": str(folder), "TMPDIR": str(folder), "LANG": "C.UTF-8", "PATH": os.environ["PATH"]}
    return {**home, "PYTHONDONTWRITEBYTECODE": "1", "SOCKET": str(path)}


@contextmanager
def _standard_input(interface: str, path: Path) -> Iterator[int]:
    """For FastCGI a socket that listens already, so that a question may come before the app is loaded."""
    if interface not in _FASTCGI:
        yield subprocess.DEVNULL
        return
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        yield listener.fileno()


def _wait_for(path: Path, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + SECONDS
    while True:
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < deadline, f"nothing listens: {log.read_text()}"
        with socket.socket(socket.AF_UNIX) as probe:
            if probe.connect_ex(str(path)) == 0:
                return
        time.sleep(0.02)


def _over_http(path: Path) -> Ask:
    def ask(target: str, method: str = "GET") -> Answer:
        with httpx.Client(transport=httpx.HTTPTransport(uds=str(path)), timeout=SECONDS) as client:
            answer = client.request(method, f"http://localhost{target}")
        return Answer(answer.status_code, {**answer.headers}, answer.content)

    return ask


def _over_fastcgi(script: Path, path: Path) -> Ask:
    """As a front does it that passes everything on to one script."""

    def ask(target: str, method: str = "GET") -> Answer:
        name, _, query = target.partition("?")
        params = {
            "GATEWAY_INTERFACE": "CGI/1.1",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "80",
            "REMOTE_ADDR": "127.0.0.1",
            "REQUEST_METHOD": method,
            "REQUEST_URI": target,
            "QUERY_STRING": query,
            "SCRIPT_NAME": name,
            "SCRIPT_FILENAME": str(script),
            "REDIRECT_STATUS": "200",
            "CONTENT_TYPE": "",
            "CONTENT_LENGTH": "",
            "HTTP_HOST": "localhost",
        }
        return _cgi_answer(fastcgi.ask(path, params, SECONDS))

    return ask


def _cgi_answer(output: bytes) -> Answer:
    head, _, body = output.partition(b"\r\n\r\n")
    headers = {name.lower(): value for name, value in BytesParser().parsebytes(head + b"\r\n\r\n").items()}
    return Answer(int(headers.get("status", "200").split()[0]), headers, body)


def _needs(app: str, interface: str) -> None:
    """Skip where something isn't installed, with the package's name."""
    match interface:
        case "asgi" if importlib.util.find_spec("uvicorn") is None:
            pytest.skip("not installed: uvicorn (pip install uvicorn)")
        case "rack":
            _needs_program("puma", "puma")
            needs_of_ruby(*_LIBRARIES.get(app, ()))
        case "fcgi-ruby":
            needs_of_ruby("fcgi", *_LIBRARIES.get(app, ()))
        case "node":
            _needs_program("node", "nodejs")
        case "php":
            _needs_program("php-cgi", "php-cgi")
            if app == "page" and "pdo_sqlite" not in _php_extensions():
                pytest.skip("not installed: pdo_sqlite (apt install php-sqlite3)")


_LIBRARIES = {"page": ("sqlite3",), "rails-hello": ("rails",), "rails-blog": ("rails", "sqlite3")}


def needs_of_ruby(*libraries: str) -> None:
    """Skip where Ruby or one of its libraries isn't installed."""
    _needs_program("ruby", "ruby")
    for library in libraries:
        if not _has_library(library):
            pytest.skip(f"not installed: {library} (apt install ruby-{library})")


def _needs_program(program: str, package: str) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"not installed: {program} (apt install {package})")


@cache
def _has_library(library: str) -> bool:
    return subprocess.run(["ruby", "-e", f"gem '{library}'"], capture_output=True).returncode == 0


@cache
def _php_extensions() -> Sequence[str]:
    return subprocess.run(["php-cgi", "-m"], capture_output=True, text=True).stdout.split()
