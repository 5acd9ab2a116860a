"""Ready means the expected answer to the real path.

An open port proves nothing: a server may listen long before its application is loaded, or answer with an error page
forever. httpx suits this check, which sends one request every few milliseconds; the load never uses it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

import httpx

from tui.load.request import Judge, Request
from tui.system.errors import UserError

PAUSE = 0.05
"""Seconds between two probes."""
PATIENCE = 3.0
"""Seconds for which a wrong answer must persist before it is believed, unless it is a server error."""


@dataclass(frozen=True, slots=True)
class FirstAnswer:
    """The first good answer."""

    status: int
    server: str | None
    body_length: int


class NotReady(UserError):
    """The stack did not give the expected answer in time, or ended before that (``ended``)."""

    def __init__(self, text: str, *, ended: bool = False) -> None:
        super().__init__(text)
        self.ended = ended


async def wait_until_ready(request: Request, deadline: float, ended: Callable[[], str | None]) -> FirstAnswer:
    """Ask until the expected answer comes.

    Args:
        request: What to ask for, and what answer to expect.
        deadline: The most seconds to wait.
        ended: Says how the stack has ended ("gunicorn ended with status 1"), or None while it runs.

    Raises:
        NotReady: The stack ended, the deadline passed, or a wrong answer persisted for ``PATIENCE`` seconds.
    """
    began = time.monotonic()
    wrong_since: float | None = None
    fault = "no answer"
    async with _client(request.address) as client:
        while True:
            if how := ended():
                raise NotReady(f"{how} before it answered", ended=True)
            now = time.monotonic()
            if now - began > deadline:
                raise NotReady(
                    f"{request.method} {request.path}: {fault} within {deadline:.0f} s; "
                    f"a longer start needs ready.timeout in the stack"
                )
            if wrong_since is not None and now - wrong_since > PATIENCE:
                raise NotReady(
                    f"{request.method} {request.path} gives {fault}; set load.path or [expect] in the profile"
                )
            try:
                answer = await client.request(
                    request.method,
                    f"http://{request.host}{request.path}",
                    headers=list(request.headers),
                    content=request.body or None,
                )
            except httpx.HTTPError as error:
                fault, wrong_since = f"no answer ({_reason(error)})", None
            else:
                wrong = _wrong(request, answer.status_code, answer.content)
                if wrong is None:
                    server = answer.headers.get("server")
                    return FirstAnswer(answer.status_code, server, len(answer.content))
                if answer.status_code >= 500 or fault != wrong:
                    wrong_since = None
                if answer.status_code < 500 and wrong_since is None:
                    wrong_since = now
                fault = wrong
            await asyncio.sleep(PAUSE)


def _client(address: str) -> httpx.AsyncClient:
    limits = httpx.Limits(max_keepalive_connections=0)
    if address.startswith("unix:"):
        transport = httpx.AsyncHTTPTransport(uds=address.removeprefix("unix:"), limits=limits, verify=False)
    else:
        transport = _Fixed(address, limits)
    return httpx.AsyncClient(transport=transport, timeout=3.0)


class _Fixed(httpx.AsyncHTTPTransport):
    """Connects to one address whatever the URL's host is: the Host header is the profile's."""

    def __init__(self, address: str, limits: httpx.Limits) -> None:
        super().__init__(
            limits=limits, verify=False
        )  # otherwise it would load all certificates, even for http
        host, _, port = address.rpartition(":")
        self._host, self._port = host, int(port)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        request.url = request.url.copy_with(host=self._host.strip("[]"), port=self._port)
        return await super().handle_async_request(request)


def _reason(error: httpx.HTTPError) -> str:
    return str(error) or type(error).__name__


def _wrong(request: Request, status: int, body: bytes) -> str | None:
    """Explains why an answer is not the expected one; None if it is."""
    judge, expected = Judge(request), request.expected
    judge.feed(body)
    fault = judge.fault(status)
    if fault is None:
        return None
    if fault == "status":
        return f"status {status}, expected {expected.status}"
    if expected.body_bytes is not None and body != expected.body_bytes:
        return f"the body {_shown(body)}, expected {_shown(expected.body_bytes)}"
    if fault == "contains" or (expected.contains and expected.contains_bytes not in body):
        return f"a body without {_shown(expected.contains_bytes)}"
    return f"a body of {len(body)} bytes, expected {expected.length}"


def _shown(body: bytes) -> str:
    text = repr(body[:40].decode(errors="replace"))
    return f"{text} and {len(body) - 40} bytes more" if len(body) > 40 else text
