"""Everything that a person can get wrong, through the real command line: one clear line, and nothing is left."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import Command, Finished, processes_of
from tests.support.forked import Process
from tui.system.procfs import every_process, read_cmdline

PROFILE = """\
title = "mine"
stack = "gunicorn"
app   = "hello"

[load]
connections = 2
duration    = "300ms"
warmup      = "100ms"
rounds      = 2
"""
OWN = PROFILE.replace('app   = "hello"', 'app   = { path = "shop", entry = "shop:app" }')

Refused = Callable[..., list[str]]


def runtime_folders() -> set[Path]:
    return {path for path in Path("/tmp").glob("stackdyno-*") if path.is_dir()}


def forgotten(before: set[Path]) -> set[Path]:
    """New runtime folders that no run is using (one that does listens there), after a while for those that begin."""
    deadline = time.monotonic() + 5
    while found := {path for path in runtime_folders() - before if not (path / "stackdyno.control").exists()}:
        if time.monotonic() > deadline:
            break
        time.sleep(0.05)
    return found


def one_line_each(done: Finished) -> list[str]:
    """What a refused command said, a mistake a line; of several the head tells how many."""
    assert (done.status, done.out) == (2, ""), done
    assert "Traceback" not in done.err
    assert done.err.startswith("stackdyno: ")
    first, *lines = done.err.removeprefix("stackdyno: ").splitlines()
    if not lines:
        return [first]
    assert first == f"{len(lines)} problems:"
    assert all(line.startswith("  ") for line in lines)
    return [line.removeprefix("  ") for line in lines]


@pytest.fixture
def refused(stackdyno: Command) -> Refused:
    """Runs a profile that can't be run; its lines. Nothing of the attempt is left, and no record."""

    def run(*arguments: str) -> list[str]:
        before = runtime_folders()
        lines = one_line_each(stackdyno.run(*arguments))
        assert forgotten(before) == set()
        assert list(stackdyno.runs.glob("*")) == []
        ours = str(stackdyno.runs)
        assert not [stat for stat in every_process() if ours in (read_cmdline(stat.pid) or "")]
        return lines

    return run


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "profiles" / "mine.toml"
    path.parent.mkdir()
    path.write_text(PROFILE)
    return path


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("connections =", "conections =", ':6: load.conections: unknown key; did you mean "connections"?'),
        (
            "connections = 2",
            'connections = "2"',
            ':6: load.connections: found "2"; a whole number is allowed',
        ),
        (
            '"gunicorn"',
            '"gunicron"',
            ':2: stack: found "gunicron", and there is no such stack; did you mean "gunicorn"?',
        ),
        ('"hello"', '"helo"', ':3: app: found "helo", and there is no such app; did you mean "hello"?'),
        (
            "[load]",
            "options = { backlg = 3 }\n[load]",
            ':5: options.backlg: the stack "gunicorn" has no such option; did you mean "backlog"?',
        ),
        ('title = "mine"', "title =", ": isn't valid TOML: invalid value (at line 1, column 8)"),
    ],
)
def test_a_mistake_in_the_file(
    stackdyno: Command, refused: Refused, mine: Path, old: str, new: str, line: str
) -> None:
    assert old in PROFILE
    mine.write_text(PROFILE.replace(old, new))
    assert refused(str(mine)) == [f"{mine}{line}"]
    checked = stackdyno("profiles", "check", str(mine))
    assert (checked.status, checked.out, checked.err) == (2, f"{mine}{line}\n", "")


def test_all_mistakes_of_all_files_at_once(stackdyno: Command, refused: Refused, mine: Path) -> None:
    mine.write_text(PROFILE.replace("connections", "conections").replace('"mine"', "3") + 'cpus = "x"\n')
    found = refused(str(mine))
    assert [line.removeprefix(str(mine)).split(": ")[:2] for line in found] == [
        [":1", "title"], [":10", "load.cpus"], [":6", "load.conections"],
    ]  # fmt: skip
    other = mine.with_name("other.toml")
    other.write_text(PROFILE.replace("rounds", "ronds"))
    last = f'{other}:9: load.ronds: unknown key; did you mean "rounds"?'
    checked = stackdyno("profiles", "check", str(mine), str(other))
    assert (checked.status, checked.out.splitlines()) == (2, [*found, last])
    of_all = stackdyno("--profiles", str(mine.parent), "profiles", "check")
    assert (of_all.status, of_all.out) == (2, checked.out)
    listed = stackdyno("--profiles", str(mine.parent), "profiles")
    assert listed.status == 0
    assert f"broken: {found[0]} (and 2 more)" in listed.out


