"""Each finding has a run that raises it, and a quiet run raises none."""

from __future__ import annotations

import pytest

from tests.support import story
from tui.findings.judge import judge, judge_cut_off
from tui.record.events import Event, Notice, PhaseChanged, ProcessEnded, RoundEnded, RunEnded
from tui.record.state import fold
from tui.summary.finding import Finding


def found(events: list[Event]) -> dict[str, Finding]:
    return {finding.code: finding for finding in judge(fold(events)).findings}


def test_a_quiet_run_has_no_findings() -> None:
    assert judge(fold(story.run())).findings == ()


def test_a_saturated_generator_makes_rate_and_latency_invalid_and_not_memory() -> None:
    finding = found(story.run(cpu=1.9))["generator-saturated"]
    assert finding.severity == "invalid"
    assert finding.quantities == ("rate", "latency")
    assert "95 %" in finding.evidence


def test_a_busy_generator_is_a_note() -> None:
    findings = found(story.run(cpu=1.3))
    assert findings["generator-busy"].severity == "note"
    assert findings["generator-busy"].text == "load generator at 65 %"


def test_a_shared_cpu_is_a_warning_where_there_is_no_other() -> None:
    plan = story.planned(server_cpus=(0,), load_cpus=(0,), shared_cpus=True)
    finding = found(story.run(plan=plan))["overlap"]
    assert finding.severity == "warning"
    assert "no other" in finding.text


def test_a_shared_cpu_is_invalid_where_it_was_chosen() -> None:
    plan = story.planned(shared_cpus=True, shared_by_choice=True)
    assert found(story.run(plan=plan))["overlap"].severity == "invalid"


def test_errors_show_during_the_first_round() -> None:
    events = story.run(rounds=0, ended=False)
    events += [PhaseChanged(t=2.2, phase="round", round=1), story.tick(2.5, 1, good=10, bad=90)]
    assert found(events)["unexpected-status"].severity == "invalid"


def test_a_worker_that_came_and_one_that_went() -> None:
    events = story.run(ended=False)
    events += [
        ProcessEnded(t=6.1, pid=11, start=110, status="SIGKILL", expected=False),
        story.seen(13, t=6.2),
    ]
    findings = found(events)
    assert findings["worker-went"].text == "1 worker ended while load was measured"
    assert "SIGKILL" in findings["worker-went"].evidence
    assert findings["worker-came"].evidence == "worker 13"


def test_workers_that_end_with_the_stack_are_expected() -> None:
    events = story.run()
    events.insert(-1, ProcessEnded(t=6.5, pid=11, start=110, status="exit 0", expected=True))
    assert "worker-went" not in found(events)


def test_a_worker_of_an_on_demand_spawner_may_come_in_the_warm_up() -> None:
    events = story.run()
    warm_up = next(
        index
        for index, each in enumerate(events)
        if isinstance(each, PhaseChanged) and each.phase == "warm-up"
    )
    events.insert(warm_up + 1, story.seen(14, t=1.2))
    assert "worker-came" not in found(events)


@pytest.mark.parametrize(("role", "counts"), [("helper", False), ("worker", True)])
def test_helpers_may_come_and_go(role: str, counts: bool) -> None:
    events = story.run(ended=False)
    gone = ProcessEnded(t=6.2, pid=14, start=140, status="exit 0", expected=False)
    events += [story.seen(14, t=6.1, role=role), gone]
    findings = found(events)
    assert ("worker-came" in findings, "worker-went" in findings) == (counts, counts)


def test_a_process_on_a_cpu_that_is_not_its_own_makes_the_rate_invalid() -> None:
    events = story.run()
    events.insert(8, story.seen(15, misbound=True, bound=(0, 1)))
    finding = found(events)["misbound"]
    assert finding.severity == "invalid"
    assert "pid 15 on CPU 0-1" in finding.evidence


def test_one_round_is_a_warning() -> None:
    assert found(story.run(rounds=1))["one-round"].severity == "warning"


def test_no_good_answer_is_invalid() -> None:
    assert found(story.run(good=0, bad=5))["no-good-answer"].severity == "invalid"


def test_notices_become_findings() -> None:
    events = story.run()
    events.insert(
        3, Notice(t=0.2, code="workers-missing", text="3 of 4 workers are there", severity="invalid")
    )
    assert found(events)["workers-missing"].quantities == ("rate", "latency", "memory")


@pytest.mark.parametrize(("shared", "code"), [(True, "overlap"), (False, "plan")])
def test_a_shared_cpu_is_reported_by_its_evidence_and_not_by_the_plans_note(shared: bool, code: str) -> None:
    events = story.run(plan=story.planned(shared_cpus=shared))
    events.insert(
        3, Notice(t=0.2, code="plan", text="server and load share CPU 0: this machine has no other")
    )
    assert found(events).keys() == {code}


