"""What ``attach``, ``screenshot`` and ``replay`` are opened on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import recorded_runs as runs
from tests.support.experiments import a_comparison
from tests.support.kept_runs import keep
from tui.console.screenshot import save_screenshot
from tui.console.shown import find_replayed, find_shown, printing_command
from tui.system.errors import UserError


def test_without_a_name_an_experiment_that_is_running_comes_before_its_newest_run(
    experiments, tmp_path: Path
) -> None:
    record = a_comparison(experiments, tmp_path)
    assert find_shown(None, tmp_path, experiments.is_running) == record
    experiments.end(record)
    newest = find_shown(None, tmp_path, experiments.is_running)
    assert newest.name == "whole-4"
    assert printing_command(newest) == "stackdyno export whole-4"


def test_a_name_is_that_of_a_run_or_an_experiment(experiments, tmp_path: Path) -> None:
    record = a_comparison(experiments, tmp_path, whole=1)
    for name in (record.name, record.name[:19], str(record.folder)):
        assert find_shown(name, tmp_path) == record
    assert find_shown("whole-1", tmp_path).name == "whole-1"
    assert printing_command(record) == f"stackdyno compare {record.name}"
    with pytest.raises(UserError, match="nonesuch: no such run"):
        find_shown("nonesuch", tmp_path)


def test_a_screenshot_of_an_experiment_has_its_comparison(experiments, tmp_path: Path) -> None:
    record = a_comparison(experiments, tmp_path)
    experiments.end(record)
    path = save_screenshot(record, tmp_path / "it.svg", (160, 48), profiles=None, runs=tmp_path)
    text = path.read_text().replace("&#160;", " ")
    assert all(part in text for part in ("requests/s", " against ", "PSS", "run 1 of 2"))


def test_a_screenshot_of_one_variant_is_refused(experiments, tmp_path: Path) -> None:
    record = a_comparison(experiments, tmp_path, whole=1)
    experiments.end(record, "stopped")
    with pytest.raises(UserError, match="fewer than two variants have a complete run"):
        save_screenshot(record, tmp_path / "it.svg", (160, 48), profiles=None, runs=tmp_path)


def test_a_run_is_drawn_as_before(tmp_path: Path) -> None:
    record = keep(tmp_path / "run", runs.finished())
    path = save_screenshot(record, tmp_path / "it.svg", (80, 24), profiles=None, runs=tmp_path)
    assert "Requests per second" in path.read_text().replace("&#160;", " ")


def test_only_a_run_that_is_over_is_replayed(experiments, tmp_path: Path) -> None:
    comparison = a_comparison(experiments, tmp_path, whole=1)
    assert find_replayed(None, tmp_path).name == find_replayed("whole-1", tmp_path).name == "whole-1"
    with pytest.raises(UserError) as caught:
        find_replayed(comparison.name, tmp_path)
    assert str(caught.value) == f"{comparison.name}: it has no screen to replay; name one of its runs"
    with pytest.raises(UserError) as caught:
        find_replayed("whole-1", tmp_path, lambda record: True)
    assert str(caught.value) == "whole-1 is still running; `stackdyno attach whole-1` shows it"
