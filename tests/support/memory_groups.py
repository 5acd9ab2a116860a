"""A memory cgroup of the test's own (v1 or v2), to run short of memory without the machine doing so."""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

CGROUPS = Path("/sys/fs/cgroup")


@dataclass(frozen=True)
class MemoryGroup:
    path: Path
    limit_file: str

    def add(self, pid: int = 0) -> None:
        """Put a process into it; 0 is the one that asks."""
        (self.path / "cgroup.procs").write_text(str(pid))

    def limit(self, amount: int) -> None:
        """Bytes that its processes may have from now on; what is over is taken away, or they are killed."""
        (self.path / self.limit_file).write_text(str(amount))


@contextlib.contextmanager
def memory_group(limit: int) -> Iterator[MemoryGroup]:
    """A new group that may have so many bytes; skips where none can be made."""
    if os.geteuid() != 0:
        pytest.skip("only root can make a memory cgroup")
    first, root = (CGROUPS / "memory").is_dir(), CGROUPS / "memory"
    if not first:
        root = CGROUPS
        with contextlib.suppress(OSError):
            (root / "cgroup.subtree_control").write_text("+memory")
    group = MemoryGroup(
        root / f"stackdyno-test-{uuid.uuid4().hex[:8]}", "memory.limit_in_bytes" if first else "memory.max"
    )
    try:
        group.path.mkdir()
    except OSError as error:
        pytest.skip(f"no memory cgroup can be made here: {error}")
    try:
        try:
            group.limit(limit)
        except OSError as error:
            pytest.skip(f"this machine's cgroups don't limit memory: {error}")
        yield group
    finally:
        for pid in (group.path / "cgroup.procs").read_text().split():
            (root / "cgroup.procs").write_text(pid)
        group.path.rmdir()
