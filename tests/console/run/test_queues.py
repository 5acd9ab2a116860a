"""The listen queues as lines of a given width, and when they are on the screen."""

from __future__ import annotations

import pytest

from tests.support import recorded_runs as runs
from tests.support.console import frame_after, screen_with
from tests.support.story import queues, tcp, unix
from tui.console.drawing.lines import plain, width_of
from tui.console.run.stack_lines import queue_lines
from tui.console.run.stack_view import Queues
from tui.record.events import Event

WIDTHS = (36, 58, 78, 98, 118, 198)


def seen(*events: Event, number: int | None = 1) -> Queues:
    """What is shown of these looks, in a round or in the warm-up."""
    run = runs.Writer()
    run.begin()
    run.phase("warm-up" if number is None else "round", number)
    found = frame_after([*run.events, *events]).queues
    assert found is not None
    return found


def text(found: Queues, width: int = 118) -> list[str]:
    return [plain(line) for line in queue_lines(found, width)]


def test_queue_backlog_and_the_most_that_waited():
    found = seen(queues(1, tcp(7), unix(6, 0)), queues(2, tcp(3), unix(4, 0)))
    (line,) = text(found)
    assert "http :8001  3 of 8, most 7" in line
    assert "app-1.sock  4 of 5, most 6" in line
    assert line.endswith("dropped 0 · refused 0 ")


def test_overflows_have_a_sign():
    (line,) = text(seen(queues(1, tcp(8, drops=0)), queues(2, tcp(8, drops=893), unix(5, refusals=1200))))
    assert line.endswith("▲ dropped 893 · ▲ refused 1,200 ")


def test_what_can_not_be_counted_is_not_zero():
    (line,) = text(seen(queues(1, unix(5, refusals=None))))
    assert line.endswith("refused n/a ")
    assert "dropped" not in line


def test_before_the_first_round_nothing_counts():
    (line,) = text(seen(queues(1, tcp(8, drops=50)), number=None))
    assert "▲ dropped 50" in line and "not counted yet" in line


def test_a_finished_run_shows_the_most_that_waited():
    found = frame_after(runs.finished()).queues
    assert found is not None
    assert "http :8001  most 7 of 2,048" in text(found)[0]


def test_a_kernel_that_tells_nothing_is_quoted():
    found = seen(queues(1, reasons=("TCP sockets: the kernel reports no queues (Protocol not supported)",)))
    assert text(found) == [" n/a: TCP sockets: the kernel reports no queues (Protocol not supported)"]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("number", [1, 4, 12])
def test_never_more_than_two_lines_of_the_given_width(width: int, number: int):
    sockets = [unix(3, 0, path=f"/tmp/x/app-{i}.sock", inode=i) for i in range(number)]
    lines = queue_lines(seen(queues(1, tcp(2, inode=99), *sockets)), width)
    assert len(lines) <= 2
    assert all(width_of(line) <= width for line in lines)


def test_sockets_without_room_are_counted():
    sockets = [unix(3, 0, path=f"/tmp/x/app-{i}.sock", inode=i) for i in range(12)]
    first, second = text(seen(queues(1, *sockets)))
    assert first.count("of 5") + second.count("of 5") + int(second.split(" more")[0].split()[-1]) == 12


def test_no_queues_no_panel():
    assert frame_after(runs.starting()).queues is None


async def test_the_panel_is_there_where_there_is_room(console):
    _, wide = await screen_with(console, (160, 48), "running")
    assert any("Listen queues" in line for line in wide)
    assert any("http :8001" in line and "dropped 0" in line for line in wide)
    _, small = await screen_with(console, (80, 24), "running")
    assert not any("Listen queues" in line for line in small)


async def test_a_stack_without_queues_has_no_panel(console):
    _, text = await screen_with(console, (160, 48), "starting")
    assert not any("Listen queues" in line for line in text)
