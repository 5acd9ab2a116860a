"""Files from elsewhere start nothing until somebody has agreed to them, once and as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui.experiment.launch import launch_experiment, require_experiment_trust
from tui.experiment.plan import Experiment, Variant
from tui.plan.trust import NotTrusted, remember, require_trust
from tui.profile.catalogue import Catalogue
from tui.run.launch import launch

PROFILE = """\
title = "mine"
stack = "gunicorn"
app   = "hello"

[load]
connections = 1
requests    = 1
"""


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folders, empty."""
    for kind in ("STATE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(tmp_path / kind.lower()))
    return tmp_path / "state" / "stackdyno"


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "elsewhere" / "mine.toml"
    path.parent.mkdir()
    path.write_text(PROFILE)
    return path


def refused(mine: Path, extra: Path | None = None) -> NotTrusted:
    with pytest.raises(NotTrusted) as refusal:
        require_trust(Catalogue(extra=extra), [mine], lambda: ["a: b"], trust=False)
    return refusal.value


def test_a_profile_from_elsewhere_is_asked_about_once_and_again_when_it_changes(mine: Path) -> None:
    refusal = refused(mine)
    assert refusal.commands == ("a: b",)
    assert str(refusal) == (
        f"{mine}: not trusted yet, and it says which programs are started; read it, then add --trust"
    )
    remember(refusal.digests)
    require_trust(Catalogue(), [mine], list, trust=False)
    mine.write_text(PROFILE + "# changed")
    refused(mine)
    mine.write_text(PROFILE)
    require_trust(Catalogue(), [mine], list, trust=False)
    copy = mine.parent / "copy.toml"  # elsewhere the same text may mean other files
    copy.write_text(PROFILE)
    refused(copy)


def test_trust_that_is_given_is_remembered_for_this_user_only(mine: Path, state: Path) -> None:
    require_trust(Catalogue(), [mine], list, trust=True)
    require_trust(Catalogue(), [mine], list, trust=False)
    memory = state / "trusted"
    assert (memory.stat().st_mode & 0o777, memory.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_the_shipped_folder_and_the_users_own_are_trusted(tmp_path: Path) -> None:
    own = tmp_path / "config" / "stackdyno" / "profiles" / "mine.toml"
    own.parent.mkdir(parents=True)
    own.write_text(PROFILE)
    catalogue = Catalogue()
    require_trust(catalogue, [own, catalogue.path("gunicorn-sync")], list, trust=False)
    require_trust(Catalogue(extra=own.parent), [own], list, trust=False)
    link = own.with_name("link.toml")
    link.symlink_to(tmp_path / "elsewhere.toml")
    refused(link)


@pytest.mark.parametrize(
    "name", ["stacks/gunicorn/stack.toml", "stacks/x/gunicorn.conf", "apps/hello/app.py"]
)
def test_stacks_and_apps_of_a_folder_that_is_given_count_too(mine: Path, name: str) -> None:
    extra = mine.parent
    remember(refused(mine, extra).digests)
    require_trust(Catalogue(extra=extra), [mine], list, trust=False)
    (extra / name).parent.mkdir(parents=True)
    (extra / name).write_text("first")
    refusal = refused(mine, extra)
    assert refusal.places == (str(extra / name.partition("/")[0]),)
    remember(refusal.digests)
    require_trust(Catalogue(extra=extra), [mine], list, trust=False)
    (extra / name).write_text("second")
    refused(mine, extra)


def test_a_run_of_an_untrusted_profile_starts_nothing_and_says_what_it_would(
    mine: Path, tmp_path: Path
) -> None:
    with pytest.raises(NotTrusted) as refusal:
        launch(str(mine), runs=tmp_path / "runs", concurrent=True)
    assert any(" -m gunicorn " in line or "gunicorn" in line for line in refusal.value.commands)
    assert not (tmp_path / "runs").exists()


def test_an_experiment_is_made_from_its_suite_too(mine: Path, tmp_path: Path) -> None:
    suite = mine.parent / "suite.toml"
    suite.write_text("")
    shipped = Variant(label="a", profile="gunicorn-sync")
    own = Variant(label="b", profile=str(mine))
    told = Experiment(kind="suite", title="t", variants=(shipped, own), runs_each=1, suite=suite)
    with pytest.raises(NotTrusted) as refusal:
        launch_experiment(told, tmp_path / "runs")
    assert refusal.value.places == (str(suite), str(mine))
    assert not (tmp_path / "runs").exists()
    require_experiment_trust(told, trust=True)
    require_experiment_trust(told)
    suite.write_text("# changed")
    with pytest.raises(NotTrusted):
        require_experiment_trust(told)
