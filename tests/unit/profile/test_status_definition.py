"""Mistakes in the status tables of a stack definition."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from tui.plan.proofreading import check_files
from tui.profile.catalogue import Catalogue, shipped_folder
from tui.profile.status import StatusDefinition

GOOD: dict[str, Any] = {"url": "http://localhost/", "format": "json", "busy": "doc.busy"}


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"url": ""}, "found none of url, socket, file and command; set exactly one"),
        ({"file": "/report"}, "found url and file of url"),
        ({"send": "show stat\n"}, "send goes with a socket and no url"),
        ({"busy": ""}, "takes nothing; set one of busy, idle, queue, requests and workers"),
        ({"find": {"n": "(.)"}}, "find and rows go with text and xml; json is used as it is"),
        ({"format": "text", "find": {"n": "("}}, r'find\.n: found "\(", which is no regular expression'),
        ({"format": "text", "find": {"n": "n"}}, r'find\.n: found "n"; write one group'),
        ({"format": "text", "rows": "(.)"}, r"rows: found .* name its groups"),
        ({"format": "xml", "rows": "[[["}, "rows: found .* which is no path"),
        ({"every": "0s"}, "every"),
        ({"unit": 3}, "unit"),
        ({"workers": {"each": "doc"}}, "pid"),
    ],
)
def test_a_mistake_is_reported(changes: dict[str, Any], complaint: str) -> None:
    StatusDefinition.model_validate(GOOD)
    with pytest.raises(ValidationError, match=complaint):
        StatusDefinition.model_validate(GOOD | changes)


STACK = """
title   = "mine"
address = "{{{{ host }}}}:80"

[[services]]
name    = "app"
command = ["sleep", "1"]

[status.app]
socket = "{socket}"
format = "csv"
queue  = "{queue}"
"""


@pytest.mark.parametrize(
    ("socket", "queue", "complaint"),
    [
        ("/run/app", "rows | length", None),
        ("{{ sockets.app }}", "rows | length", 'status.app.socket: undefined name "sockets.app"'),
        ("/run/app", "doc.queue", 'status.app.queue: undefined name "doc"'),
        ("/run/app", "rows |", "status.app.queue: the expression has an error"),
        ("/run/app", "rows }} {{ rows", "status.app.queue: the expression has an error"),
    ],
)
def test_undefined_names_are_found_without_a_run(
    tmp_path: Path, socket: str, queue: str, complaint: str | None
) -> None:
    file = tmp_path / "stacks" / "mine" / "stack.toml"
    file.parent.mkdir(parents=True)
    file.write_text(STACK.format(socket=socket, queue=queue))
    problems = check_files(Catalogue(search=[shipped_folder()], extra=tmp_path), [file])
    assert len(problems) == (0 if complaint is None else 1), problems
    assert complaint is None or complaint in str(problems[0])