def test_what_this_machine_has_not_comes_at_once_too(
    stackdyno: Command, refused: Refused, mine: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
        words = ("cpus=8191", "user=nobody-knows", "load.keepalive=true", f"options.port={port}")
        lines = refused(str(mine), *[word for each in words for word in ("--set", each)])
    assert lines[0] == 'mine: user: found "nobody-knows", but this machine has no such user'
    assert lines[1].startswith("mine: cpus: found CPU 8191, which this machine doesn't have; usable: ")
    assert lines[2].startswith(
        'mine: load.keepalive: found true, but the stack "gunicorn" keeps no connections'
    )
    assert lines[3].startswith(f"mine: port {port} is in use by pid {os.getpid()} ")
    assert lines[3].endswith("; choose another, or 0 for a free one")
    assert len(lines) == 4
    mine.write_text('cpus = "8191"\n' + PROFILE)
    listed = stackdyno("--profiles", str(mine.parent), "profiles")
    assert lines[1] in listed.out


def write_stack(mine: Path, text: str) -> None:
    """A stack called odd, next to the profiles."""
    folder = mine.parent / "stacks" / "odd"
    folder.mkdir(parents=True)
    service = '[[services]]\nname = "odd"\ncommand = ["sleep", "60"]\n'
    (folder / "stack.toml").write_text(f'title = "odd"\ninterface = "wsgi"\n{text}\n{service}')
    mine.write_text(PROFILE.replace('"gunicorn"', '"odd"'))


def test_a_program_that_isnt_installed(stackdyno: Command, refused: Refused, mine: Path) -> None:
    needs = '[[requires]]\nprogram = "stackdyno-never-installed"\ninstall = "apt install it"\n'
    write_stack(mine, f'address = "127.0.0.1:1"\n{needs}')
    line = "needs stackdyno-never-installed: apt install it"
    profiles = ("--profiles", str(mine.parent))
    assert one_line_each(stackdyno(*profiles, "run", "mine", "--concurrent")) == [f"mine: {line}"]
    assert f"auto  {line}\n" in stackdyno(*profiles, "profiles").out
    checked = stackdyno(*profiles, "profiles", "check", str(mine))
    assert (checked.status, checked.out) == (
        0,
        "1 file checked: no problems\n",
    )  # nothing is wrong with the file


def test_a_unix_socket_whose_path_is_too_long(stackdyno: Command, mine: Path) -> None:
    name = "s" * 90
    write_stack(mine, f'sockets = ["{name}"]\naddress = "unix:{{{{ sockets.{name} }}}}"')
    before = runtime_folders()
    (line,) = one_line_each(stackdyno("--profiles", str(mine.parent), "run", "mine", "--concurrent"))
    assert line.startswith("mine: the path of the unix socket /tmp/stackdyno-")
    assert f"/{name}.sock has 119 bytes, but at most 107 are allowed; choose a shorter socket name" in line
    assert forgotten(before) == set()


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("gunicorn-sinc", 'there is no profile "gunicorn-sinc"; did you mean "gunicorn-sync"?'),
        ("./nowhere.toml", "nowhere.toml: can't be read: No such file or directory"),
        ("gunicorn-sync --set workers=x", '--set workers=x: found "x"; a whole number is allowed'),
        ("gunicorn-sync --set lod.rounds=3", '--set lod.rounds=3: unknown key; did you mean "load"?'),
        (
            "gunicorn-sync --set rounds",
            '--set rounds: write KEY=VALUE, such as "load.requests=2000" or "options.preload=false"',
        ),
    ],
)
def test_a_mistake_in_the_call(refused: Refused, words: str, line: str) -> None:
    assert refused(*words.split()) == [line]


@dataclass
class Failure:
    """A profile that can be started and can't be measured, and the reason that is expected."""

    profile: str
    overrides: tuple[str, ...]
    reason: str


FAILURES = {
    "the app's module isn't there": Failure(
        OWN,
        (),
        "gunicorn ended with status 3 before it answered: ModuleNotFoundError: No module named 'shop'",
    ),
    "an import raises": Failure(
        OWN,
        ("app.entry=crash:app",),
        "gunicorn ended with status 3 before it answered: crash.NoDatabase: none at port 5432",
    ),
    "the app isn't in its module": Failure(
        OWN,
        ("app.entry=well:nothing",),
        "gunicorn ended with status 4 before it answered: Failed to find attribute 'nothing' in 'well'",
    ),
    "the import exits": Failure(OWN, ("app.entry=quits:app",), ""),
    "the path answers 404": Failure(
        PROFILE,
        ("load.path=/nowhere",),
        "GET /nowhere gives status 404, expected 200; set load.path or [expect] in the profile",
    ),
    "the body is another": Failure(
        PROFILE,
        ("expect.body=Good morning",),
        "GET / gives the body 'Hello, world!\\n', expected 'Good morning'; set load.path or [expect] in the profile",
    ),
}


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, tuple[Command, Finished]]]:
    """All of these runs, concurrently."""
    folder = tmp_path_factory.mktemp("failures")
    (folder / "shop").mkdir()
    (folder / "shop" / "crash.py").write_text(
        "class NoDatabase(Exception):\n    pass\n\n\nraise NoDatabase('none at port 5432')\n"
    )
    (folder / "shop" / "quits.py").write_text("import sys\n\nsys.exit('no database at port 5432')\n")
    (folder / "shop" / "well.py").write_text("def app(environ, start_response):\n    return []\n")
    running: dict[str, tuple[Command, Process]] = {}
    for number, (name, failure) in enumerate(FAILURES.items()):
        profile = folder / f"mine{number}.toml"
        profile.write_text(failure.profile)
        words = [word for each in failure.overrides for word in ("--set", each)]
        command = Command(folder / str(number))
        running[name] = command, command.start(str(profile), *words, "--format", "json")
    ended = {}
    for name, (command, process) in running.items():
        out, err = process.communicate(timeout=90)
        ended[name] = command, Finished(process.returncode, out, err)
    yield ended


