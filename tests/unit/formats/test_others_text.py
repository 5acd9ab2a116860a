"""Text of the measured side reaches no output as it is, whatever field of a record it is in."""

from __future__ import annotations

import contextlib
import io
import sys
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from tests.support import comparisons, story
from tests.support import recorded_runs as runs
from tests.support.hostile import HOSTILE, assert_harmless, hostile_folder, write_hostile
from tui.commands.history import history_table
from tui.compare import formats as comparison_formats
from tui.findings.judged import write_summary
from tui.formats.export import FORMATS, render
from tui.formats.markdown import code
from tui.formats.progress import ProgressLine, progress_line
from tui.record import events
from tui.record.events import Event, Notice, ProcessSeen, StackReady, VersionsRead
from tui.record.record import Record, read_state
from tui.record.state import fold
from tui.summary import schema
from tui.summary.history import read_history
from tui.system.text_fields import Text

RUNS = {
    "good": runs.finished,
    "failed": runs.failed,
    "external": runs.external,
    "bad answers": lambda: story.run(good=2000, bad=900),
    "everything": lambda: [
        *story.run(ended=False),
        Notice(t=7, code="x", text="x", severity="invalid"),
        VersionsRead(t=7, versions={"a": "1"}),
        story.queues(7, story.tcp(3), story.unix(3, 5)),
        story.failed(7, "page"),
        *runs.failed()[-2:],
    ],
}


@pytest.fixture(params=RUNS)
def record(request: pytest.FixtureRequest, tmp_path: Path) -> Record:
    return write_hostile(Record(hostile_folder(tmp_path / "runs")), RUNS[request.param]())


@pytest.mark.parametrize("name", FORMATS)
def test_no_format_hands_it_on(record: Record, name: str) -> None:
    text = render(record, read_state(record), name)
    assert_harmless(text)
    assert "<e>" not in text or name != "html"


def test_the_summary_the_history_and_the_progress_are_clean(
    record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = read_state(record)
    write_summary(record)
    assert_harmless(record.summary_path.read_text())
    rows = read_history(record.folder.parent)
    assert len(rows) == 1
    for text in (rows[0].title, rows[0].sentence, rows[0].stack, rows[0].profile, history_table(rows)):
        assert_harmless(text)
    shown = io.StringIO()
    monkeypatch.setattr(sys, "stderr", shown)
    line = ProgressLine()
    line.wanted = True
    line.show(lambda width: progress_line(state) + HOSTILE)
    assert_harmless(shown.getvalue().removeprefix("\r\x1b[2K"))


def test_what_enters_a_record_is_clean() -> None:
    bad = "\x1b[2J\ud800"
    clean: list[Event] = [
        story.seen(1, title=bad),
        StackReady(t=0, cold_start=0, status=200, server=bad, body_length=1),
        VersionsRead(t=0, versions={bad: bad}),
    ]
    assert isinstance(clean[0], ProcessSeen)
    assert clean[0].title == "␛[2J�"
    for event in clean:
        assert_harmless(event.model_dump_json())


def fields(module: Any) -> list[tuple[str, Any]]:
    return [
        (f"{model.__name__}.{name}", field)
        for model in vars(module).values()
        if isinstance(model, type) and issubclass(model, BaseModel) and model.__module__ == module.__name__
        for name, field in model.model_fields.items()
    ]


def has_plain_text(annotation: Any) -> bool:
    if annotation == Text:
        return False
    return annotation is str or any(has_plain_text(part) for part in get_args(annotation) if part is not Any)


@pytest.mark.parametrize("module", [events, schema])
def test_no_field_of_a_record_takes_text_as_it_is(module: Any) -> None:
    plain = [
        name
        for name, field in fields(module)
        if has_plain_text(field.annotation)
        and not field.metadata  # pydantic moves a validator into the metadata
    ]
    assert plain == []


def test_an_error_is_one_harmless_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from tui.cli import main

    for words in (
        ["--runs", str(tmp_path), "export", HOSTILE.replace("\0", "")],
        ["--runs", str(tmp_path), "run", HOSTILE.replace("\0", "")],
        ["--runs", str(tmp_path), "history", "--format", HOSTILE],
    ):
        with contextlib.suppress(SystemExit):
            main(words)
        shown = capsys.readouterr()
        assert shown.err
        assert_harmless(shown.err + shown.out)


def test_markdown_shows_it_literally(tmp_path: Path) -> None:
    events = runs.finished()
    title = "a [x](http://e) ![i](http://e) `c` | <b> &lt; **d** \\"
    events[0] = events[0].model_copy(update={"profile_title": title})
    text = render(Record(tmp_path / "run"), fold(events), "markdown")
    assert r"a \[x\](http://e) !\[i\](http://e) \`c\` \| &lt;b> &amp;lt; \*\*d\*\* " + "\\\\\n" in text
    assert code("a `` b") == "``` a `` b ```"


@pytest.mark.parametrize("name", comparison_formats.FORMATS)
def test_no_format_of_a_comparison_hands_it_on(name: str) -> None:
    labels = (HOSTILE, f"{HOSTILE} too")
    shown = comparisons.comparison(labels=labels)
    variants = tuple(
        each.model_copy(update={"title": HOSTILE, "records": (HOSTILE,)}) for each in shown.variants
    )
    rows = tuple(
        row.model_copy(
            update={"cells": tuple(cell.model_copy(update={"values": (1.0,)}) for cell in row.cells)}
        )
        for row in shown.rows
    )
    said = {"variants": variants, "rows": rows, "warnings": (HOSTILE,), "method": HOSTILE}
    shown = shown.model_copy(update=said)
    assert_harmless(comparison_formats.render(shown, comparisons.evidence(labels=labels), name))
