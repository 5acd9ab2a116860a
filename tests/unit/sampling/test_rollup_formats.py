"""``smaps_rollup`` and ``smaps`` as kernels and containers show them, and as they don't."""

import os
from pathlib import Path

import pytest

from tui.sampling.memory import MemoryParts, Unreadable, read_rollup, read_rss

OLD_KERNEL = """\
00400000-7ffd0000 ---p 00000000 00:00 0                          [rollup]
Rss:                 100 kB
Pss:                  70 kB
Shared_Clean:         30 kB
Shared_Dirty:          5 kB
Private_Clean:        20 kB
Private_Dirty:        45 kB
Private_Hugetlb:       2 kB
Swap:                  8 kB
SwapPss:               4 kB
Locked:                0 kB
"""
NEW_KERNEL = OLD_KERNEL + "Pss_Anon:  40 kB\nPss_File:  25 kB\nPss_Shmem:  5 kB\n"


def put(proc: Path, name: str, content: str) -> int:
    pid = os.getpid()
    (proc / str(pid)).mkdir(exist_ok=True)
    (proc / str(pid) / name).write_text(content)
    return pid


def read(proc: Path, name: str, content: str) -> MemoryParts | Unreadable | None:
    return read_rollup(put(proc, name, content), proc)


def test_all_parts(tmp_path: Path) -> None:
    parts = read(tmp_path, "smaps_rollup", NEW_KERNEL)
    assert parts == MemoryParts(
        rss=100 * 1024,
        pss=70 * 1024,
        pss_anon=40 * 1024,
        pss_file=25 * 1024,
        pss_shmem=5 * 1024,
        swap_pss=4 * 1024,
        private=67 * 1024,
        shared=35 * 1024,
    )
    assert isinstance(parts, MemoryParts)
    assert parts.comparable == 49 * 1024


def test_a_kernel_that_does_not_split_the_pss_leaves_the_parts_out_with_the_reason(tmp_path: Path) -> None:
    parts = read(tmp_path, "smaps_rollup", OLD_KERNEL)
    assert isinstance(parts, MemoryParts)
    assert (parts.pss, parts.private, parts.swap_pss) == (70 * 1024, 67 * 1024, 4 * 1024)
    assert parts.pss_anon is None
    assert parts.comparable is None
    assert parts.missing == "smaps_rollup of this kernel doesn't split the PSS"


def test_without_smaps_rollup_the_mappings_are_summed(tmp_path: Path) -> None:
    mapping = "7f00-7f01 r--p 00000000 fe:00 1234   /usr/lib/x.so\nRss: 8 kB\nPss: 3 kB\nShared_Clean: 8 kB\n"
    flags = "THPeligible:    0\nVmFlags: rd mr mw me sd\n"
    parts = read(tmp_path, "smaps", (mapping + flags) * 3)
    assert isinstance(parts, MemoryParts)
    assert (parts.rss, parts.pss, parts.shared, parts.private) == (24 * 1024, 9 * 1024, 24 * 1024, 0)
    assert parts.missing == "smaps of this kernel doesn't split the PSS"


@pytest.mark.parametrize("content", ["", "7f00-7f01 r--p 00000000 fe:00 1234\nSize: 4 kB\n"])
def test_smaps_without_figures_gives_the_rss_and_a_reason(content: str, tmp_path: Path) -> None:
    found = read(tmp_path, "smaps", content)
    assert isinstance(found, Unreadable)
    assert found.reason == "this system shows no smaps_rollup or smaps for the process"
    assert found.rss is not None
    assert found.rss > 1_000_000


def test_neither_file_gives_the_rss_and_a_reason(tmp_path: Path) -> None:
    found = read_rollup(os.getpid(), tmp_path)
    assert isinstance(found, Unreadable)
    assert found.rss == pytest.approx(read_rss(os.getpid()), rel=0.1)


def test_a_kernel_thread_or_a_pid_that_is_not_there() -> None:
    assert read_rollup(2**22 + 1) is None
    assert read_rss(2**22 + 1) is None
