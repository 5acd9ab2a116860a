"""The folders of experiments among those of runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tui.experiment.plan import Experiment, Kind, Variant
from tui.experiment.process import is_running, request_stop
from tui.experiment.progress import ProgressWriter, VariantRunBegan, read_progress
from tui.experiment.record import ExperimentRecord, create_experiment, find_experiment, list_experiments
from tui.record.record import create_record, list_records
from tui.system.errors import UserError


def experiment(*labels: str, kind: Kind = "comparison", suite: Path | None = None) -> Experiment:
    variants = tuple(Variant(label=label, profile="p") for label in labels)
    return Experiment(kind=kind, title="One and two", variants=variants, runs_each=2, suite=suite)


def test_a_experiment_is_read_as_it_was_created_and_is_the_owners(tmp_path: Path) -> None:
    told = experiment("gunicorn-sync,workers=2", "gunicorn-sync,workers=4")
    record = create_experiment(tmp_path, told)
    assert record.read() == told
    assert record.folder.stat().st_mode & 0o777 == 0o700
    assert record.name[19:] == "_compare_gunicorn-sync-workers=2_gunicorn-sync-workers=4"
    assert record.runs == tmp_path
    assert not is_running(record)


def test_a_experiment_of_many_has_a_name_of_bounded_length(tmp_path: Path) -> None:
    record = create_experiment(tmp_path, experiment(*(f"a-rather-long-label-{n}" for n in range(20))))
    assert len(record.name) < 100


def test_a_suite_is_named_by_its_file(tmp_path: Path) -> None:
    record = create_experiment(tmp_path, experiment("a", kind="suite", suite=Path("/s/articles-2009.toml")))
    assert record.name[19:] == "_suite_articles-2009"
    assert record.kind == "suite"


def test_a_comparison_of_what_is_called_suite_is_no_suite(tmp_path: Path) -> None:
    assert create_experiment(tmp_path, experiment("my_suite_a", "b")).kind == "comparison"


def test_runs_and_experiments_share_a_folder(tmp_path: Path) -> None:
    run = create_record(tmp_path, "a")
    run.events_path.touch()
    record = create_experiment(tmp_path, experiment("a", "b"))
    assert list_records(tmp_path) == [run]
    assert list_experiments(tmp_path) == [record]


def test_newest_come_first_and_a_damaged_one_does_not_hide_the_others(tmp_path: Path) -> None:
    old = create_experiment(tmp_path, experiment("a", "b"))
    damaged = tmp_path / "2999-01-01_00-00-00_compare_x"
    damaged.mkdir()
    (damaged / "campaign.json").write_text("{")
    assert list_experiments(tmp_path) == [ExperimentRecord(damaged), old]
    with pytest.raises(UserError, match=r"campaign\.json: damaged"):
        find_experiment(None, tmp_path).read()


def test_a_experiment_is_found_by_folder_name_beginning_and_end(tmp_path: Path) -> None:
    record = create_experiment(tmp_path, experiment("a", "b"))
    for name in (str(record.folder), record.name, record.name[:22], "compare_a_b", None):
        assert find_experiment(name, tmp_path) == record
    with pytest.raises(UserError, match=r"nothing: no such experiment .*the newest is"):
        find_experiment("nothing", tmp_path)


def test_comparisons_and_suites_can_be_told_apart(tmp_path: Path) -> None:
    comparison = create_experiment(tmp_path, experiment("a", "b"))
    suite = create_experiment(tmp_path, experiment("a", kind="suite"))
    assert list_experiments(tmp_path, "suite") == [suite]
    assert find_experiment(None, tmp_path, "comparison") == comparison


def test_there_are_none_where_there_is_no_folder(tmp_path: Path) -> None:
    assert list_experiments(tmp_path / "nowhere") == []
    with pytest.raises(UserError, match="no comparison yet"):
        find_experiment(None, tmp_path / "nowhere", "comparison")


def test_one_that_does_not_go_on_cannot_be_stopped(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="isn't running"):
        request_stop(create_experiment(tmp_path, experiment("a", "b")))


OLD_CAMPAIGN = """{
 "schema_version": 1, "kind": "comparison", "title": "a against b",
 "entrants": [{"label": "a", "profile": "p", "overrides": ["workers=2"], "allow": []}, {"label": "b", "profile": "q"}],
 "starts": 6, "primary": "memory", "profiles": null, "allow": [], "beside": true, "suite": null, "left_out": []
}"""
OLD_PROGRESS = """\
{"type":"campaign-began","wall":1.0,"expected":[9.0,null]}
{"type":"start-began","number":1,"record":"one"}
{"type":"start-ended","number":1,"record":"one","verdict":"good","reason":null,"seconds":9.5}
{"type":"campaign-ended","verdict":"stopped","reason":"it was asked to stop"}
"""


def test_one_that_was_written_when_experiments_were_campaigns_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "2026-01-01_00-00-00_compare_a_b"
    folder.mkdir()
    (folder / "campaign.json").write_text(OLD_CAMPAIGN)
    (folder / "progress.jsonl").write_text(OLD_PROGRESS)
    (record,) = list_experiments(tmp_path)
    progress = read_progress(record)
    assert [variant.label for variant in progress.experiment.variants] == ["a", "b"]
    assert progress.experiment.concurrent
    assert progress.records_of(0) == ("one",)
    assert progress.ended is not None


def test_what_is_written_has_the_keys_that_it_always_had(tmp_path: Path) -> None:
    record = create_experiment(tmp_path, experiment("a", "b"))
    assert json.loads(record.experiment_path.read_text()).keys() == json.loads(OLD_CAMPAIGN).keys()
    writer = ProgressWriter(record)
    writer.write(VariantRunBegan(number=1, record="one"))
    writer.close()
    assert record.progress_path.read_text() == '{"type":"start-began","number":1,"record":"one"}\n'
