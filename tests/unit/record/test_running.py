"""What runs and what was left behind is found by real processes and real folders, and only that is ended."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tui.plan.runtime_folder import make_runtime_folder
from tui.record.cleaning import clean
from tui.record.folders import new_folder
from tui.record.record import Record, create_record
from tui.record.running import NOTE, gone_runtimes, look, note_launch, notice, unlisted_records
from tui.stack.leftovers import Leftovers
from tui.system.procfs import Identity, is_alive, read_stat

SLEEP = "import time; print('up', flush=True); time.sleep(60)"
STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {SLEEP}"
DEAD = {"pid": 1, "start": 99}
Starter = Callable[..., Identity]


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of another test is seen, nor ended."""
    monkeypatch.setenv("STACKDYNO_LOCK", f"test-{secrets.token_hex(6)}")


@pytest.fixture
def runtime() -> Iterator[Path]:
    folder = make_runtime_folder()
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def start() -> Iterator[Starter]:
    """Starts a Python script; returns as soon as it has written a line into its output, or its own file."""
    started: list[subprocess.Popen[bytes]] = []

    def begin(script: str, environment: dict[str, str], output: Path) -> Identity:
        with output.open("wb") as file:
            call = [sys.executable, "-c", script]
            started.append(subprocess.Popen(call, env=environment, stdout=file, cwd="/"))
        deadline = time.monotonic() + 20
        while not output.read_bytes():
            assert time.monotonic() < deadline
            time.sleep(0.02)
        stat = read_stat(started[-1].pid)
        assert stat is not None
        return stat.identity

    yield begin
    for process in started:
        process.kill()
        process.wait()


def mark(runtime: Path) -> dict[str, str]:
    return {"STACKDYNO_RUN": secrets.token_hex(8), "HOME": str(runtime)}


def note(runtime: Path, **changes: object) -> None:
    """The note of a launcher that is gone."""
    note_launch(runtime, None)
    said = json.loads((runtime / NOTE).read_text())
    (runtime / NOTE).write_text(json.dumps({**said, **DEAD, **changes}))


def left() -> list[Identity]:
    return [each.identity for run in look().left for each in run.processes]


def test_a_marked_process_of_no_living_run_is_ended_and_an_unmarked_one_is_not(start, runtime, tmp_path):
    record = create_record(tmp_path / "runs", "shop")
    (record.folder / "events.jsonl").write_text("{}\n")
    note(runtime, record=str(record.folder))
    ours = start(SLEEP, mark(runtime), tmp_path / "ours")
    stubborn = start(STUBBORN, mark(runtime), tmp_path / "stubborn")
    stranger = start(SLEEP, {"HOME": str(runtime)}, tmp_path / "stranger")
    unrelated = start(SLEEP, {"STACKDYNO_RUN": "run-1", "HOME": str(runtime)}, tmp_path / "unrelated")
    assert sorted(left()) == sorted([ours, stubborn])
    told = notice(look())
    assert told is not None
    assert told.startswith(f"2 processes were left behind by {record.name}, ended 20")
    assert "`stackdyno clean`" in told
    done = clean(tmp_path / "runs", grace=0.5)
    assert (done.killed, done.alive, done.removed) == ({stubborn}, frozenset(), (runtime,))
    assert not is_alive(ours)
    assert not is_alive(stubborn)
    assert is_alive(stranger)
    assert is_alive(unrelated)
    assert notice(look()) is None


def test_a_process_that_lost_its_mark_is_known_by_its_output_in_the_logs(start, tmp_path):
    """As nginx does, whose title overwrites its environment; a child that carries nothing belongs to it."""
    record = create_record(tmp_path, "shop")
    record.plan_path.write_text("{}")
    record.runner_path.write_text(json.dumps({"lock": os.environ["STACKDYNO_LOCK"]}))
    script = (
        "import os, subprocess, sys, time; subprocess.Popen(['sleep', '60'], stdout=subprocess.DEVNULL); "
    )
    parent = start(script + SLEEP, {"PATH": os.environ["PATH"]}, record.logs / "nginx.log")
    assert parent in left()
    assert len(left()) == 2
    assert look().left[0].folder == record.folder
    child = next(each for each in left() if each != parent)
    clean(tmp_path)
    assert not is_alive(parent)
    assert not is_alive(child)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may start processes as another user")
