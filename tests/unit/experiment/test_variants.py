"""What a person writes for a variant."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui.experiment.variants import parse_variants, split_overrides


@pytest.mark.parametrize(
    ("text", "profile", "overrides"),
    [
        ("gunicorn-sync", "gunicorn-sync", ()),
        ("gunicorn-sync,workers=2", "gunicorn-sync", ("workers=2",)),
        ("shop,cpus=0,1", "shop", ("cpus=0,1",)),
        ("shop,cpus=0,1,workers=2", "shop", ("cpus=0,1", "workers=2")),
        ("shop,load.cpus=0-3,8,options.preload=false", "shop", ("load.cpus=0-3,8", "options.preload=false")),
        ('shop,load.headers={A="1",B="2"},workers=2', "shop", ('load.headers={A="1",B="2"}', "workers=2")),
        ('x,load.body="a,b=c",workers=2', "x", ('load.body="a,b=c"', "workers=2")),
        ('x,load.command=["wrk","-d=1","{{ url }}"]', "x", ('load.command=["wrk","-d=1","{{ url }}"]',)),
        ("./a,b/shop.toml,workers=2", "./a,b/shop.toml", ("workers=2",)),
    ],
)  # fmt: skip
def test_commas_part_overrides_only(text: str, profile: str, overrides: tuple[str, ...]) -> None:
    assert split_overrides(text) == (profile, overrides)


def test_what_an_variant_sets_itself_comes_after_what_is_set_for_all() -> None:
    one, other = parse_variants(["a,workers=4", "b"], ["workers=2"])
    assert one.overrides == ("workers=2", "workers=4")
    assert other.overrides == ("workers=2",)
    assert (one.label, other.label) == ("a,workers=4", "b")


@pytest.mark.parametrize(
    ("setting", "label"),
    [
        ("load.headers.Authorization=Bearer x1", "shop,load.headers.Authorization=***"),
        ('load.headers={Cookie="sid=1"}', "shop,load.headers=***"),
        ("app.env.DEBUG=1", "shop,app.env.DEBUG=***"),
        ("options.url=http://me:pw@host/", "shop,url=***"),
        ("load.path=/?token=abc", "shop,load.path=***"),
        ("load.headers.Accept=text/html", "shop,load.headers.Accept=text/html"),
    ],
)
def test_a_label_has_no_secret_but_the_run_does(setting: str, label: str) -> None:
    (variant,) = parse_variants([f"shop,{setting}"])
    assert (variant.label, variant.overrides) == (label, (setting,))


def test_a_label_has_neither_folders_nor_the_word_options() -> None:
    (variant,) = parse_variants(["profiles/shop.toml,options.preload=false"])
    assert variant.label == "shop,preload=false"
    assert variant.profile == str(Path.cwd() / "profiles/shop.toml")


def test_labels_differ_and_are_not_endless() -> None:
    labels = [each.label for each in parse_variants(["a", "a", "a", f"b,load.path=/{'x' * 100}"])]
    assert labels[:3] == ["a", "a (2)", "a (3)"]
    assert len(labels[3]) == 60
