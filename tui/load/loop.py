"""What the closed and the open loop have in common: when they end, whom they tell, and how long they were away."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from tui.load.exchange import Exchange

ExchangeT = TypeVar("ExchangeT", bound=Exchange)


class Loop(Generic[ExchangeT]):
    """One round of one load process.

    ``end``: ns of ``perf_counter_ns``; may be brought forward while the round runs. ``control``: called
    when something comes on a descriptor of the exchange's epoll that is none of its connections.
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
        """The longest interval between two polls since this was last asked, in ns."""
        lag, self._lag = self._lag, 0
        self.worst_lag = max(self.worst_lag, lag)
        return lag