def test_root_ends_what_its_own_run_started_as_another_user_and_nothing_else_of_theirs(runtime, tmp_path):
    record = create_record(tmp_path / "runs", "shop")
    note(runtime, record=str(record.folder))
    foreign = make_runtime_folder()
    (foreign / NOTE).write_text((runtime / NOTE).read_text())
    for path in (foreign / NOTE, foreign):
        os.chown(path, 65534, -1)
    started = [
        subprocess.Popen(["sleep", "60"], env={**mark(home), "PATH": os.environ["PATH"]}, user=65534)
        for home in (runtime, foreign)
    ]
    try:
        assert [each.pid for each in left()] == [started[0].pid]
        clean(tmp_path / "runs")
        assert started[0].poll() == -signal.SIGTERM
        assert started[1].poll() is None
        assert foreign.exists()
    finally:
        for process in started:
            process.kill()
            process.wait()
        shutil.rmtree(foreign)


def test_what_another_lock_covers_is_not_ours(start, runtime, tmp_path, monkeypatch):
    note(runtime)
    start(SLEEP, mark(runtime), tmp_path / "ours")
    assert len(left()) == 1
    monkeypatch.setenv("STACKDYNO_LOCK", "another")
    assert left() == []
    assert gone_runtimes() == []


def test_nothing_below_a_supervisor_was_left_behind(runtime, tmp_path):
    """The supervisor is a real one; its runner is this test, and as long as their socket is open it waits."""
    import socket

    note(runtime)
    ours, theirs = socket.socketpair()
    call = [sys.executable, "-m", "tui.stack.supervisor", str(theirs.fileno()), str(runtime)]
    supervisor = subprocess.Popen(call, pass_fds=[theirs.fileno()])
    theirs.close()
    service = {
        "name": "app", "copy": 0, "argv": ["sleep", "60"], "cwd": "/", "log": str(tmp_path / "log"), "cpus": [],
        "env": {**mark(runtime), "PATH": os.environ["PATH"]}, "daemonises": False,
        "stop_signal": signal.SIGTERM, "stop_timeout": 1.0,
    }  # fmt: skip
    begin = {"do": "begin", "runtime": str(runtime), "leftovers": []}
    for command in (begin, {"do": "start", "service": service, "uid": None, "gid": None}):
        ours.sendall(json.dumps(command).encode() + b"\n")
    assert b"started" in ours.recv(1000)
    assert left() == []
    assert gone_runtimes() == []
    supervisor.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, supervisor.pid, os.WSTOPPED)
    assert len(left()) == 1, "a supervisor that is held and has no runner ends nothing"
    clean(tmp_path / "runs")
    assert left() == []
    supervisor.kill()
    supervisor.wait()
    ours.close()


def test_clean_waits_for_a_supervisor_whose_runner_was_killed(runtime, tmp_path):
    """It stops the stack itself; until then nothing is left behind, but something still runs."""
    note(runtime)
    words = [sys.executable, "-c", RUNNER, str(runtime), str(tmp_path / "log"), os.environ["PATH"]]
    runner = subprocess.Popen(words, stdout=subprocess.PIPE)
    assert runner.stdout is not None
    service = int(runner.stdout.readline())
    runner.kill()
    runner.wait()
    runner.stdout.close()
    done = clean(tmp_path / "runs")
    assert (done.ended, done.removed, done.kept) == ((), (), ())
    assert read_stat(service) is None
    assert not runtime.exists()


