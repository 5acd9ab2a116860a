"""Snapshots of the system before and after: real leftovers, and strangers that came meanwhile."""

import os
import socket
from pathlib import Path

import pytest

from tests.support.sampled_programs import Start, as_another_user, eventually
from tui.system.procfs import Identity, read_stat
from tui.system.snapshot import MARKER, Evidence, Left, Snapshot, compare, default_places, holder_of_port

RUN = "run-4711"
MARKED = {MARKER: RUN}

WAITS = "print('ready', flush=True); input()"

LISTENS = """
import socket
server = socket.create_server(('127.0.0.1', 0))
print(f'port={server.getsockname()[1]}', flush=True)
input()
"""

LISTENS_ON = """
import os, socket
server = socket.socket(socket.AF_UNIX)
server.bind(os.environ['AT'].replace('@', chr(0)))
server.listen()
print('ready', flush=True)
input()
"""

CHILD_WITHOUT_ENVIRONMENT = """
import os, sys
child = os.fork()
if not child:
    os.execve(sys.executable, [sys.executable, '-S', '-c', 'import sys; sys.stdin.read()'], {})
print(f'child={child}', flush=True)
input()
"""

MAKES_SHARED_MEMORY = """
import ctypes
libc = ctypes.CDLL(None)
segment = libc.shmget(0, 4096, 0o1600)
print(f'segment={segment}', flush=True)
input()
libc.shmctl(segment, 0, None)
print('removed', flush=True)
input()
"""


def identity(pid: int) -> Identity:
    stat = read_stat(pid)
    assert stat is not None
    return stat.identity


def of(pid: int, lefts: tuple[Left, ...]) -> Left | None:
    return next((left for left in lefts if left.identity and left.identity.pid == pid), None)


def named(text: str, lefts: tuple[Left, ...]) -> list[Left]:
    return [left for left in lefts if text in left.what]


@pytest.fixture
def before(tmp_path: Path) -> Snapshot:
    return Snapshot.take([tmp_path])


def test_a_process_with_the_runs_marker_is_ours_and_a_strangers_is_not(
    before: Snapshot, start: Start
) -> None:
    ours, stranger = start(WAITS, env=MARKED), start(WAITS, env={MARKER: "another run"})
    found = compare(before, Snapshot.take([]), Evidence(RUN))
    left = of(ours.pid, found.processes)
    assert left is not None
    assert str(left).startswith(f"pid {ours.pid} ")
    assert str(left).endswith(f"{WAITS} (has STACKDYNO_RUN=run-4711 in its environment)")
    assert found
    assert found.to_end == (identity(ours.pid),)
    assert of(stranger.pid, found.processes) is None
    assert of(stranger.pid, found.unrelated) is not None


def test_a_process_seen_below_the_supervisor_is_ours_without_a_marker(before: Snapshot, start: Start) -> None:
    program = start(WAITS, env={})
    found = compare(before, Snapshot.take([]), Evidence(RUN, identities={identity(program.pid)}))
    assert found.to_end == (identity(program.pid),)


def test_a_stranger_that_got_the_pid_of_one_of_ours_is_a_stranger(before: Snapshot, start: Start) -> None:
    program = start(WAITS, env={})
    earlier = Identity(program.pid, identity(program.pid).start - 100)
    found = compare(before, Snapshot.take([]), Evidence(RUN, identities={earlier}))
    assert not found
    assert of(program.pid, found.unrelated) is not None


def test_a_child_of_ours_is_ours_when_it_dropped_the_environment(before: Snapshot, start: Start) -> None:
    program = start(CHILD_WITHOUT_ENVIRONMENT, env=MARKED)
    child = program.the("child")
    # In the middle of its exec a process has neither environment nor arguments.
    eventually(lambda: Path(f"/proc/{child}/cmdline").read_bytes() != b"")
    eventually(lambda: Path(f"/proc/{child}/environ").read_bytes() == b"")
    found = compare(before, Snapshot.take([]), Evidence(RUN))
    left = of(child, found.processes)
    assert left is not None
    assert (left.why, left.certain) == (f"a child of pid {program.pid}", True)


@pytest.mark.parametrize("how", ["command line", "folder", "file"])
def test_who_only_uses_the_runs_folder_is_named_but_not_to_be_ended(
    how: str, before: Snapshot, start: Start, tmp_path: Path
) -> None:
    runtime = tmp_path / "sd-1"
    runtime.mkdir()
    (runtime / "log").touch()
    if how == "command line":
        program = start(WAITS, str(runtime / "log"), env={})
    elif how == "folder":
        program = start(WAITS, env={}, cwd=runtime)
    else:
        with (runtime / "log").open() as log:
            program = start(WAITS, env={}, stderr=log)
    found = compare(before, Snapshot.take([]), Evidence(RUN, runtime=runtime))
    left = of(program.pid, found.processes)
    assert left is not None
    assert str(runtime) in left.why
    assert found
    assert found.to_end == ()
    other = Evidence(RUN, runtime=tmp_path / "sd")
    assert of(program.pid, compare(before, Snapshot.take([]), other).processes) is None


def test_a_process_that_was_there_before_is_not_left(start: Start) -> None:
    program = start(WAITS, env=MARKED)
    found = compare(Snapshot.take([]), Snapshot.take([]), Evidence(RUN))
    assert of(program.pid, found.processes + found.unrelated) is None
    assert not found


