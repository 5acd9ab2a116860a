"""What the fold keeps of listen queues: the newest reading, and what each round did."""

from __future__ import annotations

from tests.support.story import planned, queues, started, tcp, unix
from tui.record.events import Event, PhaseChanged
from tui.record.queue_state import Queues, QueueState
from tui.record.state import fold


def phase(t: float, name: str, number: int | None = None) -> PhaseChanged:
    return PhaseChanged(t=t, phase=name, round=number)  # type: ignore[arg-type]


def folded(*events: Event) -> Queues:
    return fold([started(), planned(), *events]).queues


def the_one(found: Queues) -> QueueState:
    (each,) = found.sockets.values()
    return each


def test_each_round_has_its_longest_queue_and_its_own_drops() -> None:
    each = the_one(
        folded(
            phase(1, "warm-up"),
            queues(1.1, tcp(8, drops=100)),
            phase(2, "round", 1),
            queues(2.0, tcp(0, drops=100)),
            queues(2.5, tcp(7, drops=120)),
            queues(3.0, tcp(3, drops=125)),
            phase(3, "memory", 1),
            phase(4, "round", 2),
            queues(4.0, tcp(0, drops=126)),
            queues(5.0, tcp(2, drops=130)),
        )
    )
    assert each.reading.queue == 2
    assert [counted.longest for counted in each.rounds.values()] == [7, 2]
    assert [counted.drops for counted in each.rounds.values()] == [25, 5]
    assert (each.longest, each.longest_measured, each.drops, each.refusals) == (8, 7, 30, None)


def test_what_is_not_counted_is_unknown_and_not_zero() -> None:
    each = the_one(folded(phase(2, "round", 1), queues(2.5, unix(3, refusals=None))))
    assert (each.drops, each.refusals) == (None, None)
    counted = the_one(folded(phase(2, "round", 1), queues(2.5, unix(3, refusals=0))))
    assert (counted.drops, counted.refusals) == (None, 0)


def test_before_the_first_round_nothing_is_measured() -> None:
    each = the_one(folded(phase(1, "warm-up"), queues(1.5, tcp(8, drops=4))))
    assert (each.longest, each.longest_measured, each.drops) == (8, None, None)


def test_a_socket_that_is_made_anew_is_another_one() -> None:
    found = folded(
        phase(2, "round", 1),
        queues(2.0, tcp(1, drops=4, inode=1)),
        queues(2.5, tcp(2, drops=3, inode=9)),
    )
    assert [(each.reading.inode, each.drops) for each in found.sockets.values()] == [(9, 3), (1, 4)]


def test_refusals_that_name_no_socket_count_in_rounds_only() -> None:
    found = folded(
        phase(1, "warm-up"),
        queues(1.5, unix(5, 9), refused_elsewhere=4),
        phase(2, "round", 1),
        queues(2.5, unix(5, 20), refused_elsewhere=10),
    )
    assert found.refused_elsewhere == 6
    assert the_one(found).refusals == 11
