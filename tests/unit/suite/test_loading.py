"""Where suites are found, and everything a person can get wrong in one: a clear line each, all at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tui.commands.profiles import check_files
from tui.profile.catalogue import Catalogue, shipped_folder
from tui.suite.experiment import expected_of, experiment_of
from tui.suite.loading import check_suite, find_suite, is_suite, load_suite, named_suites
from tui.system.errors import UserError

GOOD = """\
title = "mine"
set   = ["workers=1"]

[[variant]]
label   = "with"
profile = "gunicorn-preload"

[[variant]]
label   = "without"
profile = "gunicorn-preload"
set     = ["options.preload=false", "workers=2"]
allow   = ["overlap"]

[[table]]
title    = "Memory"
kind     = "rounds"
variants = ["with", "without"]

[[question]]
text     = "saved?"
quantity = "memory"
of       = "with"
over     = "without"
"""

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    monkeypatch.chdir(tmp_path)

    def written(text: str = GOOD, name: str = "mine", folder: str = "suites") -> Path:
        path = tmp_path / folder / f"{name}.toml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    return written


def lines(path: Path, catalogue: Catalogue | None = None) -> list[str]:
    return [str(problem) for problem in check_suite(path, catalogue or Catalogue())]


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ('title = "mine"', "", "suites/mine.toml: title: missing; what the suite shows, in a few words"),
        ('title = "mine"', "titel = 1", 'suites/mine.toml:1: titel: unknown key; did you mean "title"?'),
        ('title = "mine"', 'title = "m"\nstarts = 0',
         "suites/mine.toml:2: starts: found 0; at least 1 is allowed"),
        ('["workers=1"]', '"workers=1"', 'suites/mine.toml:2: set: found "workers=1"; a list is allowed'),
        ('["workers=1"]', '["workers"]',
         'suites/mine.toml:2: set[0]: found "workers"; write KEY=VALUE, such as "workers=8"'),
        ('kind     = "rounds"', 'kind     = "round"',
         'suites/mine.toml:16: table[0].kind: found "round"; allowed: "speed", "memory" or "rounds"'),
        ('["with", "without"]', '["with", "wihtout"]',
         'suites/mine.toml:17: table[0].variants[1]: found "wihtout", but no variant has that label; '
         'did you mean "without"?'),
        ('over     = "without"', 'over     = "with"',
         'suites/mine.toml:23: question[0].over: found "with", the same variant as in of; name another variant'),
        ('of       = "with"', 'of       = "xxx"',
         'suites/mine.toml:22: question[0].of: found "xxx", but no variant has that label; known: with, without'),
        ('quantity = "memory"', 'quantity = "memroy"', 'suites/mine.toml:21: question[0].quantity: found "memroy"; '
         'allowed: "rate", "p50", "p99", "cpu", "memory", "cold-start" or "idle-memory"'),
        ('["overlap"]', '["overlapp"]', 'suites/mine.toml:12: variant[1].allow: found "overlapp", but no finding has '
         "that code; see docs/findings.md"),
        ('profile = "gunicorn-preload"\nset', 'profile = "gunicorn-prelaod"\nset',
         'suites/mine.toml:10: variant[1].profile: there is no profile "gunicorn-prelaod"; '
         'did you mean "gunicorn-preload"?'),
        ("options.preload=false", "options.prelod=false",
         "suites/mine.toml:10: variant[1].profile: --set options.prelod=false: the stack "
         '"gunicorn" has no such option; did you mean "preload"?'),
    ],
)  # fmt: skip
def test_a_mistake_is_one_clear_line(write: Write, old: str, new: str, line: str) -> None:
    assert old in GOOD
    found = lines(write(GOOD.replace(old, new, 1)))
    assert line in found
    assert len(found) == 1


def test_two_variants_need_two_labels(write: Write) -> None:
    found = lines(write(GOOD.replace('label   = "without"', 'label   = "with"')))
    assert found[0] == (
        'suites/mine.toml:9: variant[1].label: found "with" a second time; each variant needs its own label'
    )


def test_several_mistakes_come_at_once(write: Write) -> None:
    text = GOOD.replace('["with", "without"]', '["x"]').replace("workers=1", "workers")
    assert len(lines(write(text))) == 2


def test_without_variants_or_tables_there_is_nothing_to_do(write: Write) -> None:
    assert lines(write('title = "mine"\n')) == [
        "suites/mine.toml: variant: missing; [[variant]] with label and profile: what is measured, in this order",
        "suites/mine.toml: table: missing; [[table]] with title and kind: what is printed",
    ]
    assert lines(write('title = "mine"\nvariant = []\ntable = 3\n')) == [
        "suites/mine.toml:2: variant: found none, but at least one is needed",
        "suites/mine.toml:3: table: found 3; a list is allowed",
    ]


def test_a_name_is_looked_up_in_the_folders_in_their_order(write: Write, tmp_path: Path) -> None:
    own = write(name="articles-2009")
    catalogue = Catalogue(extra=tmp_path)
    assert find_suite("articles-2009", catalogue) == own
    assert find_suite("articles-2006", catalogue) == shipped_folder() / "suites" / "articles-2006.toml"
    assert find_suite("suites/articles-2009.toml", catalogue) == own
    assert named_suites(catalogue)["articles-2009"] == own
    with pytest.raises(UserError, match='there is no suite "articles-209"; did you mean "articles-2009"'):
        find_suite("articles-209", catalogue)
    with pytest.raises(UserError, match=r"\./no\.toml: no such file"):
        find_suite("./no.toml", catalogue)


def test_a_suite_is_not_taken_for_a_profile(write: Write, tmp_path: Path) -> None:
    good = write()
    elsewhere = write(folder=".", name="beside")
    assert is_suite(good) and is_suite(elsewhere)
    assert not is_suite(shipped_folder() / "gunicorn-sync.toml")
    good.write_text(GOOD.replace("preload=false", "prelod=false"))
    elsewhere.unlink()
    assert "mine" not in Catalogue(extra=tmp_path).names()
    problems, _ = check_files(tmp_path, [])
    assert len(problems) == 1 and problems[0].startswith("suites/mine.toml:10: variant[1].profile: ")
    assert check_files(None, [write(folder=".", name="beside")]) == ([], 1)


def test_what_all_are_set_comes_before_the_variants_own_and_the_calls_last(
    write: Write, tmp_path: Path
) -> None:
    (tmp_path / "suites").mkdir()
    (tmp_path / "suites" / "own.toml").write_text((shipped_folder() / "gunicorn-sync.toml").read_text())
    path = write(GOOD.replace('profile = "gunicorn-preload"', 'profile = "./own.toml"', 1))
    catalogue = Catalogue()
    suite = load_suite(path, catalogue)
    experiment = experiment_of(
        suite, path, catalogue, overrides=["load.rounds=1"], runs_each=3, concurrent=True
    )
    one, other = experiment.variants
    assert one.profile == str(tmp_path / "suites" / "own.toml")
    assert other.profile == "gunicorn-preload"
    assert other.overrides == ("workers=1", "options.preload=false", "workers=2", "load.rounds=1")
    assert other.allow == ("overlap",)
    assert (experiment.kind, experiment.suite, experiment.runs_each, experiment.left_out) == (
        "suite",
        path,
        3,
        (),
    )


LACKING = """\
title     = "needs what nobody has"
interface = "wsgi"
address   = "127.0.0.1:1"

