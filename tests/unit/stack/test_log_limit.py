"""Logs that flood: the first and the last part stay, and the disk gets the rest back meanwhile."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tui.stack import log_limit
from tui.stack.log_limit import LIMIT, LogLimit

FLOOD = """
import os, sys, time
fd = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
os.write(fd, b"the first line\\n")
line = b"x" * 99 + b"\\n"
until, written = time.monotonic() + 2, 15
while time.monotonic() < until:
    written += os.write(fd, line * 2000)
    time.sleep(0.002)
written += os.write(fd, b"the last line\\n")
print(written)
"""


@pytest.mark.parametrize("holes", [True, False])
def test_a_flood_of_two_seconds_is_cut_while_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, holes: bool
) -> None:
    if not holes:
        monkeypatch.setattr(log_limit, "_punch", lambda fd, begin, length: False)
    limit = 8 << 20
    log, logs = tmp_path / "app.log", LogLimit(tmp_path, limit)
    process = subprocess.Popen([sys.executable, "-c", FLOOD, str(log)], stdout=subprocess.PIPE, text=True)
    longest = 0
    while process.poll() is None:
        logs.look()
        if log.exists():
            longest = max(longest, log.stat().st_blocks * 512)
        time.sleep(0.01)
    written = int(process.communicate()[0])
    dropped = logs.finish()
    kept = log.stat().st_size
    assert written > 3 * limit, "it didn't flood"
    assert longest < written
    assert kept <= limit + 70_000 and log.stat().st_blocks * 512 <= limit + 140_000
    content = log.read_bytes()
    assert content.startswith(b"the first line\n")
    if holes:
        assert content.endswith(b"the last line\n")
        assert b"\0" not in content
    (lost,) = dropped.values()
    number = f"{lost:,}" if holes else f"at least {lost:,}"
    remark = f"[stackdyno: {number} bytes are left out here;".encode()
    assert content.count(remark) == 1
    left = b"\n" + content[content.index(remark) :].split(b"\n", 1)[0] + b"\n"
    if holes:
        assert kept - len(left) + lost == written
    else:
        assert 0.8 * written < kept - len(left) + lost <= written


def test_a_log_that_is_short_and_a_link_are_left_alone(tmp_path: Path) -> None:
    short, far = tmp_path / "logs" / "short.log", tmp_path / "far"
    short.parent.mkdir()
    short.write_bytes(b"x" * 100_000)
    far.write_bytes(b"x" * 5_000_000)
    (short.parent / "link.log").symlink_to(far)
    logs = LogLimit(short.parent, 1 << 20)
    logs.look()
    assert logs.finish() == {}
    assert short.stat().st_size == 100_000 and far.stat().st_size == 5_000_000


def test_the_size_is_the_one_that_is_stated() -> None:
    assert LIMIT == 64 << 20
    assert "64 MiB" in (Path(__file__).parents[3] / "docs" / "findings.md").read_text()
