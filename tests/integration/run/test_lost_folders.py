"""Runs whose folder can't be written any more."""

from __future__ import annotations

from pathlib import Path

from tests.support.command import SHORT, Command
from tests.support.small_disk import fill, small_disk


def test_a_full_disk_is_named_at_the_start(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        stackdyno = Command(disk)
        stackdyno.runs.mkdir()
        fill(disk)
        done = stackdyno.run("gunicorn-sync", *SHORT)
        assert done.status == 2
        assert "No space left on device" in done.err and str(disk) in done.err
        assert len(done.err.splitlines()) == 1
        assert list(stackdyno.runs.iterdir()) == []
