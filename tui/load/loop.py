"""What the closed and the open loop share: when they end, whom they report to, and how long they were away."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from tui.load.exchange import Exchange

ExchangeT = TypeVar("ExchangeT", bound=Exchange)


class Loop(Generic[ExchangeT]):
    """One round of one load process.

    ``end``: ns of ``perf_counter_ns``; may be moved forward during the round. ``control``: called on an event
    of a descriptor in the exchange's epoll that isn't one of its connections.
    ``on_tick``: called every ``tick`` ns with the lag of the tick in ns.
    """

    def __init__(
        self,
        exchange: ExchangeT,
        end: int,
        tick: int,
        control: Callable[[], None],
        on_tick: Callable[[int], None],
    ) -> None:
        self.exchange = exchange
        self.end = end
        self.worst_lag = self._lag = 0
        self._tick = tick
        self._control = control
        self._on_tick = on_tick

    def end_lag(self) -> int:
        """The longest interval between two polls since the last call, in ns."""
        lag, self._lag = self._lag, 0
        self.worst_lag = max(self.worst_lag, lag)
        return lag
