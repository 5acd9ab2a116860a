"""What load is put on a server: the one thing that the runner and the load processes agree on.

Standard library only, since every load process imports it. A spec travels to them as JSON; its bytes are
written as Latin-1 text, which keeps each byte.
"""

from __future__ import annotations

import os
import re
import socket
from dataclasses import asdict, dataclass
from typing import Any

from tui.system.errors import UserError

SOCKET_PATH = 107  # bytes: what sockaddr_un holds beside its final NUL
METHODS = ("GET", "HEAD", "POST")
_OURS = ("connection", "content-length", "transfer-encoding")
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_BYTES = ("body", "expect_body", "expect_contains")


@dataclass(frozen=True, kw_only=True)
class LoadSpec:
    """One kind of request, the answer that is expected to it, and over how many connections it goes.

    ``address`` is "127.0.0.1:8080", "[::1]:8080" or "unix:/path/app.sock"; ``host`` the Host header, unless
    ``headers`` has one. ``timeout`` is in seconds and covers a request from its begin (connecting included)
    to its last byte. What is expected comes from here and never from an answer that was seen; ``None``
    isn't checked, and of an answer to HEAD the status only. Raises UserError where a value can't be sent or
    can't act.
    """

    address: str
    host: str
    path: str
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    expect_status: int = 200
    expect_body: bytes | None = None
    expect_contains: bytes | None = None
    expect_length: int | None = None
    connections: int
    keepalive: bool
    timeout: float

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise UserError(f"load: method {self.method!r} is not one of {', '.join(METHODS)}")
        if self.connections < 1:
            raise UserError(f"load: connections must be at least 1, not {self.connections}")
        if not self.timeout > 0:
            raise UserError(f"load: timeout must be more than 0 seconds, not {self.timeout:g}")
        if self.body and self.method != "POST":
            raise UserError(f"load: a body is only sent with POST, and the method is {self.method}")
        self._check_text()
        self._split_address()

    def _check_text(self) -> None:
        if not re.fullmatch(r"[/*!-~][!-~]*", self.path):
            raise UserError(f"load: path {self.path!r} may hold visible ASCII only; percent-encode the rest")
        if not re.fullmatch(r"[!-~]+", self.host):
            raise UserError(f"load: host {self.host!r} is not a Host header's value")
        for name, value in self.headers:
            if name.lower() in _OURS:
                raise UserError(f"load: header {name} is set by the load itself (keepalive, body); remove it")
            if not _TOKEN.fullmatch(name) or not re.fullmatch(r"[\t -~\x80-\xff]*", value):
                raise UserError(f"load: header {name!r}: {value!r} can't be sent in HTTP/1.1")

    def _split_address(self) -> tuple[str, int]:
        if self.address.startswith("unix:"):
            return self.address.removeprefix("unix:"), 0
        name, colon, port = self.address.rpartition(":")
        if not colon or not name or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
            raise UserError(f"load: address {self.address!r} is neither HOST:PORT nor unix:/PATH")
        return name.strip("[]"), int(port)

    def target(self) -> tuple[int, Any]:
        """The socket family and the address for ``connect``, with a name resolved. UserError if it has no
        address.
        """
        name, port = self._split_address()
        if self.address.startswith("unix:"):
            if len(os.fsencode(name)) > SOCKET_PATH:
                raise UserError(
                    f"load: socket path {name} is longer than {SOCKET_PATH} bytes; use a shorter folder"
                )
            return socket.AF_UNIX, name
        try:
            family, _, _, _, address = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)[0]
        except OSError as error:
            raise UserError(f"load: no address for {name!r}: {error.strerror}") from error
        return family, address

    def to_json(self) -> dict[str, Any]:
        """A dict that ``json.dumps`` takes; ``from_json`` reads it back."""
        fields = asdict(self)
        for name in _BYTES:
            if fields[name] is not None:
                fields[name] = fields[name].decode("latin-1")
        return fields

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> LoadSpec:
        """The spec that ``to_json`` wrote."""
        read = dict(fields)
        for name in _BYTES:
            if read[name] is not None:
                read[name] = read[name].encode("latin-1")
        read["headers"] = tuple((name, value) for name, value in read["headers"])
        return cls(**read)