def test_a_zombie_or_a_process_that_ended_since_is_not_left(before: Snapshot, start: Start) -> None:
    program = start(WAITS, env=MARKED)
    after = Snapshot.take([])
    assert identity(program.pid) in after.processes
    program.process.kill()
    eventually(lambda: identity(program.pid) not in Snapshot.take([]).processes)  # a zombie
    assert not compare(before, after, Evidence(RUN))
    program.process.wait()
    assert not compare(before, after, Evidence(RUN))


def test_a_listening_socket_is_ours_by_its_holder_or_by_its_port(before: Snapshot, start: Start) -> None:
    ours, given, stranger = start(LISTENS, env=MARKED), start(LISTENS), start(LISTENS)
    found = compare(before, Snapshot.take([]), Evidence(RUN, ports={given.the("port")}))
    by_holder = f"listening socket 127.0.0.1:{ours.the('port')} (held by pid {ours.pid})"
    by_port = f"listening socket 127.0.0.1:{given.the('port')} (given to this run)"
    assert {str(left) for left in found.sockets} == {by_holder, by_port}
    assert named(f"127.0.0.1:{stranger.the('port')}", found.unrelated)
    assert found.to_end == (identity(ours.pid),)


def test_unix_sockets_are_ours_by_path_and_abstract_ones_are_seen(
    before: Snapshot, start: Start, tmp_path: Path
) -> None:
    runtime, elsewhere, external = (
        tmp_path / "sd/a.sock",
        tmp_path / "b.sock",
        f"@stackdyno-test-{os.getpid()}",
    )
    runtime.parent.mkdir()
    for path in (runtime, elsewhere, external):
        start(LISTENS_ON, env={"AT": str(path)})
    evidence = Evidence(RUN, runtime=runtime.parent, socket_paths={str(elsewhere)})
    found = compare(before, Snapshot.take([]), evidence)
    assert {str(left) for left in found.sockets} == {
        f"listening socket unix:{runtime} (in {runtime.parent})",
        f"listening socket unix:{elsewhere} (given to this run)",
    }
    assert named(external, found.unrelated)


def test_a_server_that_was_started_again_at_the_same_place_is_nothing_new() -> None:
    with socket.create_server(("::1", 0), family=socket.AF_INET6) as first:
        port = first.getsockname()[1]
        before = Snapshot.take([])
    with socket.create_server(("::1", port), family=socket.AF_INET6):
        after = Snapshot.take([])
        assert {str(each) for each in after.sockets if each.port == port} == {f"[::1]:{port}"}
        found = compare(before, after, Evidence(RUN, ports={port}))
    assert not found.sockets


def test_known_leftovers_the_runs_folder_and_files_in_use_are_ours(
    before: Snapshot, start: Start, tmp_path: Path
) -> None:
    (tmp_path / "passenger.abc").touch()
    (tmp_path / "stranger").touch()
    (tmp_path / "sd-1").mkdir()
    with (tmp_path / "lock").open("w") as lock:
        program = start(WAITS, env=MARKED, stderr=lock)
    pattern = f"{tmp_path}/passenger.*"
    evidence = Evidence(RUN, runtime=tmp_path / "sd-1", leftovers=[pattern])
    found = compare(before, Snapshot.take([tmp_path], [pattern]), evidence)
    assert {str(left) for left in found.files} == {
        f"{tmp_path}/passenger.abc (this stack leaves {pattern})",
        f"{tmp_path}/sd-1 (the run's own folder)",
        f"{tmp_path}/lock (in use by pid {program.pid})",
    }
    assert [left.what for left in named(str(tmp_path / "stranger"), found.unrelated)] == [
        f"{tmp_path}/stranger"
    ]


def test_leftovers_are_found_below_the_places_and_under_hidden_names(tmp_path: Path) -> None:
    pattern = f"{tmp_path}/deep/*/gunicorn*.ctl"
    before = Snapshot.take([], [pattern])
    (tmp_path / "deep/.hidden").mkdir(parents=True)
    (tmp_path / "deep/.hidden/gunicorn-1.ctl").touch()
    found = compare(before, Snapshot.take([], [pattern]), Evidence(RUN, leftovers=[pattern]))
    assert [left.what for left in found.files] == [f"{tmp_path}/deep/.hidden/gunicorn-1.ctl"]


def test_system_v_shared_memory_is_ours_by_the_process_that_made_it(before: Snapshot, start: Start) -> None:
    program = start(MAKES_SHARED_MEMORY, env={})
    evidence = Evidence(RUN, identities={identity(program.pid)})
    after = Snapshot.take([])
    left = f"shared memory segment {program.the('segment')}"
    assert [str(each) for each in compare(before, after, evidence).shared_memory] == [
        f"{left} (made by pid {program.pid})"
    ]
    assert named(left, compare(before, after, Evidence(RUN)).unrelated)
    program.go_on()
    assert not compare(before, Snapshot.take([]), evidence).shared_memory


def test_the_places_exist_and_have_the_temporary_folder() -> None:
    assert Path("/tmp") in default_places()
    assert all(place.is_dir() for place in default_places())


def test_the_holder_of_a_port_is_named(start: Start) -> None:
    program = start(LISTENS)
    assert (
        holder_of_port(program.the("port"))
        == f"pid {program.pid} {' '.join(program.process.args)}".replace("\n", " ").rstrip()
    )


def test_a_free_port_has_no_holder() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert holder_of_port(port) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_holder_that_may_not_be_looked_into_is_named_by_its_user(start: Start) -> None:
    port = start(LISTENS).the("port")
    assert as_another_user(lambda: holder_of_port(port)) == "a process of user root"