@pytest.mark.parametrize("name", [name for name, failure in FAILURES.items() if failure.reason])
def test_a_run_that_fails_says_why(failed: dict[str, tuple[Command, Finished]], name: str) -> None:
    command, done = failed[name]
    summary: dict[str, Any] = done.summary
    assert done.status == 1
    assert summary["reason"] == FAILURES[name].reason
    assert done.err == f"stackdyno: Failed: {summary['reason']}.\n"
    assert "Traceback" not in str(summary | {"log_tail": []})  # the server's own log is quoted as it is
    assert (summary["verdict"], summary["rounds"], summary["left_running"]) == ("failed", [], [])
    assert processes_of(summary["run"]) == []
    assert (command.record.logs / "runner.err").read_text() == ""
    assert not Path(json.loads(command.record.plan_path.read_text())["plan"]["runtime"]).exists()


def test_workers_that_end_again_and_again_are_not_waited_for(
    failed: dict[str, tuple[Command, Finished]],
) -> None:
    _, done = failed["the import exits"]
    assert done.status == 1
    found = re.fullmatch(
        r"(\d+) workers ended one after another before it answered: no database at port 5432",
        done.summary["reason"],
    )
    assert found is not None, done.summary["reason"]
    assert int(found[1]) >= 5
    assert any("no database at port 5432" in line for line in done.summary["log_tail"])
    assert processes_of(done.summary["run"]) == []


def test_a_failed_run_is_exported_and_shown_like_any_other(
    failed: dict[str, tuple[Command, Finished]],
) -> None:
    command, done = failed["an import raises"]
    exported = command("export", "--format", "text")
    assert (exported.status, exported.err) == (0, "")
    assert f"\n{done.summary['sentence']}\n" in exported.out
    assert "  crash.NoDatabase: none at port 5432\n" in exported.out
    name = command.record.name
    assert one_line_each(command("export", "nosuch")) == [
        f"nosuch: no such run in {command.runs}; the newest is {name}"
    ]
    for shown in ("attach", "replay"):
        assert one_line_each(command(shown)) == [
            f"the console needs a terminal; without one type: stackdyno export {name}"
        ]


@pytest.mark.parametrize(
    "words", ["export", "export nosuch", "attach", "attach nosuch", "replay", "replay nosuch"]
)
def test_where_no_run_is_kept(stackdyno: Command, words: str) -> None:
    assert one_line_each(stackdyno(*words.split())) == [
        f"{stackdyno.runs}: no runs yet; start one with `stackdyno run PROFILE`"
    ]


def test_without_a_terminal_the_console_says_what_to_type(stackdyno: Command) -> None:
    assert one_line_each(stackdyno()) == [
        "the console needs a terminal; without one type: stackdyno run PROFILE"
    ]


def test_folders_that_arent_there(refused: Refused, tmp_path: Path) -> None:
    assert refused("gunicorn-sync", "--profiles", str(tmp_path / "none")) == [
        f"--profiles {tmp_path}/none: no such folder"
    ]
    (tmp_path / "file").touch()
    assert refused("gunicorn-sync", "--runs", str(tmp_path / "file")) == [
        f"{tmp_path}/file: can't keep a run there (File exists); choose --runs DIR"
    ]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("nosuch", "invalid choice: 'nosuch'"),
        ("run", "the following arguments are required: PROFILE"),
        ("run gunicorn-sync more", "unrecognized arguments: more"),
        ("run gunicorn-sync --format xml", "invalid choice: 'xml'"),
        ("profiles chekc", "invalid choice: 'chekc'"),
        ("export --colour", "unrecognized arguments: --colour"),
    ],
)
def test_wrong_usage_shows_the_usage(stackdyno: Command, words: str, complaint: str) -> None:
    done = stackdyno(*words.split())
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("usage: stackdyno")
    assert complaint in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("words", ["profiles", "profiles check", "--help"])
def test_who_reads_no_further_gets_no_complaint(stackdyno: Command, words: str) -> None:
    read, write = os.pipe()
    os.close(read)
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    command = stackdyno.words(*words.split())
    with os.fdopen(write, "wb") as closed:
        done = subprocess.run(
            command, stdout=closed, stderr=subprocess.PIPE, env=buffered, timeout=60, check=False
        )
    assert (done.returncode, done.stderr) == (141, b"")


def test_a_full_disk_is_one_line(stackdyno: Command) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            stackdyno.words("profiles"), stdout=full, stderr=subprocess.PIPE, timeout=60, check=False
        )
    assert (done.returncode, done.stderr) == (1, b"stackdyno: No space left on device\n")
