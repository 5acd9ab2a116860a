"""Listing and checking profiles starts nothing that they name, and no template does more than render."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tui.commands.profiles import check_files, profile_table
from tui.console.profiles.reading import read_profiles
from tui.plan.planning import make_plan, requirements_missing
from tui.profile.catalogue import Catalogue, shipped_folder
from tui.system.errors import UserError

STACK = """\
title     = "odd"
interface = {interface}
python    = {python}
address   = "127.0.0.1:{{{{ ports.http }}}}"
workers   = {workers}

[[ports]]
name = "http"

[[files]]
path     = "odd.conf"
template = "odd.conf"

[[services]]
name    = "odd"
command = ["sh", "-c", {argument}]
"""
PROFILE = """\
title = "mine"
stack = "odd"
app   = "hello"

[load]
connections = 1
requests    = 1
"""
PLAIN = {"interface": '"wsgi"', "python": '""', "workers": "1", "argument": '"true"', "file": "plain"}


ESCAPES = {
    "cycler": "cycler.__init__.__globals__.os",
    "lipsum": "lipsum.__globals__['os']",
    "self": "self.__init__.__globals__.os",
}
"""Ways from a template to Python's ``os``."""


def write_stack(folder: Path, name: str = "odd", **changes: str) -> None:
    """A stack of this name and a profile ``mine-NAME`` for it."""
    texts = PLAIN | changes
    place = folder / "stacks" / name
    place.mkdir(parents=True, exist_ok=True)
    (place / "odd.conf").write_text(texts.pop("file"))
    (place / "stack.toml").write_text(STACK.format(**texts))
    (folder / f"mine-{name}.toml").write_text(PROFILE.replace('"odd"', f'"{name}"'))


def test_a_template_runs_no_code(tmp_path: Path) -> None:
    """One list of profiles that each try it in another place by another way."""
    markers = {f"{place}-{way}": tmp_path / f"ran-{place}-{way}" for place in PLAIN for way in ESCAPES}
    for name, marker in markers.items():
        place, way = name.split("-")
        code = f"{{{{ {ESCAPES[way]}.system('touch {marker}') }}}}"
        write_stack(tmp_path, name, **{place: code if place == "file" else f'"{code}"'})
    table = profile_table(tmp_path)
    assert all(f"mine-{name}" in table for name in markers)
    check_files(tmp_path, [])
    rows, _ = read_profiles(tmp_path)
    assert {f"mine-{name}" for name in markers} <= {row.name for row in rows}
    catalogue = Catalogue(search=[tmp_path, shipped_folder()])
    for name, marker in markers.items():
        with pytest.raises(UserError, match=r"is unsafe|uses something undefined"):
            make_plan(
                catalogue.load(f"mine-{name}"), catalogue, run_id="r", runtime=Path("/tmp/x"), logs=tmp_path
            )
        assert not marker.exists(), name


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("{{ 1 // 0 }}", "division"),
        ("{{ range(10 ** 9) | list }}", "too big"),
        ("{{ 'x'.y.z }}", "undefined"),
    ],
)
def test_a_template_that_fails_is_told_in_a_line(tmp_path: Path, code: str, told: str) -> None:
    write_stack(tmp_path, workers=f'"{code}"')
    catalogue = Catalogue(search=[tmp_path, shipped_folder()])
    with pytest.raises(UserError, match=f"stack.toml: workers: .*{told}"):
        make_plan(catalogue.load("mine-odd"), catalogue, run_id="r", runtime=Path("/tmp/x"), logs=tmp_path)


def test_an_apps_interpreter_is_asked_by_a_run_only(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    (tmp_path / "bin").mkdir()
    python = tmp_path / "bin" / "python"
    python.write_text(f"#!/bin/sh\ntouch {marker}\nexit 1\n")
    python.chmod(0o755)
    app = f'app = {{ path = ".", entry = "x:y", python = "{python}" }}'
    text = PROFILE.replace('app   = "hello"', app).replace('"odd"', '"gunicorn"')
    (tmp_path / "mine.toml").write_text(text)
    catalogue = Catalogue(search=[tmp_path, shipped_folder()])
    profile_table(tmp_path)
    check_files(tmp_path, [])
    read_profiles(tmp_path)
    assert requirements_missing(catalogue.load("mine"), catalogue) == []
    assert not marker.exists()
    with pytest.raises(UserError, match="gunicorn isn't installed in"):
        make_plan(catalogue.load("mine"), catalogue, run_id="r", runtime=Path("/tmp/x"), logs=tmp_path)
    assert marker.exists()


def test_a_required_module_of_ours_is_looked_up_without_importing_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tui.plan.checks import has_module

    (tmp_path / "loud").mkdir()
    (tmp_path / "loud" / "__init__.py").write_text("raise SystemExit('was imported')")
    (tmp_path / "loud" / "voice.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    assert has_module(sys.executable, "loud.voice", ask=True)
    assert not has_module(sys.executable, "loud.silence", ask=True)
    assert not has_module(sys.executable, "nobody.knows", ask=True)
