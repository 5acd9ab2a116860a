"""Stopping a run through its socket, and logind's setting."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from tui.record.control import ControlSocket, is_running, request_stop
from tui.record.record import create_record
from tui.run.logout import kills_user_processes
from tui.system.errors import UserError


async def test_a_stop_reaches_the_runner(tmp_path: Path) -> None:
    record = create_record(tmp_path, "hello")
    stopped = asyncio.Event()
    control = ControlSocket(tmp_path / "c.sock", stopped.set)
    await control.open(record)
    assert is_running(record)
    await asyncio.to_thread(request_stop, record)
    await asyncio.wait_for(stopped.wait(), 2)
    control.close()
    assert not (tmp_path / "c.sock").exists()


async def test_the_socket_is_private(tmp_path: Path) -> None:
    control = ControlSocket(tmp_path / "c.sock", lambda: None)
    await control.open(create_record(tmp_path, "hello"))
    assert (tmp_path / "c.sock").stat().st_mode & 0o777 == 0o600
    control.close()


def test_a_run_whose_runner_is_gone_is_over(tmp_path: Path) -> None:
    record = create_record(tmp_path, "hello")
    record.runner_path.write_text(json.dumps({"pid": 1, "start": 99, "control": "/nowhere"}))
    assert not is_running(record)
    with pytest.raises(UserError, match="the run is over"):
        request_stop(record)


@pytest.mark.parametrize(
    ("text", "kills"),
    [
        ("[Login]\n#KillUserProcesses=yes\n", False),
        ("[Login]\nKillUserProcesses=yes\n", True),
        ("[Login]\nKillUserProcesses=no\n", False),
    ],
)
def test_logind_setting(tmp_path: Path, text: str, kills: bool) -> None:
    (tmp_path / "logind.conf").write_text(text)
    assert kills_user_processes(tmp_path / "logind.conf", ()) is kills


def test_a_drop_in_of_logind_wins(tmp_path: Path) -> None:
    (tmp_path / "logind.conf").write_text("[Login]\nKillUserProcesses=no\n")
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "10-kill.conf").write_text("[Login]\nKillUserProcesses=yes\n")
    assert kills_user_processes(tmp_path / "logind.conf", (tmp_path / "d",))


async def test_a_planted_link_is_neither_bound_to_nor_made_private(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.touch(mode=0o644)
    (tmp_path / "c.sock").symlink_to(target)
    with pytest.raises(OSError, match="already in use"):
        await ControlSocket(tmp_path / "c.sock", lambda: None).open(create_record(tmp_path, "hello"))
    assert target.stat().st_mode & 0o777 == 0o644
