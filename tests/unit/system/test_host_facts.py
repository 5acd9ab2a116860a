"""Facts about this very machine, checked against other sources."""

import os

import psutil

from tui.system.host import read_host


def test_the_facts_agree_with_other_sources() -> None:
    facts = read_host()
    assert facts.kernel == os.uname().release
    assert facts.hostname == os.uname().nodename
    assert facts.cpus == len(os.sched_getaffinity(0))
    assert 1 <= facts.packages <= facts.cores <= facts.cpus
    assert facts.memory_total == psutil.virtual_memory().total
    assert facts.clock_ticks == os.sysconf("SC_CLK_TCK")


def test_what_the_machine_does_not_tell_is_none_and_never_empty_or_zero() -> None:
    facts = read_host()
    for name in ("distribution", "cpu_model", "governor", "frequency_set", "frequency_max", "virtualisation"):
        assert getattr(facts, name) not in ("", 0)
