"""The request that is asked, and which answer to it is the expected one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Probe:
    """One request; the parts of the expected answer that are None are not checked."""

    address: str
    """``127.0.0.1:8000`` or ``unix:/path``."""
    host: str
    path: str
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    expect_status: int = 200
    expect_body: bytes | None = None
    expect_contains: bytes | None = None
    expect_length: int | None = None

    def fault(self, status: int, body: bytes) -> str | None:
        """Why an answer is not the expected one; None when it is."""
        if status != self.expect_status:
            return f"status {status}, expected {self.expect_status}"
        if self.method == "HEAD":
            return None
        if self.expect_body is not None and body != self.expect_body:
            return f"the body {_shown(body)}, expected {_shown(self.expect_body)}"
        if self.expect_contains is not None and self.expect_contains not in body:
            return f"a body without {_shown(self.expect_contains)}"
        if self.expect_length is not None and len(body) != self.expect_length:
            return f"a body of {len(body)} bytes, expected {self.expect_length}"
        return None


def _shown(body: bytes) -> str:
    text = repr(body[:40].decode(errors="replace"))
    return f"{text} and {len(body) - 40} bytes more" if len(body) > 40 else text
