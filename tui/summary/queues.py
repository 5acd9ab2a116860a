"""The listen queues of a run, as the summary, the findings and the console show them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePath

from tui.record.queue_state import QueueState
from tui.record.state import RunState
from tui.summary.schema import ListenQueueRow, ListenQueuesResult


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
    """Every socket with a short name: ``http :8001`` for a port of the plan, ``app-1.sock`` for a path."""
    ports = state.planned.facts.ports if state.planned else {}
    for each in state.queues.sockets.values():
        yield socket_name(each.reading.kind, each.reading.address, ports), each


def socket_name(kind: str, address: str, ports: Mapping[str, int]) -> str:
    """What a person calls a socket."""
    if kind == "unix":
        return PurePath(address).name or address
    port = address.rpartition(":")[2]
    called = next((name for name, number in ports.items() if str(number) == port), "")
    return f"{called} :{port}".lstrip()
