"""Where profiles are found, in which order, and what comes of them."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.profiles import GOOD
from tui.profile.catalogue import Catalogue, shipped_folder
from tui.profile.models import OwnApp, Profile
from tui.system.errors import UserError

Write = Callable[..., str]
FIRST = ["gunicorn-sync", "gunicorn-preload", "nginx-gunicorn"]
SHIPPED = Catalogue(search=[shipped_folder()]).names()


def test_the_shipped_profiles_hold_and_the_default_comes_first() -> None:
    catalogue = Catalogue(search=[shipped_folder()])
    assert catalogue.names()[:3] == FIRST
    assert catalogue.default_profile() == "gunicorn-sync"
    assert [problem for path in catalogue.files() for problem in catalogue.check(path)] == []


def test_the_default_profile_takes_about_15_seconds_and_needs_nothing_else_than_gunicorn() -> None:
    catalogue = Catalogue(search=[shipped_folder()])
    profile = catalogue.load("gunicorn-sync")
    load = profile.load
    assert load.duration is not None
    assert 9 <= load.warmup + load.rounds * load.duration <= 13
    assert (profile.workers, profile.app, load.keepalive) == (2, "hello", False)
    first, *others = catalogue.stack(profile.stack)[0].requires
    assert (first.module, first.when) == ("gunicorn", "true")
    assert all("options.worker_class == 'uvicorn'" in needed.when for needed in others)


def test_the_examples_hold_but_arent_listed() -> None:
    catalogue = Catalogue(search=[shipped_folder()])
    examples = sorted((shipped_folder() / "examples").glob("*.toml"))
    assert [path.stem for path in examples] == ["external", "own-app"]
    assert [problem for path in examples for problem in catalogue.check(path)] == []
    assert not {path.stem for path in examples} & set(catalogue.names())


def test_the_first_folder_that_has_a_name_wins(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
        (folder / "both.toml").write_text(GOOD.replace('"mine"', f'"{folder.name}"'))
        (folder / f"only-{folder.name}.toml").write_text(GOOD)
    catalogue = Catalogue(search=[second, shipped_folder()], extra=first)
    assert catalogue.load("both").title == "first"
    assert catalogue.names() == [*SHIPPED, "both", "only-first", "only-second"]


def test_a_stack_and_an_app_of_ones_own_stand_in_for_the_shipped(catalogue: Catalogue, folder: Path) -> None:
    for kind, name, file in (("stacks", "gunicorn", "stack.toml"), ("apps", "hello", "app.toml")):
        (folder / kind / name).mkdir(parents=True)
        text = (shipped_folder() / kind / name / file).read_text()
        (folder / kind / name / file).write_text(
            text.replace('"gunicorn"\n', '"own"\n', 1).replace('"hello:', '"own:')
        )
    assert catalogue.stack("gunicorn")[0].title == "own"
    assert catalogue.stack("gunicorn")[1] == folder / "stacks" / "gunicorn"
    assert catalogue.app("hello")[1] == folder / "apps" / "hello"


def test_the_users_folder_comes_before_the_shipped_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert Catalogue().folders == (tmp_path / "stackdyno" / "profiles", shipped_folder())


def test_a_folder_that_isnt_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=f"--profiles {tmp_path}/x: no such folder"):
        Catalogue(extra=tmp_path / "x")


def test_a_broken_profile_is_an_entry_with_its_problems(catalogue: Catalogue, write: Write) -> None:
    write(GOOD + "colour = 1\n", "broken")
    write("title =", "unread")
    write("order = 1\n" + GOOD, "first")
    entries = {entry.name: entry for entry in catalogue.entries()}
    assert list(entries) == ["first", *SHIPPED, "broken", "unread"]
    broken = entries["broken"]
    assert (broken.title, broken.stack, broken.workers) == ("mine", "gunicorn", None)
    assert [problem.where for problem in broken.problems] == ["load.colour"]
    assert len(entries["unread"].problems) == 1
    good = entries["first"]
    assert (good.title, good.stack, good.workers, good.cpus, good.problems) == (
        "mine",
        "gunicorn",
        1,
        "auto",
        (),
    )
    assert catalogue.default_profile() == "first"


def test_no_usable_profile_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no usable profile in"):
        Catalogue(search=[tmp_path]).default_profile()


def test_a_resolved_profile_round_trips_through_json(catalogue: Catalogue, write: Write) -> None:
    text = GOOD.replace('app     = "hello"', 'cpus = "0-1,3"').replace(
        "[load]", '[app]\npath = "shop"\nentry = "x:y"\n[expect]\ncontains = "hi"\n[load]\ntimeout = "1500ms"'
    )
    profile = catalogue.load(write(text))
    assert Profile.model_validate_json(profile.model_dump_json()) == profile
    written = json.loads(profile.model_dump_json())
    assert (written["cpus"], written["load"]["timeout"], written["load"]["warmup"]) == (
        "0-1,3",
        "1500ms",
        "2s",
    ) or (written["load"]["timeout"] == "1.5s")
    assert written["options"]["timeout"] == "30s"


def test_paths_are_relative_to_the_profiles_folder(catalogue: Catalogue, folder: Path, write: Write) -> None:
    table = '[app]\npath = "../shop"\nentry = "x:y"\npython = ".venv"\n[load]'
    name = write(GOOD.replace('app     = "hello"\n', "").replace("[load]", table))
    app = catalogue.load(str(folder / f"{name}.toml")).app
    assert isinstance(app, OwnApp)
    assert app.path == str(folder.parent.resolve() / "shop")
    assert app.python == ".venv"  # relative to the app's folder, where it is looked up


def test_the_apps_path_is_asked_for_where_the_profile_names_none(catalogue: Catalogue, folder: Path) -> None:
    catalogue = Catalogue(search=[folder], extra=Path(__file__).parents[2] / "relay")
    assert catalogue.load("relay").load.path == "/greeting"
    assert catalogue.load("relay", ["load.path=/x"]).load.path == "/x"


def test_the_titles_of_the_shipped_profiles_fit_next_to_their_digits() -> None:
    """The list of profiles has 34 cells, the digit included."""
    titles = {entry.name: entry.title for entry in Catalogue([shipped_folder()]).entries()}
    assert len(titles) > 40
    assert {name: title for name, title in titles.items() if len(title) > 32} == {}
