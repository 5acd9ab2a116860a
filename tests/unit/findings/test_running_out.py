"""Descriptors, the client's ports, and workers that the kernel killed because memory ran out, from their events."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support import story
from tui.findings.judge import judge
from tui.findings.judged import summarise
from tui.record.events import (
    EVENT,
    DescriptorReading,
    Descriptors,
    Event,
    GroupKilled,
    HostReading,
    PhaseChanged,
    ProcessEnded,
    TimeWait,
)
from tui.record.record import Record
from tui.record.state import RunState, fold
from tui.summary.finding import Finding


def read_back(events: list[Event]) -> RunState:
    return fold(EVENT.validate_json(event.model_dump_json()) for event in events)


def found(events: list[Event]) -> dict[str, Finding]:
    return {finding.code: finding for finding in judge(read_back(events)).findings}


def in_round(*events: Event) -> list[Event]:
    """A run in whose first round these are written."""
    run = story.run()
    at = next(i for i, each in enumerate(run) if isinstance(each, PhaseChanged) and each.phase == "round")
    return [*run[: at + 1], *events, *run[at + 1 :]]


def reading(pid: int, opened: int | None, limit: int | None) -> DescriptorReading:
    reason = "permission denied" if opened is None else None
    return DescriptorReading(pid=pid, start=pid * 10, open=opened, limit=limit, reason=reason)


def look(*stack: DescriptorReading, load: tuple[DescriptorReading, ...] = ()) -> Descriptors:
    return Descriptors(t=2.3, stack=stack, load=load)


def test_a_process_near_its_limit_is_reported_with_its_role() -> None:
    finding = found(in_round(look(reading(11, 61, 64), reading(12, 10, 64))))["descriptors"]
    assert (finding.severity, finding.quantities) == ("warning", ("rate", "latency"))
    assert finding.text == "the stack is about to run out of descriptors"
    assert finding.evidence == "worker 11: 61 of 64 open"
    assert "ulimit -n" in finding.remedy


def test_the_load_is_reported_apart() -> None:
    finding = found(in_round(look(reading(11, 5, 64), load=(reading(90, 1020, 1024),))))["descriptors"]
    assert finding.text == "the load is about to run out of descriptors"
    assert finding.evidence == "load process 90: 1,020 of 1,024 open"
    assert "ulimit -Hn" in finding.remedy


def test_the_nearest_look_of_any_round_counts() -> None:
    looks = look(reading(11, 60, 64)), look(reading(11, 8, 64))
    assert found(in_round(*looks))["descriptors"].evidence == "worker 11: 60 of 64 open"


@pytest.mark.parametrize("seen", [(57, 64), (None, 64), (64, None), (None, None)])
def test_enough_descriptors_or_unknown_ones_are_no_finding(seen: tuple[int | None, int | None]) -> None:
    assert "descriptors" not in found(in_round(look(reading(11, *seen))))


def test_descriptors_in_the_warm_up_are_no_finding() -> None:
    run = story.run()
    at = next(i for i, each in enumerate(run) if isinstance(each, PhaseChanged) and each.phase == "warm-up")
    run.insert(at + 1, look(reading(11, 64, 64)))
    assert "descriptors" not in found(run)


def waits(number: int | None = 1, **changes: Any) -> TimeWait:
    counts: dict[str, Any] = {"client": 0, "server": 9000, "ports": 28_232, "reused_after": None}
    return TimeWait(t=4.1, round=number, **(counts | changes))


def test_a_client_that_closes_first_is_near_the_end_of_its_ports() -> None:
    finding = found(in_round(waits(client=22_600, server=3)))["time-wait"]
    assert (finding.severity, finding.quantities) == ("warning", ("rate", "latency"))
    assert finding.evidence == (
        "22,600 of 28,232 after a round, and 3 sockets of the server; the kernel holds each for a minute"
    )


def test_the_kernels_reuse_of_ports_is_reported() -> None:
    finding = found(in_round(waits(client=28_000, reused_after=1.0)))["time-wait"]
    assert "the kernel reuses each after 1.00 s (net.ipv4.tcp_tw_reuse)" in finding.evidence


@pytest.mark.parametrize(
    "seen",
    [
        waits(server=28_000),
        waits(client=22_500),
        waits(client=28_000, ports=None),
        waits(None, client=28_000),
        waits(client=None, server=None, reason="no"),
    ],
    ids=["the server closes first", "some", "no range", "warm-up", "unknown"],
)
def test_ports_that_are_not_scarce_or_not_known_are_no_finding(seen: TimeWait) -> None:
    assert "time-wait" not in found(in_round(seen))


@pytest.mark.parametrize("format_name", ["text", "markdown"])
def test_the_ports_of_both_are_in_the_summary_and_its_formats(tmp_path: Path, format_name: str) -> None:
    state = read_back(in_round(waits(client=12, server=5120), waits(2, client=3, server=9000)))
    summary = summarise(Record(tmp_path), state)
    assert summary.ports is not None
    assert (summary.ports.client_time_wait, summary.ports.server_time_wait) == (12, 9000)
    assert "12 of the client's 28,232 ports, 9,000 sockets of the server" in story.written(
        summary, format_name
    )


def test_a_load_on_a_unix_socket_has_no_ports(tmp_path: Path) -> None:
    assert summarise(Record(tmp_path), read_back(story.run())).ports is None


def ends(status: str | None, t: float = 3.0, pid: int = 11) -> ProcessEnded:
    return ProcessEnded(t=t, pid=pid, start=pid * 10, status=status, expected=False)


def kills(t: float, number: int | None, *groups: GroupKilled) -> HostReading:
    return story.host(t, None).model_copy(update={"memory_kills": number, "killed_in": groups})


def killed(
    status: str | None, number: int | None, *groups: GroupKilled, at: float = 3.0
) -> dict[str, Finding]:
    return found(in_round(kills(2.4, 0), ends(status, at), kills(3.4, number, *groups)))


@pytest.mark.parametrize("status", ["SIGKILL", None])
def test_a_worker_that_ends_when_the_kernel_counts_a_kill_was_killed_for_memory(status: str | None) -> None:
    findings = killed(status, 1, GroupKilled(name="/web", kills=1, limit=64_000_000))
    assert "worker-went" not in findings
    finding = findings["worker-oom"]
    assert finding.text == "the kernel killed 1 worker because memory ran out"
    assert finding.quantities == ("rate", "latency", "memory")
    assert finding.evidence == (
        f"worker 11{' (SIGKILL)' if status else ''}; the kernel counted 1 out-of-memory kill, "
        "1 in the cgroup /web (limit 64.0 MB)"
    )


def test_a_worker_that_is_killed_by_someone_is_not_said_to_lack_memory() -> None:
    findings = killed("SIGKILL", 0)
    assert "worker-oom" not in findings
    assert findings["worker-went"].evidence.endswith(
        "; someone sent SIGKILL: the kernel counted no out-of-memory kill"
    )


def test_where_the_kernel_doesnt_count_it_is_left_open() -> None:
    findings = found(in_round(ends("SIGKILL")))
    assert findings["worker-went"].evidence.endswith("SIGKILL: memory may have run out")


@pytest.mark.parametrize(("status", "at"), [("exit 3", 3.0), ("SIGSEGV", 3.0), ("SIGKILL", 0.9)])
def test_a_worker_that_ends_otherwise_or_at_another_time_was_not(status: str, at: float) -> None:
    findings = killed(status, 1, at=at)
    assert ("worker-oom" in findings, "worker-went" in findings) == (False, True)


def test_no_more_are_said_to_be_killed_than_were_counted() -> None:
    events = in_round(kills(2.4, 0), ends(None, pid=11), ends("SIGKILL", pid=12), kills(3.4, 1))
    findings = found(events)
    assert findings["worker-oom"].evidence.startswith(
        "worker 12 (SIGKILL); the kernel counted 1 out-of-memory kill"
    )
    assert findings["worker-went"].evidence == "worker 11"


def test_a_run_that_fails_for_it_says_so_too() -> None:
    run = story.run(ended=False)
    run += [ends("SIGKILL", 6.3), PhaseChanged(t=6.4, phase="drain"), kills(6.6, 1)]
    at = next(i for i, each in enumerate(run) if isinstance(each, ProcessEnded))
    run.insert(at, kills(6.2, 0))
    assert "worker-oom" in found(run)
