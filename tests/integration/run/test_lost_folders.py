"""Runs whose folder can't be written any more."""

from __future__ import annotations

import json
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import SHORT, Command
from tests.support.small_disk import fill, small_disk
from tui.record.record import read_state


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


def moved(
    tmp_path: Path, stackdyno: Command, lose: Callable[[], object], *, stop: bool
) -> tuple[dict[str, Any], str]:
    """The summary on stdout, and stderr, of a run whose folder is lost while load is measured."""
    process = stackdyno.start(
        "gunicorn-sync", "--format", "json", "--set", "load.warmup=200ms", "--set", "load.rounds=1",
        "--set", f"load.duration={'20s' if stop else '2s'}",
    )  # fmt: skip
    try:
        stackdyno.wait_for(lambda state: state.in_round)
        lose()
        if stop:
            time.sleep(1.5)
            process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    place = next((tmp_path / "state").glob("stackdyno/rescued/*"))
    assert f"the run went on in {place}" in err
    assert (place / "summary.json").is_file()
    return json.loads(out), err


@pytest.fixture(autouse=True)
def state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def test_a_disk_that_fills_up_does_not_end_the_measurement(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        stackdyno = Command(disk)
        summary, err = moved(tmp_path, stackdyno, lambda: fill(disk), stop=False)
        assert summary["verdict"] == "good" and len(summary["rounds"]) == 1
        assert "No space left on device" in err
        assert "moved" in {finding["code"] for finding in summary["findings"]}


def test_a_comparison_whose_disk_fills_up_keeps_what_it_measured_and_says_where(tmp_path: Path) -> None:
    """The first run goes on elsewhere and counts; no other can begin, which is said once for each."""
    with small_disk(tmp_path / "disk") as disk:
        stackdyno = Command(disk)
        process = stackdyno.begin(
            "compare", "gunicorn-sync", "gunicorn-gthread", "--starts", "2", "--concurrent",
            "--set", "load.warmup=0s", "--set", "load.rounds=1", "--set", "load.duration=2s",
        )  # fmt: skip
        try:
            stackdyno.wait_for(lambda state: state.in_round)
            fill(disk)
            _, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert list((tmp_path / "state").glob("stackdyno/rescued/*_gunicorn-sync_*"))
    assert process.returncode == 1
    assert "the run went on in " in err and "Traceback" not in err
    assert "run 1 of 4: gunicorn-sync: " in err and "requests/s" in err
    assert "No space left on device" in err and "nothing was started" in err


def test_a_deleted_folder_is_said_and_the_run_can_still_be_stopped(tmp_path: Path) -> None:
    stackdyno = Command(tmp_path)
    summary, err = moved(tmp_path, stackdyno, lambda: shutil.rmtree(stackdyno.runs), stop=True)
    assert summary["verdict"] == "stopped"
    assert "its folder was deleted" in err


def test_the_summary_is_printed_though_nothing_can_be_kept_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with small_disk(tmp_path / "disk") as disk, small_disk(tmp_path / "other") as other:
        monkeypatch.setenv("XDG_STATE_HOME", str(other / "state"))
        monkeypatch.setenv("TMPDIR", str(other))
        stackdyno = Command(disk)
        process = stackdyno.start(
            "gunicorn-sync", "--format", "json", "--set", "load.warmup=0s", "--set", "load.rounds=2",
            "--set", "load.duration=1s", "--set", "load.connections=4", "--set", "load.rate=100",
        )  # fmt: skip
        try:
            stackdyno.wait_for(lambda state: state.in_round)
            fill(disk)
            fill(other)
            out, err = process.communicate(timeout=30)
        finally:
            process.kill()
        assert list(other.glob("**/events.jsonl")) == [] and read_state(stackdyno.record).ended is None
        assert stackdyno("export", "--format", "json").summary["verdict"] == "cut off"
    summary = json.loads(out)
    assert summary["verdict"] == "good" and len(summary["rounds"]) == 2
    lost = [finding["text"] for finding in summary["findings"] if finding["code"] == "not-kept"]
    assert len(lost) == 1 and f"{disk}/runs/" in lost[0] and "No space left on device" in lost[0]
    assert lost[0] in err
    assert "Traceback" not in err
