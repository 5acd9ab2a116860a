"""Someone without privilege: a run as good as root's, and one line for everything that is closed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.checking import check, every_worker
from tests.support.command import SHORT, Command
from tests.support.environments import open_folder

OWN = """\
title = "mine"
stack = "gunicorn"

[app]
path  = "{path}"
entry = "shop:app"

[load]
connections = 1
requests    = 1
"""


@pytest.fixture
def closed() -> Iterator[Path]:
    """A folder below an open one that nobody but root may pass."""
    with open_folder() as folder:
        (folder / "closed").mkdir()
        (folder / "closed").chmod(0)
        yield folder / "closed"
        (folder / "closed").chmod(0o700)


def test_a_whole_run(ordinary: Command) -> None:
    done = ordinary.run("gunicorn-sync", *SHORT, "--set", "load.requests=300", "--format", "json")
    assert done.out, done.err
    summary = done.summary
    check(summary)
    assert (done.status, done.err) == (0, "")
    assert len(every_worker(summary)) == 2
    assert summary["stack"]["user"] is None
    assert ordinary.record.summary_path.read_text() == done.out
    assert ordinary("export", "--format", "json").out == done.out


def one_line(ordinary: Command, *arguments: str) -> str:
    done = ordinary(*arguments)
    assert (done.status, done.out) == (2, ""), done
    assert done.err.startswith("stackdyno: ")
    assert done.err.count("\n") == 1, done.err
    return done.err.removeprefix("stackdyno: ").strip()


def test_an_app_that_we_cant_read_ourselves(ordinary: Command, closed: Path) -> None:
    profile = closed.parent / "mine.toml"
    profile.write_text(OWN.format(path=f"{closed}/shop"))
    line = one_line(ordinary, "run", str(profile), "--concurrent")
    assert f" can't read {closed}/shop: {closed} is d--------- " in line
    assert line.endswith("access, put it elsewhere, or become another user")
    checked = ordinary("profiles", "check", str(profile))
    assert (checked.status, checked.out, checked.err) == (2, line + "\n", "")
    listed = ordinary("--profiles", str(closed.parent), "profiles")
    assert (listed.status, listed.err) == (0, "")
    assert line in listed.out
    own = ("--set", f"app.path={closed.parent}", "--set", f"app.python={closed}/venv")
    shown = one_line(ordinary, "run", str(profile), "--concurrent", *own)
    assert f" can't read {closed}/venv: {closed} is d--------- " in shown


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ("run {closed}/mine.toml", "{closed}/mine.toml: can't be read: Permission denied"),
        ("--profiles {closed} run mine", "--profiles {closed}: can't be read: Permission denied"),
        ("--profiles {closed}/more profiles", "--profiles {closed}/more: can't be read: Permission denied"),
        ("--runs {closed} export", "{closed}: can't be read (Permission denied); choose --runs DIR"),
        (
            "--runs {closed}/runs run gunicorn-sync --concurrent",
            "{closed}/runs: can't keep a run there (Permission denied); choose --runs DIR",
        ),
        (
            "run gunicorn-sync --beside --set user=root",
            'gunicorn-sync: user: found "root", but only root can start a stack as another user; leave out user',
        ),
    ],
)
def test_what_is_closed_is_one_line(ordinary: Command, closed: Path, arguments: str, line: str) -> None:
    said = one_line(ordinary, *arguments.format(closed=closed).split())
    assert said == line.format(closed=closed)
