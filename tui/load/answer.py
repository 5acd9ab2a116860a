"""The load's HTTP/1.x: builds the bytes of a request, and reads and judges an answer as it arrives.

The parser is httptools (llhttp). It doesn't know the request, so answers to HEAD and the end of a body
without a length are handled here. Bodies are compared as they arrive and never kept, so an endless one
costs no memory.
"""

from __future__ import annotations

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

from tui.load.request import Judge, Request
from tui.load.spec import LoadSpec

HEADERS_LIMIT = 256 * 1024  # bytes before the end of the headers; more is not taken for HTTP


def request_bytes(spec: LoadSpec) -> bytes:
    """The whole request. Without keep-alive it asks for ``Connection: close``."""
    request = spec.request
    lines = [f"{request.method} {request.path} HTTP/1.1"]
    given = {name.lower() for name, _ in request.headers}
    for name, value in (("Host", request.host), ("User-Agent", "stackdyno"), ("Accept", "*/*")):
        if name.lower() not in given:
            lines.append(f"{name}: {value}")
    lines += [f"{name}: {value}" for name, value in request.headers]
    if not spec.keepalive:
        lines.append("Connection: close")
    if request.method == "POST":
        lines.append(f"Content-Length: {len(request.body)}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + request.body


class NotHttpError(Exception):
    """The data isn't a single HTTP/1.x answer. ``str`` says in a few words what is wrong."""


class AnswerReader:
    """The answers of one connection, one after the other.

    When ``feed`` has reported a complete answer, its fields are valid until the next ``feed``. ``delimited``:
    the answer ends without the connection closing. ``keep``: the server will keep the connection.
    ``body_length`` is decoded. ``judge`` knows what of the body is as expected.
    """

    __slots__ = (
        "_before", "_connection", "_headers_done", "_interim", "_junk", "_parser", "complete", "delimited",
        "judge", "keep", "server", "status", "version",
    )  # fmt: skip

    def __init__(self, request: Request) -> None:
        self.judge = Judge(request)
        self._parser = HttpResponseParser(self)
        self._begin()

    def _begin(self) -> None:
        if not self.judge.request.has_body_in_answer:
            self._parser = HttpResponseParser(self)  # the last one still waits for the body
        self.complete = self.delimited = self._headers_done = self._junk = self._interim = False
        self.keep = True
        self.status = self._before = 0
        self.server: str | None = None
        self.version = ""
        self._connection = b""
        self.judge.begin()

    def release(self) -> None:
        """The answer is over: let go of the parser, whose callbacks refer to this reader. No ``feed`` may follow."""
        del self._parser

    @property
    def body_length(self) -> int:
        """Bytes of the body so far, decoded."""
        return self.judge.length

    def feed(self, data: bytes) -> bool:
        """Take what was read; True when the answer is complete. Raises NotHttpError."""
        if self.complete:
            self._begin()
        try:
            self._parser.feed_data(data)
        except HttpParserUpgrade:
            raise NotHttpError("status 101, and no upgrade was asked for") from None
        except HttpParserError as error:
            self._junk = self._junk or self.complete
            if not self._junk:
                raise NotHttpError(str(error)) from None
        if self._junk:
            raise NotHttpError("bytes after the answer")
        if not self._headers_done:
            self._before += len(data)
            if self._before > HEADERS_LIMIT:
                raise NotHttpError(f"headers longer than {HEADERS_LIMIT // 1024} KiB")
        return self.complete

    def closed(self) -> bool:
        """The server closed: True if that is the regular end of the answer."""
        self.keep = False
        self.complete = self._headers_done and not self.delimited
        return self.complete

    def verdict(self) -> tuple[str, str]:
        """The outcome (ok, status or body) of a complete answer, and what was wrong with a bad one."""
        match self.judge.fault(self.status):
            case None:
                return "ok", ""
            case "status":
                return "status", f"status: {self.status}"
            case "length":
                expected = self.judge.request.expected.length
                return "body", f"body: {self.body_length} bytes, not {expected}"
            case "body":
                return "body", f"body: not the expected one ({self.body_length} bytes)"
            case "contains":
                return "body", f"body: lacks the expected text ({self.body_length} bytes)"

    # The parser's callbacks.

    def on_message_begin(self) -> None:
        self._junk = self._junk or self.complete

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._headers_done:
            return  # a trailer
        name = name.lower()
        if name == b"content-length":
            self.delimited = True
        elif name == b"transfer-encoding":
            self.delimited = value.lower().endswith(b"chunked")
        elif name == b"connection":
            self._connection += b"," + value.lower()
        elif name == b"server":
            self.server = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        status = self._parser.get_status_code()
        self._interim = status < 200
        if self._interim:
            return
        self._headers_done = True
        self.status = status
        self.version = self._parser.get_http_version()
        asked = {token.strip() for token in self._connection.split(b",")}
        self.keep = b"keep-alive" in asked if self.version == "1.0" else b"close" not in asked
        head = not self.judge.request.has_body_in_answer
        self.delimited = self.delimited or head or status in (204, 304)
        self.complete = head

    def on_body(self, data: bytes) -> None:
        if self.complete:
            self._junk = True
            return
        self.judge.feed(data)

    def on_message_complete(self) -> None:
        if self._interim:
            self._interim = False
            self.delimited = False
        else:
            self.complete = True
