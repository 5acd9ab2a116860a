"""How requests ended: the kinds of bad answers apart, and hung requests."""

from __future__ import annotations

import pytest

from tests.support import story
from tui.findings.judge import judge
from tui.load.result import Outcomes, Tally
from tui.record.events import Event, RoundEnded
from tui.record.state import fold
from tui.summary.finding import Finding


def found(events: list[Event]) -> dict[str, Finding]:
    return {finding.code: finding for finding in judge(fold(events)).findings}


def ended(errors: dict[str, int] | None = None, **outcomes: int) -> dict[str, Finding]:
    """A run of two rounds that ended so, each."""
    counted = Outcomes(**{"ok": 2000, **outcomes})
    tally = Tally(sent=counted.total, outcomes=counted, errors=errors or {})
    return found(story.with_results(story.run(), tally=tally))


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        ("connect", "errors"),
        ("reset", "errors"),
        ("truncated", "errors"),
        ("timeout", "errors"),
        ("protocol", "errors"),
        ("status", "unexpected-status"),
        ("body", "unexpected-body"),
        ("client", "client-limit"),
    ],
)
def test_each_kind_of_bad_answer_has_its_finding(outcome: str, code: str) -> None:
    (finding,) = ended(**{outcome: 3}).values()
    assert (finding.code, finding.severity, finding.quantities) == (code, "warning", ("rate", "latency"))
    assert finding.text.startswith("6 ")
    assert finding.evidence == f"{outcome} 6"


def test_a_finding_names_the_statuses_and_how_often_they_came() -> None:
    finding = ended({"status: 502": 30, "status: 404": 10}, status=40)["unexpected-status"]
    assert finding.evidence == "status 80: 502 60, 404 20"
    assert finding.text == "80 answers had an unexpected status (2 %)"


@pytest.mark.parametrize(
    ("good", "bad", "words"),
    [(0, 2000, "100 %"), (7, 1993, "100 %"), (1750, 250, "12 %"), (1999, 1, "0.05 %")],
)
def test_the_share_of_bad_answers_has_no_exponent(good: int, bad: int, words: str) -> None:
    assert ended(ok=good, status=bad)["unexpected-status"].text.endswith(f" ({words})")


def test_every_class_of_error_is_reported_in_its_own_words() -> None:
    errors = {"reset: closed before any byte of the answer": 2, "timeout: not connected": 1, "status: 502": 1}
    findings = ended(errors, reset=2, timeout=1, status=1)
    assert findings["errors"].evidence == (
        "reset 4: closed before any byte of the answer 4; timeout 2: not connected 2"
    )
    assert findings["unexpected-status"].evidence == "status 2: 502 2"


def test_all_bad_answers_together_settle_how_grave_they_are() -> None:
    few = ended(status=15)
    many = ended(status=15, reset=15)
    assert {each.severity for each in few.values()} == {"warning"}
    assert {code: each.severity for code, each in many.items()} == {
        "errors": "invalid",
        "unexpected-status": "invalid",
    }


def hanging(oldest: float) -> list[Event]:
    """A run whose first round ended with a request that had been in flight for so many seconds."""
    events = story.run()
    place = next(i for i, each in enumerate(events) if isinstance(each, RoundEnded) and each.round == 1)
    first = events[place]
    assert isinstance(first, RoundEnded) and first.result is not None
    result = first.result.model_copy(update={"oldest_unfinished": oldest})
    events[place] = first.model_copy(update={"result": result})
    return events


def test_a_request_that_hung_until_the_end_makes_rate_and_latency_invalid() -> None:
    finding = found(hanging(1.9))["stalled"]
    assert (finding.severity, finding.quantities) == ("invalid", ("rate", "latency"))
    assert finding.evidence.startswith(
        "when round 1 ended, the oldest had waited 1.90 s; the slowest answer took "
    )


def test_what_is_in_flight_at_the_end_for_a_moment_is_no_finding() -> None:
    assert found(hanging(0.012)) == {}