RUNNER = """
import json, os, signal, socket, subprocess, sys, time
runtime, log, path = sys.argv[1:]
ours, theirs = socket.socketpair()
call = [sys.executable, "-m", "tui.stack.supervisor", str(theirs.fileno()), runtime]
supervisor = subprocess.Popen(call, pass_fds=[theirs.fileno()])
theirs.close()
service = {
    "name": "app", "copy": 0, "argv": ["sh", "-c", "trap : TERM; sleep 60 & wait; wait"],
    "cwd": "/", "log": log, "cpus": [],
    "env": {"STACKDYNO_RUN": "0123456789abcdef", "HOME": runtime, "PATH": path}, "daemonises": False,
    "stop_signal": signal.SIGTERM, "stop_timeout": 1.0,
}
begin = {"do": "begin", "runtime": runtime, "leftovers": []}
for command in (begin, {"do": "start", "service": service, "uid": None, "gid": None}):
    ours.sendall(json.dumps(command).encode() + b"\\n")
said = b""
while b"started" not in said:
    said += ours.recv(1000)
print(json.loads(said.split(b"\\n")[0])["pid"], flush=True)
time.sleep(60)
"""


def test_what_its_supervisor_removes_meanwhile_is_no_fault(runtime, tmp_path, monkeypatch):
    note(runtime)

    def late():
        found = gone_runtimes()
        shutil.rmtree(runtime)
        return found

    monkeypatch.setattr("tui.record.cleaning.gone_runtimes", late)
    done = clean(tmp_path)
    assert (done.removed, done.kept) == ((), ())
    assert gone_runtimes() == []


def test_a_runtime_folder_is_removed_only_if_it_is_ours_and_its_run_is_gone(runtime, tmp_path):
    note_launch(runtime, None)
    assert gone_runtimes() == [], "its launcher is alive"
    note(runtime)
    assert gone_runtimes() == [runtime]
    link = Path(f"/tmp/stackdyno-{secrets.token_hex(4)}")
    link.symlink_to(runtime)
    try:
        assert gone_runtimes() == [runtime]
        clean(tmp_path)
        assert link.is_symlink()
    finally:
        link.unlink()
    assert not runtime.exists()


def test_a_note_that_someone_else_wrote_or_linked_counts_for_nothing(runtime, tmp_path):
    note(runtime)
    (runtime / NOTE).rename(tmp_path / "note")
    (runtime / NOTE).symlink_to(tmp_path / "note")
    assert gone_runtimes() == []
    (runtime / NOTE).unlink()
    os.link(tmp_path / "note", runtime / NOTE)
    assert gone_runtimes() == []
    (tmp_path / "note").unlink()
    assert gone_runtimes() == [runtime]
    if os.geteuid() == 0:
        os.chown(runtime / NOTE, 65534, -1)
        assert gone_runtimes() == []


def test_an_empty_folder_without_a_note_is_removed_once_it_is_old(runtime):
    assert runtime not in gone_runtimes()
    os.utime(runtime, (0, 0))
    assert runtime in gone_runtimes()
    (runtime / "of somebody").touch()
    os.utime(runtime, (0, 0))
    assert runtime not in gone_runtimes()


LAUNCHER = """
import os, sys
from functools import partial
from pathlib import Path
from tui.plan.runtime_folder import make_runtime_folder
from tui.record import record
from tui.record.running import note_launch

def stop(*arguments, **options):
    print("here", flush=True)
    sys.stdin.readline()

if sys.argv[2] == "folder":
    make_runtime_folder(stop)
made = make_runtime_folder(partial(note_launch, record=None))
if sys.argv[2] == "record":
    record.make_private_folder = stop
kept = record.create_record(Path(sys.argv[1]), "shop")
note_launch(made, kept.folder)
stop()
"""


@pytest.mark.parametrize(("where", "records"), [("folder", 0), ("record", 1), ("end", 1)])
def test_what_a_killed_launcher_had_begun_is_found_at_once(tmp_path: Path, where: str, records: int) -> None:
    """Wherever it was; and nothing of it while it lives."""
    words = [sys.executable, "-c", LAUNCHER, str(tmp_path), where]
    launcher = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert launcher.stdout is not None
    try:
        assert launcher.stdout.readline() == b"here\n"
        assert (gone_runtimes(), unlisted_records(tmp_path)) == ([], [])
    finally:
        launcher.kill()
        launcher.communicate()
    assert len(unlisted_records(tmp_path)) == records
    (runtime,) = gone_runtimes()
    assert len(clean(tmp_path).removed) == 1 + records
    assert list(tmp_path.iterdir()) == [] and not runtime.exists()


