"""What is resumed, what is shown again, and what is wrong with a call of ``stackdyno suite``."""

from __future__ import annotations

import json
import re
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from tests.support import story
from tests.support.kept_runs import keep
from tui.commands.suite import run, suite_list
from tui.experiment.plan import Experiment
from tui.experiment.progress import ExperimentEnded, ProgressEvent, ProgressWriter, VariantRunEnded
from tui.experiment.record import ExperimentRecord, create_experiment
from tui.profile.catalogue import Catalogue
from tui.suite.experiment import experiment_of, is_as_written, newest_finished, unfinished
from tui.suite.loading import load_suite
from tui.system.errors import UserError

SUITE = """\
title = "Two of one"

[[variant]]
label   = "sync"
profile = "gunicorn-sync"

[[variant]]
label   = "threads"
profile = "gunicorn-gthread"

[[table]]
title = "Speed"
kind  = "speed"
"""
RUN = "2026-12-01_10-00-00_hello"


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(SUITE)
    return path


def experiment(suite: Path, **changes: Any) -> Experiment:
    catalogue = Catalogue()
    return experiment_of(load_suite(suite, catalogue), suite, catalogue, **changes)


def kept(runs: Path, told: Experiment, good: int, *more: ProgressEvent) -> ExperimentRecord:
    """An experiment of which the first runs are good."""
    record = create_experiment(runs, told)
    writer = ProgressWriter(record)
    for number in range(1, good + 1):
        writer.write(VariantRunEnded(number=number, record=RUN, verdict="good"))
    for event in more:
        writer.write(event)
    return record


def wanted(tmp_path: Path, suite: Path | str | None, **more: Any) -> Namespace:
    given: dict[str, Any] = {
        "suite": None if suite is None else str(suite),
        "profiles": None,
        "runs": tmp_path / "runs",
        "starts": None,
        "overrides": [],
        "format": "text",
        "output": None,
        "allow": [],
        "concurrent": False,
        "strict": False,
        "fresh": False,
        "show": False,
    }
    return Namespace(**({"trust": True, "with_secrets": False} | given | more))


def test_an_interrupted_one_of_the_same_content_is_gone_on_with(tmp_path: Path, suite: Path) -> None:
    told, runs = experiment(suite), tmp_path / "runs"
    assert unfinished(told, runs) is None
    record = kept(runs, told, 1)
    assert unfinished(told, runs) == record
    assert unfinished(experiment(suite, concurrent=True), runs) == record  # it continues as it began
    assert unfinished(experiment(suite, runs_each=2), runs) is None
    assert unfinished(experiment(suite, overrides=["workers=1"]), runs) is None
    suite.write_text(SUITE.replace('kind  = "speed"', 'kind  = "rounds"'))
    assert unfinished(experiment(suite), runs) == record  # other tables of the same runs
    suite.write_text(SUITE.replace("gunicorn-gthread", "gunicorn-uvicorn"))
    assert unfinished(experiment(suite), runs) is None
    other = tmp_path / "other.toml"
    other.write_text(SUITE)
    assert unfinished(experiment(other), runs) is None


def test_a_stopped_one_is_gone_on_with_and_a_complete_one_is_not(tmp_path: Path, suite: Path) -> None:
    told, runs = experiment(suite), tmp_path / "runs"
    stopped = kept(runs, told, 1, ExperimentEnded(verdict="stopped", reason="it was asked to stop"))
    assert unfinished(told, runs) == stopped
    with pytest.raises(UserError, match="mine: no finished run of this suite"):
        newest_finished(suite, runs)
    complete = kept(runs, told, 2, ExperimentEnded(verdict="complete"))
    assert unfinished(told, runs) is None
    assert newest_finished(suite, runs) == complete


def test_one_whose_variants_are_all_given_up_is_not_gone_on_with(tmp_path: Path, suite: Path) -> None:
    told, runs = experiment(suite, runs_each=3), tmp_path / "runs"
    failed = [
        VariantRunEnded(number=n, record=None, verdict="failed", reason="no port") for n in (1, 2, 3, 4)
    ]
    kept(runs, told, 0, *failed, ExperimentEnded(verdict="failed", reason="sync: no port"))
    assert unfinished(told, runs) is None


def test_a_damaged_one_is_passed_over(tmp_path: Path, suite: Path) -> None:
    told, runs = experiment(suite), tmp_path / "runs"
    record = kept(runs, told, 1)
    (create_experiment(runs, told).experiment_path).write_text("{")
    assert unfinished(told, runs) == record


