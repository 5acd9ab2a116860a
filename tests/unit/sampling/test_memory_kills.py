"""The kernel's counts of processes that its OOM killer killed, as cgroup v1 and v2 show them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tui.sampling.memory_kills import GroupKills, GroupWatch

Machine = tuple[GroupWatch, Path]


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture
def machine(tmp_path: Path) -> Callable[[str], Machine]:
    """One whose process 7 is in these cgroups."""

    def make(groups: str) -> Machine:
        write(tmp_path / "proc/7/cgroup", groups)
        return GroupWatch(tmp_path / "proc", tmp_path / "cgroup"), tmp_path / "cgroup"

    return make


def test_a_group_of_v2(machine: Callable[[str], Machine]) -> None:
    watch, cgroups = machine("0::/web.slice/app\n")
    write(
        cgroups / "web.slice/app/memory.events", "low 0\nhigh 0\nmax 7\noom 2\noom_kill 2\noom_group_kill 0\n"
    )
    write(cgroups / "web.slice/app/memory.max", "64000000\n")
    watch.find([7])
    assert watch.killed() == (), "what was killed before is not of this run"
    write(cgroups / "web.slice/app/memory.events", "oom 3\noom_kill 3\n")
    assert watch.killed() == (GroupKills("/web.slice/app", 1, 64_000_000),)
    assert watch.killed() == (), "told once"


def test_a_group_of_v1_without_a_limit(machine: Callable[[str], Machine]) -> None:
    watch, cgroups = machine("4:memory:/web\n3:cpuset:/\n0::/\n")
    control = cgroups / "memory/web/memory.oom_control"
    write(control, "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n")
    write(cgroups / "memory/web/memory.limit_in_bytes", "9223372036854771712\n")
    watch.find([7])
    write(control, "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n")
    assert watch.killed() == (GroupKills("memory:/web", 2, None),)


def test_in_a_container_the_mount_is_the_group(machine: Callable[[str], Machine]) -> None:
    watch, cgroups = machine("0::/on/the/host/docker-1\n")
    write(cgroups / "memory.events", "oom_kill 0\n")
    watch.find([7])
    write(cgroups / "memory.events", "oom_kill 1\n")
    assert watch.killed() == (GroupKills("/on/the/host/docker-1", 1, None),)


def test_a_machine_without_counts(machine: Callable[[str], Machine]) -> None:
    watch, _ = machine("0::/\n")
    watch.find([7, 8])
    assert watch.killed() == ()
