"""An external server whose workers are all replaced was reloaded; one worker that is replaced was not."""

from __future__ import annotations

import pytest

from tests.support import story
from tui.findings.judge import judge
from tui.record.events import Event, ProcessEnded
from tui.record.state import fold
from tui.summary.finding import Finding


def found(extra: list[Event], *, external: bool = True) -> dict[str, Finding]:
    plan = story.planned()
    plan = plan.model_copy(update={"facts": plan.facts.model_copy(update={"external": external})})
    return {each.code: each for each in judge(fold([*story.run(ended=False, plan=plan), *extra])).findings}


def ended(pid: int) -> ProcessEnded:
    return ProcessEnded(t=6.2, pid=pid, start=pid * 10, status=None, expected=False)


NEW: list[Event] = [story.seen(21, t=6.1), story.seen(22, t=6.1)]


def test_all_workers_replaced_is_a_reload() -> None:
    findings = found([*NEW, ended(11), ended(12)])
    assert findings.keys() == {"reloaded"}
    assert findings["reloaded"].text == "the server was reloaded while load was measured"
    assert findings["reloaded"].evidence == "worker 11, worker 12 ended; worker 21, worker 22 came"
    assert findings["reloaded"].quantities == ("rate", "latency", "memory")


def test_a_worker_that_ends_with_its_last_connection_serves_no_more() -> None:
    draining = story.seen(12, t=6.2, age=6.0, title="nginx: worker process is shutting down")
    assert found([*NEW, ended(11), draining]).keys() == {"reloaded"}


def test_a_new_master_too_is_a_restart() -> None:
    findings = found([story.seen(20, role="master", t=6.1), *NEW, ended(10), ended(11), ended(12)])
    assert findings["reloaded"].text == "the server was restarted while load was measured"


@pytest.mark.parametrize("external", [True, False])
def test_one_worker_of_two_replaced_is_none(external: bool) -> None:
    assert found([NEW[0], ended(11)], external=external).keys() == {"worker-came", "worker-went"}


def test_a_stack_of_our_own_has_lost_its_workers() -> None:
    assert found([*NEW, ended(11), ended(12)], external=False).keys() == {"worker-came", "worker-went"}