def test_a_stopped_run_with_a_whole_round_is_a_warning_and_without_one_invalid() -> None:
    with_one = story.run(ended=False)
    with_one.append(RunEnded(t=9.0, verdict="stopped"))
    without = story.run(rounds=0, ended=False)
    without += [story.round_ended(3.0, 1, stopped=True), RunEnded(t=3.1, verdict="stopped")]
    assert found(with_one)["stopped"].severity == "warning"
    assert found(without)["stopped"].severity == "invalid"


def test_everything_is_invalid_in_a_failed_run_and_in_one_that_was_cut_off() -> None:
    events = story.run(ended=False)
    state = fold([*events, RunEnded(t=9.0, verdict="failed", reason="it fell over")])
    assert judge(state).invalid == ("rate", "latency", "memory")
    assert judge_cut_off(fold(events)).invalid == ("rate", "latency", "memory")


def test_the_most_severe_comes_first() -> None:
    plan = story.planned(shared_cpus=True)
    severities = [finding.severity for finding in judge(fold(story.run(plan=plan, cpu=1.9, bad=1))).findings]
    assert severities == ["invalid", "warning", "warning"]


def with_queues(*looks: Event) -> dict[str, Finding]:
    """A run whose first round saw these."""
    events = story.run()
    at = next(
        i for i, event in enumerate(events) if isinstance(event, PhaseChanged) and event.phase == "round"
    )
    return found([*events[: at + 1], *looks, *events[at + 1 :]])


def test_drops_of_a_tcp_socket_touch_the_latency() -> None:
    findings = with_queues(
        story.queues(2.2, story.tcp(8, drops=0)), story.queues(2.4, story.tcp(8, drops=893))
    )
    finding = findings["listen-overflow"]
    assert (finding.severity, finding.quantities) == ("warning", ("latency",))
    assert "dropped 893 connection attempts" in finding.text
    assert finding.evidence.startswith(":8001: 893, backlog 8;")
    assert "options.backlog" in finding.remedy and "net.core.somaxconn" in finding.remedy


def test_refusals_of_a_unix_socket_touch_the_rate() -> None:
    finding = with_queues(story.queues(2.2, story.unix(5, refusals=1200)))["listen-overflow"]
    assert (finding.severity, finding.quantities) == ("warning", ("rate",))
    assert finding.text.endswith("1,200 connections were refused")
    assert finding.evidence == "app-1.sock: 1,200, backlog 5"


def test_a_long_queue_that_overflows_nowhere_is_no_finding() -> None:
    findings = with_queues(story.queues(2.2, story.tcp(8), story.unix(5, refusals=0)))
    assert "listen-overflow" not in findings


def test_an_overflow_in_the_warm_up_touches_nothing() -> None:
    events = story.run()
    at = next(
        i for i, event in enumerate(events) if isinstance(event, PhaseChanged) and event.phase == "warm-up"
    )
    events.insert(at + 1, story.queues(1.1, story.tcp(8, drops=50)))
    assert "listen-overflow" not in found(events)


def test_an_allowed_finding_is_reported_and_makes_nothing_invalid() -> None:
    events = story.run(cpu=1.9)
    events[0] = story.started().model_copy(update={"allowed": ("generator-saturated",)})
    judged = judge(fold(events))
    findings = judged.findings
    assert [(each.code, each.allowed) for each in findings] == [("generator-saturated", True)]
    assert judged.invalid == ()


def test_every_code_is_known_and_documented() -> None:
    import re
    from pathlib import Path

    from tui.findings.codes import CODES

    root = Path(__file__).parents[3]
    used = set()
    for path in (root / "tui").rglob("*.py"):
        for call in re.findall(r'code=("[a-z-]+"(?: if \w+ else "[a-z-]+")?)', path.read_text()):
            used |= set(re.findall(r'"([a-z-]+)"', call))
    assert used <= set(CODES)
    documented = re.findall(r"^\| `([a-z-]+)` \|", (root / "docs" / "findings.md").read_text(), re.MULTILINE)
    assert set(documented) == set(CODES)


def test_one_round_without_a_good_answer_is_enough() -> None:
    events = story.run()
    place = next(i for i, each in enumerate(events) if isinstance(each, RoundEnded) and each.round == 2)
    events[place] = story.round_ended(6.0, 2, good=0)
    assert found(events)["no-good-answer"].text == "no good answer in round 2"


def test_cpus_that_others_used_are_reported() -> None:
    def with_idle(**changes: float) -> list[Event]:
        return [
            each.model_copy(update=changes) if isinstance(each, RoundEnded) else each for each in story.run()
        ]

    assert set(found(with_idle(server_idle=0.0, stack_cpu=0.8))) == {"server-cpu-taken"}
    assert set(found(with_idle(load_idle=0.02))) == {"load-cpu-taken"}
    assert found(with_idle(load_idle=0.3)) == {}
