"""The load on a server, as agreed between the runner and the load processes.

Standard library only, since every load process imports it. A spec is sent as JSON; the bytes of a body are
written as Latin-1 text, which preserves each byte.
"""

from __future__ import annotations

import json
import os
import re
import socket
from dataclasses import asdict, dataclass
from typing import Any

from tui.load.request import Expected, Request
from tui.system.errors import UserError

SOCKET_PATH = 107  # bytes: the size of sockaddr_un's path without its final NUL
METHODS = ("GET", "HEAD", "POST")
_OURS = ("connection", "content-length", "transfer-encoding")
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


@dataclass(frozen=True, kw_only=True)
class LoadSpec:
    """A request, and the number of connections to send it over.

    ``timeout`` is in seconds and covers a request from its begin (connecting included) to its last byte. Raises
    UserError if a value can't be sent or has no effect.
    """

    request: Request
    connections: int
    keepalive: bool
    timeout: float

    def __post_init__(self) -> None:
        if self.request.method not in METHODS:
            raise UserError(f"load: method {self.request.method!r} is not one of {', '.join(METHODS)}")
        if self.connections < 1:
            raise UserError(f"load: connections must be at least 1, not {self.connections}")
        if not self.timeout > 0:
            raise UserError(f"load: timeout must be more than 0 seconds, not {self.timeout:g}")
        if self.request.body and self.request.method != "POST":
            raise UserError(f"load: a body is only sent with POST, and the method is {self.request.method}")
        self._check_text()
        self._split_address()

    def _check_text(self) -> None:
        if not re.fullmatch(r"[/*!-~][!-~]*", self.request.path):
            raise UserError(
                f"load: path {self.request.path!r} may hold visible ASCII only; percent-encode the rest"
            )
        if not re.fullmatch(r"[!-~]+", self.request.host):
            raise UserError(f"load: host {self.request.host!r} is not a Host header's value")
        for name, value in self.request.headers:
            if name.lower() in _OURS:
                raise UserError(f"load: header {name} is set by the load itself (keepalive, body); remove it")
            if not _TOKEN.fullmatch(name) or not re.fullmatch(r"[\t -~\x80-\xff]*", value):
                raise UserError(f"load: header {name!r}: {value!r} can't be sent in HTTP/1.1")

    def _split_address(self) -> tuple[str, int]:
        if self.request.address.startswith("unix:"):
            return self.request.address.removeprefix("unix:"), 0
        name, colon, port = self.request.address.rpartition(":")
        if not colon or not name or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
            raise UserError(f"load: address {self.request.address!r} is neither HOST:PORT nor unix:/PATH")
        return name.strip("[]"), int(port)

    def target(self) -> tuple[int, Any]:
        """The socket family and the address for ``connect``, with a name resolved. Raises UserError if there is no
        address.
        """
        name, port = self._split_address()
        if self.request.address.startswith("unix:"):
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

    def to_json(self) -> str:
        """JSON; ``from_json`` reads it back."""
        fields = asdict(self)
        fields["request"]["body"] = self.request.body.decode("latin-1")
        return json.dumps(fields)

    @classmethod
    def from_json(cls, text: str) -> LoadSpec:
        """The spec that ``to_json`` wrote."""
        fields = json.loads(text)
        request = fields["request"]
        request["body"] = request["body"].encode("latin-1")
        request["headers"] = tuple((name, value) for name, value in request["headers"])
        request["expected"] = Expected(**request["expected"])
        return cls(**fields | {"request": Request(**request)})