[[requires]]
program = "no-such-program-anywhere"
install = "apt install nothing"

[[services]]
name    = "x"
command = ["no-such-program-anywhere"]
roles   = [{ role = "worker", depth = 0 }]
"""


def test_an_variant_that_this_machine_cannot_run_is_left_out(write: Write, tmp_path: Path) -> None:
    (tmp_path / "stacks" / "lacking").mkdir(parents=True)
    (tmp_path / "stacks" / "lacking" / "stack.toml").write_text(LACKING)
    profile = 'title = "x"\nstack = "lacking"\napp = "hello"\n[load]\nconnections = 1\nrequests = 10\n'
    (tmp_path / "lacking.toml").write_text(profile)
    catalogue = Catalogue(extra=tmp_path)
    text = GOOD.replace('profile = "gunicorn-preload"', 'profile = "lacking"', 1)
    path = write(text)
    experiment = experiment_of(load_suite(path, catalogue), path, catalogue)
    assert [variant.label for variant in experiment.variants] == ["without"]
    [left] = experiment.left_out
    assert (left.label, left.reason) == (
        "with", "needs no-such-program-anywhere: apt install nothing",
    )  # fmt: skip
    path = write(text.replace('profile = "gunicorn-preload"\nset     = ["options.preload=false", "workers=2"]',
                              'profile = "lacking"'))  # fmt: skip
    with pytest.raises(UserError, match="with: needs no-such-program-anywhere"):
        experiment_of(load_suite(path, catalogue), path, catalogue)


@pytest.mark.parametrize("name", ["articles-2006", "articles-2008", "articles-2009"])
def test_the_shipped_suites_hold_and_take_ten_minutes_at_most(name: str) -> None:
    catalogue = Catalogue([shipped_folder()])
    path = find_suite(name, catalogue)
    assert lines(path, catalogue) == []
    seconds = expected_of(load_suite(path, catalogue), path, catalogue)
    assert seconds is not None and seconds < 600


def test_the_example_of_the_readme_has_no_mistakes(write: Write) -> None:
    section = (shipped_folder().parent / "README.md").read_text().split("\n## Suites\n")[1]
    assert lines(write(section.split("```toml\n")[1].split("```")[0])) == []