@pytest.fixture
def killed(runtime: Path, tmp_path: Path) -> Record:
    """A run that is gone, whose stack leaves ``tmp_path/left.*`` and found ``left.before`` there."""
    record = create_record(tmp_path / "runs", "shop")
    record.events_path.write_text("{}\n")
    (tmp_path / "left.before").touch()
    note_launch(runtime, record.folder, Leftovers([f"{tmp_path}/left.*"]))
    said = json.loads((runtime / NOTE).read_text())
    (runtime / NOTE).write_text(json.dumps({**said, **DEAD}))
    return record


def test_what_a_stack_left_is_removed_with_its_run_and_nothing_else(killed, runtime, tmp_path):
    (tmp_path / "left.folder").mkdir()
    (tmp_path / "left.folder" / "socket").touch()
    (tmp_path / "left.link").symlink_to(tmp_path / "left.before")
    os.utime(killed.events_path, (time.time() + 3,) * 2)
    (tmp_path / "other").touch()
    done = clean(tmp_path / "runs")
    assert done.removed == (tmp_path / "left.folder", tmp_path / "left.link", runtime)
    assert done.kept == ()
    assert {path.name for path in tmp_path.iterdir()} == {"runs", "left.before", "other"}


def test_what_was_changed_after_a_kill_is_removed_only_if_a_process_of_the_stack_has_it(
    killed, runtime, tmp_path, start
):
    os.utime(killed.events_path, (time.time() - 60,) * 2)
    (tmp_path / "left.log").touch()
    (tmp_path / "left.theirs").touch()
    script = f"file = open({str(tmp_path / 'left.log')!r}); "
    start(script + SLEEP, mark(runtime), tmp_path / "ours")
    done = clean(tmp_path / "runs")
    assert done.removed == (tmp_path / "left.log", runtime)
    assert done.kept == (
        f"{tmp_path}/left.theirs: left as it is, since it was changed after the run was killed",
    )


def test_what_a_living_run_may_use_stays_until_that_has_ended(killed, runtime, tmp_path):
    living = make_runtime_folder()
    try:
        (tmp_path / "left.a").touch()
        note_launch(living, None, Leftovers([f"{tmp_path}/*.a"]))
        done = clean(tmp_path / "runs")
        assert (done.removed, len(done.kept)) == ((), 1)
        assert done.kept[0].startswith(f"{tmp_path}/left.a: a living run may use it")
    finally:
        shutil.rmtree(living)
    assert clean(tmp_path / "runs").removed == (tmp_path / "left.a", runtime)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_what_another_user_has_is_no_leftover(killed, runtime, tmp_path):
    (tmp_path / "left.a").touch()
    os.chown(tmp_path / "left.a", 65534, -1)
    done = clean(tmp_path / "runs")
    assert (done.removed, done.kept) == ((runtime,), ())


def test_an_experiment_that_is_being_made_is_left_alone_until_it_is_old(tmp_path: Path) -> None:
    made = new_folder(tmp_path, "compare_a_b")
    assert unlisted_records(tmp_path) == []
    os.utime(made, (0, 0))
    assert unlisted_records(tmp_path) == [made]


def test_a_record_without_an_event_is_found_and_removed_unless_it_is_being_made(runtime, tmp_path):
    record = create_record(tmp_path, "shop")
    whole = create_record(tmp_path, "whole")
    whole.events_path.write_text("{}\n")
    foreign = create_record(tmp_path, "foreign")
    (foreign.folder / "thesis.tex").touch()
    (tmp_path / "no-record").mkdir()
    note_launch(runtime, record.folder)
    assert unlisted_records(tmp_path) == []
    note(runtime, record=str(record.folder))
    assert unlisted_records(tmp_path) == [record.folder]
    clean(tmp_path)
    assert not record.folder.exists()
    assert whole.folder.exists()
    assert foreign.folder.exists()


def test_a_look_is_cheap():
    look()
    began = time.process_time()
    for _ in range(5):
        look()
    number = len([name for name in os.listdir("/proc") if name.isdigit()])  # noqa: PTH208
    assert (time.process_time() - began) / 5 < 0.02 + number * 0.0005
