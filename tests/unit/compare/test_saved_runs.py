"""Which saved runs make up a variant of a comparison."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from tests.support import story
from tests.support.kept_runs import ended, keep, named
from tui.compare.saved import is_saved, variants_of_profiles, variants_of_runs
from tui.record.events import Event, RunStarted
from tui.record.record import Record
from tui.system.errors import UserError


def here(events: list[Event]) -> list[Event]:
    """The same on this machine."""
    return [
        each.model_copy(
            update={"machine": each.machine.model_copy(update={"hostname": socket.gethostname()})}
        )
        if isinstance(each, RunStarted)
        else each
        for each in events
    ]


def kept(runs: Path, second: int, profile: str, events: list[Event] | None = None) -> Record:
    told = named(events or story.run(), profile, profile)
    return keep(runs / f"2026-12-01_10-00-{second:02}_{profile}", here(told))


def names(records: tuple[Record, ...]) -> list[str]:
    return [record.name[17:] for record in records]


def test_a_variant_is_one_run_or_several_joined_with_plus(tmp_path: Path) -> None:
    kept(tmp_path, 1, "a")
    kept(tmp_path, 2, "b")
    kept(tmp_path, 3, "a")
    texts = ["2026-12-01_10-00-03+2026-12-01_10-00-01", str(tmp_path / "2026-12-01_10-00-02_b")]
    one, other = variants_of_runs(texts, tmp_path)
    assert (one[0], names(one[1])) == ("a", ["01_a", "03_a"])
    assert (other[0], names(other[1])) == ("b", ["02_b"])
    assert all(is_saved(text, tmp_path) for text in texts)
    assert not is_saved("2026-12-01_10-00-01+nothing", tmp_path)


def test_a_plus_without_a_run_on_each_side_is_refused(tmp_path: Path) -> None:
    kept(tmp_path, 1, "a")
    kept(tmp_path, 2, "b")
    with pytest.raises(UserError, match=r'"2026-12-01_10-00-01\+": a run is missing before or after a \+'):
        variants_of_runs(["2026-12-01_10-00-01+", "2026-12-01_10-00-02"], tmp_path)


def test_variants_of_one_profile_are_told_apart_by_time(tmp_path: Path) -> None:
    kept(tmp_path, 1, "a")
    kept(tmp_path, 2, "a")
    found = variants_of_runs(["2026-12-01_10-00-01", "2026-12-01_10-00-02"], tmp_path)
    assert [label for label, _ in found] == ["a 12-01 10:00:01", "a 12-01 10:00:02"]


def test_all_mistakes_with_saved_runs_are_told_together(tmp_path: Path) -> None:
    kept(tmp_path, 1, "good")
    kept(tmp_path, 2, "failed", ended("failed", "gunicorn ended with status 1"))
    kept(tmp_path, 3, "cut", story.run(ended=False))
    with pytest.raises(UserError) as caught:
        variants_of_runs(["good+good+nothing", "failed+cut"], tmp_path)
    lines = str(caught.value).splitlines()
    assert [line.split(": ", 1)[1].split(",")[0].split(";")[0] for line in lines] == [
        "given twice",
        f"no such run in {tmp_path}",
        "it failed",
        "it was cut off",
    ]
    assert lines[2].endswith("nothing to compare: gunicorn ended with status 1")


def test_all_finished_runs_of_a_profile_of_this_machine_are_its_variant(tmp_path: Path) -> None:
    kept(tmp_path, 1, "a")
    kept(tmp_path, 2, "b")
    kept(tmp_path, 3, "a", ended("stopped", "it was asked to stop"))
    kept(tmp_path, 4, "a", ended("failed", "no"))
    kept(tmp_path, 5, "a")
    keep(tmp_path / "2026-12-01_10-00-06_a", named(story.run(), "a", "a"))  # of the machine "box"
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "events.jsonl").write_text("{")
    one, other = variants_of_profiles(["a", "b"], tmp_path)
    assert (one[0], names(one[1])) == ("a", ["01_a", "05_a"])
    assert (other[0], names(other[1])) == ("b", ["02_b"])


def test_a_profile_without_runs_is_one_line(tmp_path: Path) -> None:
    kept(tmp_path, 1, "gunicorn-sync")
    with pytest.raises(UserError) as caught:
        variants_of_profiles(["gunicorn-snc", "gunicorn-sync", "gunicorn-sync"], tmp_path)
    assert str(caught.value).splitlines() == [
        f'gunicorn-snc: no finished run of a profile "gunicorn-snc" in {tmp_path}; did you mean "gunicorn-sync"?',
        "gunicorn-sync: given twice",
    ]
