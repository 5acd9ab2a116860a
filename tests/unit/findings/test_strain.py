"""What the machine did to a run: stolen time, clock rates, swapping and pressure, as read back from a record."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support import story
from tui.findings.judge import judge
from tui.record.events import EVENT, Event, Memory, RoundEnded, Strain
from tui.record.state import fold
from tui.summary.finding import Finding


def found(events: list[Event]) -> dict[str, Finding]:
    """As read back from a record."""
    written = [EVENT.validate_json(event.model_dump_json()) for event in events]
    return {finding.code: finding for finding in judge(fold(written)).findings}


def strained(*strains: Strain | None, plan: Any = None, **of_rounds: Any) -> list[Event]:
    """A run with a round for each of them."""
    left = iter(strains)
    return [
        each.model_copy(update={"strain": next(left)})
        if isinstance(each, RoundEnded) and each.round is not None
        else each
        for each in story.run(rounds=len(strains), plan=plan, **of_rounds)
    ]


def governed(governors: dict[int, str], *, turbo: bool | None = None, **plan: Any) -> dict[str, Finding]:
    events = story.run(plan=story.planned(**plan))
    first = story.started()
    machine = first.machine.model_copy(update={"governors": governors, "turbo": turbo})
    return found([first.model_copy(update={"machine": machine}), *events[1:]])


QUIET = Strain(steal={0: 0.01, 1: 0.0}, swapped_in=0, swapped_out=8192, pressure=0.0)


def test_a_quiet_machine_is_no_finding() -> None:
    assert found(strained(QUIET, QUIET)) == {}
    assert found(strained(None, None)) == {}, "an older record doesn't have them"


def test_the_most_stolen_cpu_of_any_round_is_reported() -> None:
    """A hypervisor can't be made to steal from inside."""
    much = QUIET.model_copy(update={"steal": {0: 0.02, 1: 0.124}})
    finding = found(strained(QUIET, much, QUIET))["steal"]
    assert (finding.severity, finding.quantities) == ("warning", ("rate", "latency"))
    assert finding.evidence.startswith("12 % of CPU 1 in round 2 was stolen")


def test_a_share_of_a_round_of_some_ticks_is_not_judged() -> None:
    assert "steal" not in found(strained(Strain(steal={0: 0.1}), None, seconds=0.5))


def test_a_governor_of_the_runs_cpus_is_reported_and_of_others_not() -> None:
    """The governor of a CPU that has one can't be changed without changing the machine for others."""
    finding = governed({0: "performance", 1: "powersave", 2: "schedutil"})["governor"]
    assert (finding.severity, finding.quantities) == ("warning", ("rate", "latency"))
    assert finding.evidence == "powersave on CPU 1"
    assert finding.remedy == "cpupower frequency-set -g performance"
    assert "governor" not in governed({0: "performance", 1: "performance", 2: "powersave"})


def test_cpus_of_one_governor_are_reported_together() -> None:
    finding = governed(dict.fromkeys(range(4), "powersave"), server_cpus=(0, 1, 2), load_cpus=(3,))
    assert finding["governor"].evidence == "powersave on CPU 0-3"


@pytest.mark.parametrize("governors", [{}, {0: "performance"}])
def test_an_unknown_governor_is_no_finding(governors: dict[int, str]) -> None:
    assert governed(governors) == {}


@pytest.mark.parametrize(("turbo", "noted"), [(True, ["turbo"]), (False, []), (None, [])])
def test_turbo_is_a_note_where_it_is_known_to_be_on(turbo: bool | None, noted: list[str]) -> None:
    findings = governed({0: "performance", 1: "performance"}, turbo=turbo)
    assert list(findings) == noted
    assert all(finding.severity == "note" for finding in findings.values())


def test_swapping_in_the_rounds_is_reported_and_a_few_pages_are_not() -> None:
    some = Strain(swapped_in=300_000, swapped_out=200_000)
    assert "swapping" not in found(strained(some, QUIET))
    finding = found(strained(some, some, some))["swapping"]
    assert finding.quantities == ("rate", "latency", "memory")
    assert finding.evidence.startswith(
        "900 kB in and 600 kB out over all rounds; none of the stack was in swap at the last reading"
    )


def test_what_of_the_stack_is_in_swap_is_reported() -> None:
    events = strained(Strain(swapped_in=0, swapped_out=5_000_000), QUIET)
    place = max(index for index, each in enumerate(events) if isinstance(each, Memory))
    last = events[place]
    assert isinstance(last, Memory)
    readings = tuple(each.model_copy(update={"swap_pss": 10**6}) for each in last.readings)
    events[place] = last.model_copy(update={"readings": readings})
    assert "3.00 MB of the stack was in swap" in found(events)["swapping"].evidence


def test_waiting_for_memory_is_reported_from_a_hundredth_of_a_round_on() -> None:
    assert "memory-pressure" not in found(strained(Strain(pressure=0.019), QUIET))
    finding = found(strained(QUIET, Strain(pressure=0.5)))["memory-pressure"]
    assert finding.evidence.startswith("for 500 ms of round 2 (25 %) some task on the machine waited")


def test_a_kernel_without_psi_is_no_finding() -> None:
    assert "memory-pressure" not in found(strained(Strain(pressure=None), QUIET))
