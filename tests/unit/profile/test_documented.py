"""What ships is documented, and the documentation's own example holds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.documented import ROOT, STACKS, write_walk_through
from tui.profile.catalogue import Catalogue, shipped_folder


def test_every_stack_and_every_profile_is_in_the_table() -> None:
    stacks = {path.parent.name for path in shipped_folder().glob("stacks/*/stack.toml")}
    rows = {found[1]: row for row in STACKS.splitlines() if (found := re.match(r"\| `([\w-]+)` \|", row))}
    assert stacks <= set(rows)
    for entry in Catalogue([shipped_folder()]).entries():
        assert f"`{entry.name}`" in rows[entry.stack], f"{entry.name} is not in the row of {entry.stack}"


def test_every_app_is_in_the_table() -> None:
    apps = {path.parent.name for path in shipped_folder().glob("apps/*/app.toml")}
    assert apps <= set(re.findall(r"^\| `([\w-]+)` \|", STACKS, re.MULTILINE))


def test_the_walk_through_has_no_mistakes(tmp_path: Path) -> None:
    write_walk_through(tmp_path)
    catalogue = Catalogue(extra=tmp_path)
    for path in (tmp_path / "wsgiref.toml", tmp_path / "stacks" / "wsgiref" / "stack.toml"):
        assert catalogue.check(path) == []


def test_the_readme_names_the_profiles_that_it_runs() -> None:
    named = set(re.findall(r"stackdyno run ([\w-]+)", (ROOT / "README.md").read_text()))
    assert named - {"shop"} <= set(Catalogue([shipped_folder()]).names())


@pytest.mark.parametrize(
    "page", ["README.md", "CHANGELOG.md", *(f"docs/{path.name}" for path in ROOT.glob("docs/*.md"))]
)
def test_links_into_the_repository_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text()
    links = [link for link in re.findall(r"\]\(([^)#\s]+)", text) if ":" not in link]
    assert [link for link in links if not ((ROOT / page).parent / link).exists()] == []
