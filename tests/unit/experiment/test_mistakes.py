"""What prevents an experiment is reported at once, and nothing is started."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui.experiment.launch import launch_experiment, resume_experiment
from tui.experiment.plan import Experiment, Variant
from tui.experiment.progress import ProgressWriter, VariantRunEnded
from tui.experiment.record import create_experiment
from tui.system.errors import UserError


def experiment(*variants: Variant, runs_each: int = 2, **more: object) -> Experiment:
    told = {"kind": "comparison", "title": "t", "variants": variants, "runs_each": runs_each} | more
    return Experiment.model_validate(told)


def refusal(told: Experiment, runs: Path) -> list[str]:
    with pytest.raises(UserError) as caught:
        launch_experiment(told, runs)
    assert not runs.exists()
    return str(caught.value).splitlines()


def test_all_mistakes_of_all_variants_are_told_together(tmp_path: Path) -> None:
    told = experiment(
        Variant(label="a", profile="gunicorn-snc"),
        Variant(label="b", profile="gunicorn-sync", overrides=("workers=x", "options.sockets=3")),
        runs_each=1,
        allow=("overlapp",),
    )
    lines = refusal(told, tmp_path / "runs")
    assert len(lines) == 5
    assert lines[0] == "starts: found 1, but each variant needs at least 2"
    assert lines[1].startswith("--allow overlapp: no finding has that code")
    assert lines[2] == 'a: there is no profile "gunicorn-snc"; did you mean "gunicorn-sync"?'
    assert any(line.startswith("b: --set workers=x: ") for line in lines[3:])
    assert any(line.startswith("b: --set options.sockets=3: ") for line in lines[3:])


def test_a_mistake_of_all_variants_is_one_line(tmp_path: Path) -> None:
    variants = [Variant(label=label, profile="gunicorn-sync", overrides=("colour=3",)) for label in "ab"]
    (line,) = refusal(experiment(*variants), tmp_path / "runs")
    assert line.startswith("--set colour=3: unknown key")


def test_what_the_machine_lacks_is_told_before_the_start(tmp_path: Path) -> None:
    app = 'app={path="/", entry="x:y", python="/nowhere/python"}'
    a, b = (
        Variant(label="a", profile="gunicorn-sync"),
        Variant(label="b", profile="gunicorn-sync", overrides=(app,)),
    )
    (line,) = refusal(experiment(a, b), tmp_path / "runs")
    assert line.startswith("b: ")
    assert "/nowhere/python" in line


def test_a_missing_folder_of_profiles_is_one_line(tmp_path: Path) -> None:
    a = Variant(label="a", profile="gunicorn-sync")
    (line,) = refusal(experiment(a, a, profiles=tmp_path / "none"), tmp_path / "runs")
    assert line == f"--profiles {tmp_path / 'none'}: no such folder"


def test_another_machine_is_no_place_for_a_experiment(tmp_path: Path) -> None:
    (tmp_path / "far.toml").write_text(
        'title = "far"\nstack = "external"\n[options]\nurl = "http://192.0.2.1:80/"\n'
        "[load]\nconnections = 1\nrequests = 1\n"
    )
    far = Variant(label="far", profile="far", overrides=("allow_remote=true",))
    near = Variant(label="near", profile="gunicorn-sync")
    lines = refusal(experiment(near, far, profiles=tmp_path), tmp_path / "runs")
    assert lines == [
        "far: http://192.0.2.1:80/ is on another machine (192.0.2.1:80); only a single run may load another machine"
    ]


def test_a_complete_experiment_is_not_resumed(tmp_path: Path) -> None:
    record = create_experiment(
        tmp_path, experiment(Variant(label="a", profile="x"), Variant(label="b", profile="y"))
    )
    writer = ProgressWriter(record)
    for number in range(1, 5):
        writer.write(VariantRunEnded(number=number, record=f"run-{number}", verdict="good"))
    with pytest.raises(UserError, match="nothing is left to do"):
        resume_experiment(record)
