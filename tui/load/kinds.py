"""The kinds of times and of errors that a load distinguishes.

Standard library only, since every load process imports it.
"""

from __future__ import annotations

from typing import Literal, get_args

TimeKind = Literal[
    "connect",
    "waiting",
    "processing",
    "total",
    "bad",
    "service",
    "schedule_lag",
    "connection_wait",
    "closing",
    "timer_lag",
]
"""The times that a round has; ``tui.load.result.RoundResult`` explains each."""
TIME_KINDS: tuple[TimeKind, ...] = get_args(TimeKind)

ERROR_KINDS = 20
"""The number of distinct error texts."""
OTHER = "other"
"""Replaces all further texts."""
