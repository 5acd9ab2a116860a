"""An app that keeps 2 kB of every request for ever; with ``KEEPS=0`` it keeps nothing."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

KEEPS = int(os.environ.get("KEEPS", "2000"))
kept: list[bytes] = []


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    kept.append(os.urandom(KEEPS))
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "5")])
    return [b"kept\n"]
