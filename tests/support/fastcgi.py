"""A FastCGI client that asks one question a connection."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

VERSION, REQUEST = 1, 1
BEGIN_REQUEST, END_REQUEST, PARAMS, STDIN, STDOUT = 1, 3, 4, 5, 6
RESPONDER = struct.pack(">HB5x", 1, 0)
HEADER = struct.Struct(">BBHHBx")


def ask(path: Path, params: Mapping[str, str], timeout: float) -> bytes:
    """What the application that listens on a unix socket writes to its standard output: headers and a body."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(timeout)
        connection.connect(str(path))
        pairs = b"".join(_pair(name.encode(), value.encode()) for name, value in params.items())
        records = [(BEGIN_REQUEST, RESPONDER), (PARAMS, pairs), (PARAMS, b""), (STDIN, b"")]
        connection.sendall(b"".join(_record(kind, content) for kind, content in records))
        with connection.makefile("rb") as stream:
            return b"".join(content for kind, content in _records(stream) if kind == STDOUT)


def _record(kind: int, content: bytes) -> bytes:
    return HEADER.pack(VERSION, kind, REQUEST, len(content), 0) + content


def _pair(name: bytes, value: bytes) -> bytes:
    # A length below 128 takes one byte, any other four with the highest bit set.
    lengths = (
        bytes([length]) if length < 128 else struct.pack(">I", length | 1 << 31)
        for length in (len(name), len(value))
    )
    return b"".join(lengths) + name + value


def _records(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """The records of the answer, up to the one that ends the request."""
    while True:
        head = stream.read(HEADER.size)
        assert len(head) == HEADER.size, "the application closed the connection before the end of its answer"
        _, kind, _, length, padding = HEADER.unpack(head)
        content = stream.read(length + padding)[:length]
        if kind == END_REQUEST:
            return
        yield kind, content
