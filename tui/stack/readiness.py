"""Ready means the expected answer to the real path.

An open port proves nothing: a server may listen long before its application is loaded, or answer with an error page
forever. The check asks with the load's own bytes, reads with its reader and keeps to its limits, so what is ready is
what the load will find good. Of an answer only its first bytes are kept.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass

from tui.load.answer import AnswerReader, NotHttpError, request_bytes
from tui.load.request import Request
from tui.load.spec import LoadSpec
from tui.system.errors import UserError

PAUSE = 0.05
"""Seconds between two probes."""
PATIENCE = 3.0
"""Seconds for which a wrong answer must persist before it is believed, unless it is a server error."""
SILENCE = 3.0
"""Seconds without a byte after which the request is sent anew, and the least that a whole exchange may take."""
READ = 65536
SHOWN = 40
"""Bytes of a body that are shown to the user."""


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


class _NoAnswerError(Exception):
    """No whole answer came. ``str`` says why, in the words of the load; ``begun``: there were bytes of one."""

    def __init__(self, text: str, *, begun: bool) -> None:
        super().__init__(text)
        self.begun = begun


async def wait_until_ready(
    request: Request, deadline: float, ended: Callable[[], str | None], *, longest: float = SILENCE
) -> FirstAnswer:
    """Ask until the expected answer comes.

    Args:
        request: What to ask for, and what answer to expect.
        deadline: The most seconds to wait.
        ended: Says how the stack has ended ("gunicorn ended with status 1"), or None while it runs.
        longest: The most seconds that the load gives an answer, from connecting to its last byte.

    Raises:
        NotReady: The stack ended, the deadline passed, or a wrong answer persisted for ``PATIENCE`` seconds.
    """
    spec = LoadSpec(request=request, connections=1, keepalive=True, timeout=max(SILENCE, longest))
    began = time.monotonic()
    wrong_since: float | None = None
    fault, advice = "no answer", _SLOW
    while True:
        if how := ended():
            raise NotReady(f"{how} before it answered", ended=True)
        now = time.monotonic()
        left = began + deadline - now
        if left <= 0:
            raise NotReady(f"{request.method} {request.path}: {fault} within {deadline:.0f} s; {advice}")
        if wrong_since is not None and now - wrong_since > PATIENCE:
            raise NotReady(
                f"{request.method} {request.path} gives {fault}; set load.path or [expect] in the profile"
            )
        try:
            answer, body = await _ask(spec, min(spec.timeout, left))
        except _NoAnswerError as error:
            if fault == "no answer" or time.monotonic() - began < deadline:  # else the deadline cut it off
                fault, wrong_since = f"no answer ({error})", None
                advice = _ODD if error.begun else _SLOW
        else:
            wrong = _wrong(request, answer, body)
            if wrong is None:
                return FirstAnswer(answer.status, answer.server, answer.body_length)
            if answer.status >= 500 or fault != wrong:
                wrong_since = None
            if answer.status < 500 and wrong_since is None:
                wrong_since = now
            fault, advice = wrong, _SLOW
        await asyncio.sleep(PAUSE)


_CONNECTING = "timeout: not connected"
_SLOW = "a longer start needs ready.timeout in the stack"
_ODD = "it answers, but never a whole HTTP/1.x answer: set load.path in the profile, or look at the server"


async def _ask(spec: LoadSpec, limit: float) -> tuple[AnswerReader, bytes]:
    """One exchange within ``limit`` seconds: the answer, and the first bytes of its body."""
    answer = _Beginning(spec.request)
    progress = _CONNECTING
    begun = False
    try:
        async with asyncio.timeout(limit):
            family, address = await asyncio.to_thread(spec.target)
            with socket.socket(family, socket.SOCK_STREAM | socket.SOCK_NONBLOCK) as sock:
                loop = asyncio.get_running_loop()
                async with asyncio.timeout(SILENCE):
                    await loop.sock_connect(sock, address)
                progress = "timeout: the request wasn't taken whole"
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # reading shows why
                    await loop.sock_sendall(sock, request_bytes(spec))
                progress = "timeout: no byte of an answer"
                while True:
                    async with asyncio.timeout(SILENCE):
                        data = await loop.sock_recv(sock, READ)
                    if data:
                        begun, progress = True, "timeout: the answer wasn't complete"
                        if answer.feed(data):
                            return answer, answer.beginning
                    elif answer.closed():
                        return answer, answer.beginning
                    elif begun:
                        raise _NoAnswerError("truncated: closed in the answer", begun=True)
                    else:
                        raise _NoAnswerError("reset: closed before any byte of the answer", begun=False)
                    await asyncio.sleep(0)  # bytes that are there already must not keep a stop waiting
    except TimeoutError:
        raise _NoAnswerError(progress, begun=begun) from None
    except NotHttpError as error:
        raise _NoAnswerError(f"protocol: {error}", begun=True) from None
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)  # asyncio words some of them anew
        kind = "truncated" if begun else "connect" if progress == _CONNECTING else "reset"
        raise _NoAnswerError(f"{kind}: {reason}", begun=begun) from None
    except UserError as error:
        raise _NoAnswerError(str(error), begun=False) from None


class _Beginning(AnswerReader):
    """An answer that keeps the first bytes of its body, as many as are needed to say what is wrong with it."""

    __slots__ = ("beginning",)

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.beginning = b""

    def on_body(self, data: bytes) -> None:
        super().on_body(data)
        self.beginning += data[: max(0, SHOWN - len(self.beginning))]


def _wrong(request: Request, answer: AnswerReader, body: bytes) -> str | None:
    """Explains why an answer is not the expected one; None if it is."""
    expected = request.expected
    match answer.judge.fault(answer.status):
        case None:
            return None
        case "status":
            return f"status {answer.status}, expected {expected.status}"
        case "contains":
            return f"a body without {_shown(expected.contains_bytes)}"
        case fault:
            if expected.body_bytes is not None and not answer.judge.matches:
                shown = _shown(body, answer.body_length)
                return f"the body {shown}, expected {_shown(expected.body_bytes)}"
            if fault == "length" and expected.contains and not answer.judge.found:
                return f"a body without {_shown(expected.contains_bytes)}"
            return f"a body of {answer.body_length} bytes, expected {expected.length}"


def _shown(body: bytes, length: int | None = None) -> str:
    """The beginning of a body, of which there may be more bytes than are here (``length``)."""
    length = len(body) if length is None else length
    text = repr(body[:SHOWN].decode(errors="replace"))
    return f"{text} and {length - SHOWN} bytes more" if length > SHOWN else text
