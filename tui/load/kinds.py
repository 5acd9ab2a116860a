"""The kinds that a load tells apart: of times, and of errors.

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
"""The times that a round has; ``tui.load.result.RoundResult`` says what each is."""
TIME_KINDS: tuple[TimeKind, ...] = get_args(TimeKind)

ERROR_KINDS = 20
"""How many texts of errors are told apart."""
OTHER = "other"
"""What the rest of them is counted as."""
