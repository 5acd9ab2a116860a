"""Loads for tests, written flat: what a request asks, what is expected of its answer, and how it is sent."""

from __future__ import annotations

from typing import Any

from tui.load.request import Expected, Request
from tui.load.spec import LoadSpec

_REQUEST = ("address", "host", "path", "method", "headers", "body")


def spec_of(**fields: Any) -> LoadSpec:
    """A spec. ``expect_status``, ``expect_body`` and so on say what is expected, texts as bytes."""
    expected = {
        name.removeprefix("expect_"): fields.pop(name) for name in list(fields) if name.startswith("expect_")
    }
    for name in ("body", "contains"):
        if isinstance(expected.get(name), bytes):
            expected[name] = expected[name].decode(errors="surrogateescape")
    request = {name: fields.pop(name) for name in _REQUEST if name in fields}
    return LoadSpec(request=Request(**request, expected=Expected(**expected)), **fields)
