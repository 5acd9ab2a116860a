"""What is wrong with a call of ``stackdyno compare`` is one clear line, before anything is started."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from tests.support import story
from tests.support.kept_runs import keep, named
from tui.commands.compare import run
from tui.experiment.plan import Experiment, Variant
from tui.experiment.progress import ExperimentEnded, ProgressWriter, VariantRunEnded
from tui.experiment.record import ExperimentRecord, create_experiment
from tui.system.errors import UserError

RUN = "2026-12-01_10-00-00_hello"


def wanted(tmp_path: Path, *variants: str, **more: Any) -> Namespace:
    given: dict[str, Any] = {
        "variants": variants,
        "profiles": None,
        "runs": tmp_path / "runs",
        "starts": None,
        "overrides": [],
        "primary": None,
        "format": "text",
        "output": None,
        "allow": [],
        "concurrent": False,
        "saved": False,
        "resume": None,
    }
    return Namespace(**({"trust": True, "with_secrets": False} | given | more))


def refusal(told: Namespace) -> str:
    with pytest.raises(UserError) as caught:
        run(told)
    return str(caught.value)


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Three saved runs."""
    for second, name in enumerate(("hello", "hello", "world")):
        keep(tmp_path / "runs" / f"2026-12-01_10-00-0{second}_{name}", named(story.run(), name, name))
    return tmp_path / "runs"


def comparison(runs: Path, *variants: str, good: dict[int, str], ended: bool = True) -> ExperimentRecord:
    """A kept comparison of which these runs are good, and the others failed."""
    labels = tuple(Variant(label=label, profile=label) for label in variants)
    record = create_experiment(runs, Experiment(kind="comparison", title="t", variants=labels, runs_each=2))
    writer = ProgressWriter(record)
    for number in range(1, 2 * len(variants) + 1):
        name = good.get(number)
        verdict, reason = ("good", None) if name else ("failed", "no such port")
        writer.write(VariantRunEnded(number=number, record=name, verdict=verdict, reason=reason))
    if ended:
        writer.write(ExperimentEnded(verdict="complete"))
    return record


@pytest.mark.parametrize(
    ("variants", "more", "said"),
    [
        ((), {}, "compare: found nothing; name two or more"),
        (("gunicorn-sync",), {}, "compare: found only gunicorn-sync; name two or more"),
        ((RUN, "gunicorn-sync"), {}, f"{RUN} is a saved run and gunicorn-sync is a profile; name only profiles or only "
         "saved runs, or add --saved to compare the saved runs of profiles"),
        (("gunicorn-sync", f"{RUN}+{RUN}"), {}, f"{RUN}+{RUN} is a saved run and gunicorn-sync is a profile"),
        ((RUN, "2026-12-01_10-00-01"), {"starts": 3},
         "--starts can't be used here: saved runs are compared as they are"),
        ((RUN, "2026-12-02"), {}, "2026-12-02: no such run in"),
        (("hello", "world"), {"saved": True, "concurrent": True}, "--concurrent can't be used here: saved runs"),
        (("gunicorn-sync",), {"saved": True}, "compare: found only gunicorn-sync"),
        (("a", "b"), {"resume": ""}, "a b can't be used here: --resume continues a comparison as it was started"),
        ((), {"resume": "", "overrides": ["workers=2"]}, "--set can't be used here: --resume"),
        ((), {"resume": ""}, "no comparison yet"),
        (("gunicorn-sync", "gunicorn-snc"), {}, 'gunicorn-snc: there is no profile "gunicorn-snc"; did you mean'),
        (("gunicorn-sync", "gunicorn-sync"), {"starts": 1}, "starts: found 1, but each variant needs at least 2"),
        (("gunicorn-sync", "gunicorn-sync"), {"overrides": ["workers"]}, "--set workers: write KEY=VALUE"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_clear_line(
    tmp_path: Path, runs: Path, variants: tuple[str, ...], more: dict[str, Any], said: str
) -> None:
    found = refusal(wanted(tmp_path, *variants, **more))
    assert said in found
    assert "\n" not in found
    assert not list(runs.glob("*_compare_*"))


def test_where_the_output_goes_is_looked_at_first(tmp_path: Path) -> None:
    variants = ("gunicorn-sync", "gunicorn-sync")
    assert "this is a folder" in refusal(wanted(tmp_path, *variants, output=tmp_path))
    assert "there is no folder" in refusal(wanted(tmp_path, *variants, output=tmp_path / "no" / "x.md"))


def test_saved_runs_are_compared_without_a_verdict(
    tmp_path: Path, runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(wanted(tmp_path, f"{RUN}+2026-12-01_10-00-01", "2026-12-01_10-00-02")) == 0
    told = capsys.readouterr()
    assert "hello" in told.out and "world" in told.out
    assert "six" in told.out or "6" in told.out
    assert told.err == ""


def test_a_saved_comparison_is_printed_again(
    tmp_path: Path, runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = {1: RUN, 2: "2026-12-01_10-00-02_world", 4: "2026-12-01_10-00-01_hello"}
    record = comparison(runs, "hello", "world", good=good)
    output = tmp_path / "out.json"
    assert run(wanted(tmp_path, record.name, format="json", output=output)) == 0
    assert capsys.readouterr().out == f"{output}\n"
    assert "2026-12-01_10-00-01_hello" in output.read_text()
    assert "--set can't be used here" in refusal(wanted(tmp_path, record.name, overrides=["workers=2"]))
    assert "nothing is left to do" in refusal(wanted(tmp_path, resume=record.name))


def test_a_variant_without_a_usable_start_is_told_and_the_status(
    tmp_path: Path, runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = comparison(runs, "hello", "world", "x", good={1: RUN, 2: "2026-12-01_10-00-02_world"})
    assert run(wanted(tmp_path, record.name)) == 1
    told = capsys.readouterr()
    assert "hello" in told.out and "world" in told.out
    assert told.err == "stackdyno: x: no usable run: no such port\n"


def test_a_profile_named_alone_is_not_taken_for_a_comparison_that_ends_in_it(
    tmp_path: Path, runs: Path
) -> None:
    comparison(runs, "hello", "gunicorn-sync", good={})
    assert "found only gunicorn-sync" in refusal(wanted(tmp_path, "gunicorn-sync"))
