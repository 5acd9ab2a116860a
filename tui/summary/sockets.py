"""The sockets of a run: its listen queues, and the client's ports in TIME_WAIT."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePath

from tui.record.queue_state import QueueState
from tui.record.state import RunState
from tui.summary.schema import ListenQueueRow, ListenQueuesResult, PortsResult


def listen_queues(state: RunState) -> ListenQueuesResult:
    """Every listening socket of the stack, over the measured rounds."""
    latest = state.queues.latest
    numbers = [ended.round for ended in state.rounds if ended.round is not None]
    return ListenQueuesResult(
        sockets=tuple(_row(name, each, numbers) for name, each in named(state)),
        every=latest.every if latest else None,
        looks=latest.looks if latest else 0,
        cost=latest.cost if latest else 0.0,
        refused_elsewhere=state.queues.refused_elsewhere,
        reasons=latest.reasons if latest else (),
    )


def _row(name: str, each: QueueState, numbers: list[int]) -> ListenQueueRow:
    in_rounds = [each.rounds.get(number) for number in numbers]
    return ListenQueueRow(
        name=name,
        kind=each.reading.kind,
        address=each.reading.address,
        backlog=each.reading.backlog,
        longest=each.longest_measured,
        by_round=tuple(counted.longest if counted else None for counted in in_rounds),
        drops=each.drops,
        refusals=each.refusals,
    )


def named(state: RunState) -> Iterator[tuple[str, QueueState]]:
    """A short name for every socket: ``http :8001`` for a port of the plan, ``app-1.sock`` for a path."""
    ports = state.planned.facts.ports if state.planned else {}
    for each in state.queues.sockets.values():
        yield socket_name(each.reading.kind, each.reading.address, ports), each


def socket_name(kind: str, address: str, ports: Mapping[str, int]) -> str:
    """A readable name for a socket."""
    if kind == "unix":
        return PurePath(address).name or address
    port = address.rpartition(":")[2]
    called = next((name for name, number in ports.items() if str(number) == port), "")
    return f"{called} :{port}".lstrip()


def ports(state: RunState) -> PortsResult | None:
    """The client's ports, and which side has sockets in TIME_WAIT; None if no load went to a TCP port."""
    seen = state.resources.time_waits
    if not seen:
        return None
    last = seen[-1]
    return PortsResult(
        client_time_wait=max((each.client for each in seen if each.client is not None), default=None),
        server_time_wait=max((each.server for each in seen if each.server is not None), default=None),
        ports=last.ports,
        reused_after=last.reused_after,
        reason=last.reason,
    )