def test_the_newest_finished_one_is_shown_again(
    tmp_path: Path, suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = tmp_path / "runs"
    keep(runs / RUN, story.run(rounds=3))
    record = kept(
        runs, experiment(suite), 1, VariantRunEnded(number=2, record=None, verdict="failed", reason="no port"),
        ExperimentEnded(verdict="complete"),
    )  # fmt: skip
    output = tmp_path / "out.json"
    assert run(wanted(tmp_path, suite, show=True, format="json", output=output)) == 1  # one run failed
    told = capsys.readouterr()
    assert (told.out, told.err) == (f"{output}\n", f"from {record.name}\n")
    read = json.loads(output.read_text())
    assert [row["record"] for row in read["tables"][0]["rows"]] == [RUN]
    assert read["tables"][0]["lacking"] == [["threads", "1 of 1 runs failed: no port"]]
    suite.write_text(SUITE.replace('label   = "threads"', 'label   = "many threads"'))
    assert run(wanted(tmp_path, suite, show=True)) == 1
    told = capsys.readouterr()
    assert "the suite's file has changed since: it now has other variants or settings" in told.err
    assert "many threads: not run" in told.out


def test_what_was_run_is_known_from_what_the_file_says_by_now(suite: Path) -> None:
    told = experiment(suite, overrides=["load.rounds=1"])  # set by the call, not by the file

    def still(text: str) -> bool:
        suite.write_text(text)
        return is_as_written(told, load_suite(suite, Catalogue()), suite)

    assert still(SUITE)
    assert still(SUITE.replace('kind  = "speed"', 'kind  = "memory"'))  # another table of the same runs
    assert not still(SUITE.replace("gunicorn-gthread", "gunicorn-uvicorn"))  # under the same label
    assert not still(SUITE.replace('"gunicorn-sync"', '"gunicorn-sync"\nset = ["workers=1"]'))
    assert not still(SUITE.replace('title = "Two of one"', 'title = "Two of one"\nset = ["workers=1"]'))


@pytest.mark.parametrize(
    ("name", "more", "said"),
    [
        ("no-such", {}, 'there is no suite "no-such"; known: articles-2006, articles-2008, articles-2009'),
        (
            None,
            {"concurrent": True, "starts": 2},
            "--starts and --concurrent can't be used here: without a suite, this only lists the suites",
        ),
        (None, {"show": True}, "--show can't be used here: without a suite, this only lists the suites"),
        (
            "mine.toml",
            {"show": True, "overrides": ["workers=1"]},
            "--set can't be used here: --show runs nothing",
        ),
        ("mine.toml", {"show": True}, "mine: no finished run of this suite in "),
        ("mine.toml", {"starts": 0}, "starts: found 0, but each variant needs at least 1"),
        ("mine.toml", {"overrides": ["workers"]}, "--set workers: write KEY=VALUE"),
        ("mine.toml", {"allow": ["overlapp"]}, "--allow overlapp: no finding has that code"),
        ("mine.toml", {"output": Path("/no/such/folder/x")}, "there is no folder /no/such/folder"),
    ],
)
def test_a_mistake_is_one_clear_line(
    tmp_path: Path,
    suite: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str | None,
    more: dict[str, Any],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError) as caught:
        run(wanted(tmp_path, name, **more))
    assert said in str(caught.value) and "\n" not in str(caught.value)
    assert not (tmp_path / "runs").exists()


def test_suites_are_listed_with_their_starts_and_times_and_broken_ones_too(tmp_path: Path) -> None:
    (tmp_path / "suites").mkdir()
    (tmp_path / "suites" / "mine.toml").write_text(SUITE)
    (tmp_path / "suites" / "odd.toml").write_text('title = "odd"\n')
    lines = suite_list(Catalogue(extra=tmp_path)).splitlines()
    assert lines[0].split() == ["NAME", "TITLE", "RUNS", "TIME"]
    told = {line.split()[0]: line for line in lines[1:]}
    assert {"articles-2006", "articles-2008", "articles-2009", "mine", "odd"} <= set(told)
    assert re.search(r"Two of one +2 +about ", told["mine"])
    assert "broken: " in told["odd"] and "variant: missing" in told["odd"] and "(and 1 more)" in told["odd"]
    assert lines[0].index("TIME") < 100  # what is wrong stands last, so that it moves no column
