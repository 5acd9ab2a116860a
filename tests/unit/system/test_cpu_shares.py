"""Who gets which CPUs, on machines of every shape."""

import os
from pathlib import Path

import pytest

from tui.system import cpus as cpus_module
from tui.system.cpus import Overlap, governors, overlap, share_out, thread_siblings, topology, usable_cpus

Siblings = dict[int, frozenset[int]]


def machine(cores: int, threads: int) -> Siblings:
    """As Linux numbers them: the first threads of all cores, then the second ones."""
    return {
        cpu: frozenset(cpu % cores + cores * thread for thread in range(threads))
        for cpu in range(cores * threads)
    }


@pytest.mark.parametrize(
    ("cores", "threads", "workers", "server", "load"),
    [
        (2, 1, 2, (0,), (1,)),
        (3, 1, 4, (0, 1), (2,)),
        (4, 1, 4, (0, 1, 2), (3,)),
        (8, 1, 4, (0, 1, 2, 3, 4, 5), (6, 7)),
        (2, 2, 4, (0, 2), (1, 3)),
        (4, 2, 8, (0, 1, 2, 4, 5, 6), (3, 7)),
        (16, 1, 2, tuple(range(14)), (14, 15)),
        (16, 1, 1, tuple(range(15)), (15,)),
        (16, 1, 64, tuple(range(12)), (12, 13, 14, 15)),
    ],
)
def test_the_load_gets_about_a_quarter_of_the_cores(
    cores: int, threads: int, workers: int, server: tuple[int, ...], load: tuple[int, ...]
) -> None:
    siblings = machine(cores, threads)
    assert share_out(tuple(siblings), siblings, workers) == (server, load, False)


def test_one_cpu_goes_to_both_and_is_called_shared() -> None:
    assert share_out((5,), {5: frozenset({5})}, 4) == ((5,), (5,), True)


def test_the_threads_of_one_core_are_split_and_called_shared() -> None:
    assert share_out((0, 1), machine(1, 2), 4) == ((0,), (1,), True)
    assert share_out((0, 1, 2, 3), machine(1, 4), 4) == ((0, 1, 2), (3,), True)


def test_a_core_whose_other_thread_may_not_be_used_is_a_core() -> None:
    assert share_out((0, 1), machine(4, 2), 4) == ((0,), (1,), False)


def test_two_threads_of_one_core_in_a_larger_machine_are_one_core() -> None:
    assert share_out((1, 5), machine(4, 2), 4) == ((1,), (5,), True)


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("workers", [1, 4, 100])
def test_with_two_cores_or_more_nothing_is_shared(threads: int, workers: int) -> None:
    for cores in range(2, 33):
        siblings = machine(cores, threads)
        share = share_out(tuple(siblings), siblings, workers)
        assert not share.shared
        assert not overlap(share.server, share.load, siblings)
        assert sorted(share.server + share.load) == sorted(siblings)


def test_no_cpu_at_all_is_an_error() -> None:
    with pytest.raises(ValueError, match="no CPU"):
        share_out((), {}, 1)


def test_overlap_tells_the_same_cpu_from_threads_of_one_core() -> None:
    siblings = machine(4, 2)
    assert overlap((0, 1), (1, 2), siblings) == Overlap(same=(1,), siblings=())
    assert overlap((0,), (4,), siblings) == Overlap(same=(), siblings=((0, 4),))
    assert overlap((0, 1), (1, 4), siblings) == Overlap(same=(1,), siblings=((0, 4),))
    assert not overlap((0, 4), (1, 5), siblings)


def test_overlap_reads_this_machine_when_no_siblings_are_given() -> None:
    cpu = usable_cpus()[0]
    assert overlap([cpu], [cpu]).same == (cpu,)


def test_topology_and_governor_as_sys_shows_them(tmp_path: Path) -> None:
    for cpu, threads in ((0, "0,2"), (2, "0,2")):
        folder = tmp_path / f"cpu{cpu}"
        (folder / "topology").mkdir(parents=True)
        (folder / "topology/core_id").write_text("7\n")
        (folder / "topology/physical_package_id").write_text("1\n")
        (folder / "topology/thread_siblings_list").write_text(f"{threads}\n")
        (folder / "cpufreq").mkdir()
        (folder / "cpufreq/scaling_governor").write_text("powersave\n")
    found = topology([0, 2], tmp_path)
    assert (found[2].core, found[2].package, found[2].siblings) == (7, 1, {0, 2})
    assert governors([0, 2], tmp_path) == {0: "powersave", 2: "powersave"}


def test_a_machine_that_shows_nothing_has_cores_of_one_thread_and_no_governor(tmp_path: Path) -> None:
    (tmp_path / "cpu1/cpufreq").mkdir(parents=True)
    (tmp_path / "cpu1/cpufreq/scaling_governor").write_text("\n")
    assert topology([1], tmp_path)[1].siblings == {1}
    assert governors([1], tmp_path) is None


def test_this_machine_has_every_usable_cpu_in_its_own_core() -> None:
    siblings = thread_siblings()
    assert set(siblings) == set(usable_cpus())
    assert all(cpu in threads for cpu, threads in siblings.items())


@pytest.mark.parametrize(
    ("own_groups", "file"),
    [
        ("0::/user.slice/box", "user.slice/box/cpuset.cpus.effective"),
        ("0::/a/host/path/that/the/container/does/not/see", "cpuset.cpus.effective"),
        ("3:cpu,cpuacct:/x\n2:cpuset:/box\n0::/y", "cpuset/box/cpuset.effective_cpus"),
        ("2:cpuset:/docker/0123", "cpuset/cpuset.effective_cpus"),
    ],
)
def test_a_cgroup_that_allows_fewer_cpus_counts(
    own_groups: str, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allowed = max(os.sched_getaffinity(0))
    listing = tmp_path / "cgroup" / file
    listing.parent.mkdir(parents=True)
    listing.write_text(f"{allowed}\n")
    (tmp_path / "own").write_text(own_groups)
    monkeypatch.setattr(cpus_module, "_CGROUP", tmp_path / "cgroup")
    monkeypatch.setattr(cpus_module, "_OWN_GROUPS", tmp_path / "own")
    assert usable_cpus() == (allowed,)


@pytest.mark.parametrize("own_groups", [None, "", "0::/"])
def test_without_a_cpuset_the_affinity_mask_counts(
    own_groups: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if own_groups is not None:
        (tmp_path / "own").write_text(own_groups)
    monkeypatch.setattr(cpus_module, "_CGROUP", tmp_path / "cgroup")
    monkeypatch.setattr(cpus_module, "_OWN_GROUPS", tmp_path / "own")
    assert usable_cpus() == tuple(sorted(os.sched_getaffinity(0)))
