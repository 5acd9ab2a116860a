"""The kept runs from the command line: listed, and deleted after consent."""

from __future__ import annotations

import json

import pytest

from tests.support import story
from tests.support.command import Command
from tests.support.kept_runs import ended, keep, named
from tests.support.questions import on_a_terminal


@pytest.fixture
def kept(stackdyno: Command) -> Command:
    keep(stackdyno.runs / "2026-12-01_10-00-00_hello", story.run())
    keep(
        stackdyno.runs / "2026-12-02_10-00-00_shop",
        named(story.run(bad=400), "shop", "Shop", stack="php-fpm"),
    )
    keep(
        stackdyno.runs / "2026-12-03_10-00-00_shop",
        named(ended("failed", "no"), "shop", "Shop", stack="php-fpm"),
    )
    return stackdyno


def test_the_list_is_newest_first_and_marks_what_is_invalid(kept: Command) -> None:
    done = kept("history")
    assert (done.status, done.err) == (0, "")
    head, *lines = done.out.splitlines()
    assert head.split() == ["RUN", "REQ/S", "P99", "MEMORY", "VERDICT", "STACK"]
    assert [line.split()[0] for line in lines] == [
        "2026-12-03_10-00-00_shop",
        "2026-12-02_10-00-00_shop",
        "2026-12-01_10-00-00_hello",
    ]
    assert lines[0].split()[1:] == ["–", "–", "✗", "30.0", "MB", "failed", "php-fpm"]
    assert "✗ 1,000  ✗ 5.00 ms    60.0 MB  rate and latency invalid" in lines[1]
    assert "  1,000    5.00 ms    60.0 MB  good" in lines[2]


def test_the_list_can_be_narrowed(kept: Command) -> None:
    assert kept("history", "--stack", "gunicorn").out.count("2026-12") == 1
    assert kept("history", "--profile", "shop").out.count("2026-12") == 2
    none = kept("history", "--profile", "shop", "--stack", "puma")
    assert (none.status, none.out) == (0, "")
    assert none.err == f"no run of stack puma profile shop among the 3 in {kept.runs}\n"


def test_the_list_as_json(kept: Command) -> None:
    told = json.loads(kept("history", "--format", "json").out)
    assert (told["schema"], told["schema_version"]) == ("stackdyno/history", 1)
    failed, invalid, good = told["runs"]
    assert (failed["verdict"], failed["requests_per_second"], failed["p99"]) == ("failed", None, None)
    assert (invalid["verdict"], invalid["invalid"]) == ("invalid", ["rate", "latency"])
    assert (good["requests_per_second"], good["memory"], good["rounds"]) == (1000.0, 60_000_000, 2)


def test_without_runs_it_says_what_to_do(stackdyno: Command) -> None:
    done = stackdyno("history")
    assert (done.status, done.out) == (0, "")
    assert done.err == f"no runs yet in {stackdyno.runs}; start one with `stackdyno run PROFILE`\n"


def test_delete_asks_and_yes_deletes_only_that_run(kept: Command) -> None:
    status, shown = on_a_terminal(kept.words("delete", "2026-12-02"), b"y\n")
    assert status == 0
    assert "Delete 2026-12-02_10-00-00_shop and everything in it? [y/N] y" in shown
    assert sorted(path.name[:10] for path in kept.runs.iterdir()) == ["2026-12-01", "2026-12-03"]


@pytest.mark.parametrize("answer", [b"\n", b"n\n"])
def test_anything_but_yes_keeps_it(kept: Command, answer: bytes) -> None:
    status, shown = on_a_terminal(kept.words("delete", "2026-12-02_10-00-00_shop"), answer)
    assert status == 1
    assert shown.endswith("kept 2026-12-02_10-00-00_shop\n")
    assert len(list(kept.runs.iterdir())) == 3


def test_a_script_needs_yes_and_the_whole_name(kept: Command) -> None:
    unasked = kept("delete", "2026-12-02_10-00-00_shop")
    assert unasked.status == 2
    assert unasked.err == ("stackdyno: deleting a run needs your consent; without a terminal, add --yes\n")
    vague = kept("delete", "shop", "--yes")
    assert vague.status == 2
    assert "--yes needs the full name; the newest match is 2026-12-03_10-00-00_shop" in vague.err
    assert len(list(kept.runs.iterdir())) == 3
    done = kept("delete", "2026-12-02_10-00-00_shop", "--yes")
    assert (done.status, done.out) == (0, "deleted 2026-12-02_10-00-00_shop\n")
    assert len(list(kept.runs.iterdir())) == 2
