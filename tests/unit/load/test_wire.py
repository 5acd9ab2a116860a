"""What goes over the line between the runner and a load process."""

from __future__ import annotations

from typing import get_type_hints

from tui.load.recorder import Counts, TimesCount
from tui.load.result import Tally, Times
from tui.load.wire import (
    StopCommand,
    TallyFields,
    TickReport,
    TimesFields,
    decode_command,
    decode_report,
    encode,
)


def tick(error: str) -> TickReport:
    counts, latency = Counts(), TimesCount()
    counts.sent = 2
    counts.outcomes["status"] += 2
    counts.statuses[503] += 2
    counts.error(error)
    latency.insert([1_000_000, 2_000_000])
    return {
        "kind": "tick",
        "number": 1,
        "t1": 250_000_000,
        "in_flight": 0,
        "busy": 0.5,
        "lag": 1000,
        "tally": counts.to_json(),
        "latency": latency.to_json(digits=2),
    }


def test_a_command_comes_as_it_was_sent() -> None:
    stop: StopCommand = {"kind": "stop"}
    assert decode_command(encode(stop)) == stop


def test_counts_by_number_are_numbers_again_in_the_models() -> None:
    sent = tick("status: 503")
    come = decode_report(encode(sent))
    assert come["kind"] == "tick"
    assert Tally(**come["tally"]) == Tally(**sent["tally"])
    assert Tally(**come["tally"]).statuses == {503: 2}
    assert Times(**come["latency"]) == Times(**sent["latency"])


def test_a_message_is_one_line_whatever_it_quotes() -> None:
    assert encode(tick('reset: "two\nlines" — ☃')).count(b"\n") == 1


def test_the_fields_are_those_of_the_models() -> None:
    assert list(get_type_hints(TallyFields)) == list(Tally.model_fields)
    assert list(get_type_hints(TimesFields)) == list(Times.model_fields)
