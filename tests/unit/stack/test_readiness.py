"""What is said of an answer that isn't the expected one."""

from __future__ import annotations

import httpx
import pytest

from tui.load.request import Expected, Request
from tui.stack.readiness import NotReady, wait_until_ready


@pytest.fixture(autouse=True)
def answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every answer is "Hello", and is believed as soon as it comes again."""
    transport = httpx.MockTransport(lambda _: httpx.Response(200, text="Hello"))
    monkeypatch.setattr("tui.stack.readiness._client", lambda _: httpx.AsyncClient(transport=transport))
    monkeypatch.setattr("tui.stack.readiness.PATIENCE", 0.0)
    monkeypatch.setattr("tui.stack.readiness.PAUSE", 0.0)


def request(expected: Expected) -> Request:
    return Request(address="127.0.0.1:80", host="localhost", path="/", expected=expected)


@pytest.mark.parametrize(
    ("expected", "said"),
    [
        (Expected(status=204), "status 200, expected 204"),
        (Expected(length=6), "a body of 5 bytes, expected 6"),
        (Expected(contains="X"), "a body without 'X'"),
        (Expected(body="Hallo"), "the body 'Hello', expected 'Hallo'"),
        (Expected(body="Hallo", length=5, contains="X"), "the body 'Hello', expected 'Hallo'"),
        # Nothing can meet these; what is wrong is the part that the answer doesn't meet.
        (Expected(body="Hello", length=6), "a body of 5 bytes, expected 6"),
        (Expected(body="Hello", contains="X"), "a body without 'X'"),
        (Expected(body="Hello", contains="X", length=6), "a body without 'X'"),
    ],
)
async def test_the_part_that_is_wrong_is_named(expected: Expected, said: str) -> None:
    with pytest.raises(NotReady) as failure:
        await wait_until_ready(request(expected), 5.0, lambda: None)
    assert str(failure.value) == f"GET / gives {said}; set load.path or [expect] in the profile"


async def test_the_expected_answer_is_reported() -> None:
    first = await wait_until_ready(request(Expected(body="Hello")), 5.0, lambda: None)
    assert (first.status, first.server, first.body_length) == (200, None, 5)
