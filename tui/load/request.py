"""The request, its expected answer, and the judge of an answer.

The readiness check and the load send the same request and share this judge. The expectation comes from the profile or
the app, never from an earlier answer. Standard library only, since every load process imports it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

Part = Literal["status", "length", "body", "contains"]


@dataclass(frozen=True)
class Expected:
    """What makes an answer good; None isn't checked. ``body`` and ``contains`` are compared as UTF-8."""

    status: int = 200
    body: str | None = None
    contains: str | None = None
    length: int | None = None

    @cached_property
    def body_bytes(self) -> bytes | None:
        return None if self.body is None else self.body.encode(errors="surrogateescape")

    @cached_property
    def contains_bytes(self) -> bytes:
        """Empty if the body needn't contain anything."""
        return (self.contains or "").encode(errors="surrogateescape")


@dataclass(frozen=True, kw_only=True)
class Request:
    """One kind of request. ``host`` is the Host header, unless ``headers`` has one."""

    address: str
    """``127.0.0.1:8080``, ``[::1]:8080`` or ``unix:/path/app.sock``."""
    host: str
    path: str
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    expected: Expected = field(default_factory=Expected)

    @property
    def has_body_in_answer(self) -> bool:
        """An answer to HEAD only has a status to judge."""
        return self.method != "HEAD"


class Judge:
    """Judges the answers to a request piece by piece as the bodies arrive: no body is kept.

    ``found``: the body has what it must contain.
    """

    __slots__ = ("_contains", "_expected", "_matches", "_tail", "_wanted", "found", "length", "request")

    def __init__(self, request: Request) -> None:
        self.request = request
        self._expected = request.expected
        self._wanted = request.expected.body_bytes
        self._contains = request.expected.contains_bytes
        self.begin()

    def begin(self) -> None:
        """An answer begins."""
        self.length = 0
        self._matches = True
        self.found = not self._contains
        self._tail = b""

    def feed(self, data: bytes) -> None:
        """More of its body has come."""
        start = self.length
        self.length += len(data)
        if self._wanted is not None:
            self._matches = self._matches and self._wanted.startswith(data, start)
        if not self.found:
            window = self._tail + data
            self.found = self._contains in window
            self._tail = window[max(0, len(window) - len(self._contains) + 1) :]

    @property
    def matches(self) -> bool:
        """Whether the whole body is the expected one, or none is expected."""
        return self._wanted is None or (self._matches and self.length == len(self._wanted))

    def fault(self, status: int) -> Part | None:
        """What is wrong with the whole answer; None if it is good."""
        expected = self._expected
        if status != expected.status:
            return "status"
        if not self.request.has_body_in_answer:
            return None
        if expected.length is not None and self.length != expected.length:
            return "length"
        if not self.matches:
            return "body"
        return None if self.found else "contains"
