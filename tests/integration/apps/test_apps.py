"""Each app behaves the same over each interface that it is offered for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tests.support.serving import APPS, OFFERED, Answer, served
from tui.profile.models import Expect

TESTED_ELSEWHERE = {"lsapi"}  # in test_lsapi.py: LiteSpeed comes with no distribution
PAIRS = [
    (name, interface)
    for name, app in OFFERED.items()
    for interface in app.interfaces
    if interface not in TESTED_ELSEWHERE
]


@dataclass(frozen=True)
class Answers:
    """What one start of an app answers."""

    get: Answer
    with_query: Answer
    head: Answer
    post: Answer
    missing: Answer
    written: set[tuple[Path, int]]


Asking = Callable[[str, str], Answers]


@pytest.fixture(scope="session")
def answers_of(tmp_path_factory: pytest.TempPathFactory) -> Asking:
    """Starts each app once over each interface, however many tests look at what it answers."""

    @cache
    def answers(app: str, interface: str) -> Answers:
        before = files_of(app)
        path = OFFERED[app].path
        with served(app, interface, tmp_path_factory.mktemp("app")) as server:
            ask = server.ask
            get, query = ask(path), ask(f"{path}?x=/y")
            head, post = ask(path, "HEAD"), ask(path, "POST")
            missing = ask("/there/is/no/such/page")
        return Answers(get, query, head, post, missing, files_of(app) ^ before)

    return answers


def files_of(app: str) -> set[tuple[Path, int]]:
    return {(path, path.stat().st_mtime_ns) for path in (APPS / app).rglob("*")}


@pytest.mark.parametrize(("app", "interface"), PAIRS)
def test_the_answer_is_as_app_toml_says(answers_of: Asking, app: str, interface: str) -> None:
    answers, expected = answers_of(app, interface), OFFERED[app].expect
    for answer in (answers.get, answers.with_query):
        check(answer, expected)
    assert answers.head.body == b""
    for header in ("content-length", "content-type"):
        assert answers.head.headers[header] == answers.get.headers[header]
    assert answers.missing.status == 404


def check(answer: Answer, expected: Expect) -> None:
    assert answer.status == expected.status, answer
    assert len(answer.body) == expected.length
    assert answer.headers["content-length"] == str(expected.length)
    assert answer.headers["content-type"].lower() in ("text/plain; charset=utf-8", "text/html; charset=utf-8")
    assert "transfer-encoding" not in answer.headers
    if expected.body is not None:
        assert answer.body.decode() == expected.body
    if expected.contains is not None:
        assert expected.contains in answer.body.decode()


@pytest.mark.parametrize(("app", "interface"), [pair for pair in PAIRS if not pair[0].startswith("rails-")])
def test_a_post_is_answered_like_a_get(answers_of: Asking, app: str, interface: str) -> None:
    check(answers_of(app, interface).post, OFFERED[app].expect)


@pytest.mark.parametrize("app", OFFERED)
def test_the_bodies_are_the_same_over_all_interfaces(answers_of: Asking, app: str) -> None:
    bodies = {interface: answers_of(app, interface).get.body for name, interface in PAIRS if name == app}
    assert len(set(bodies.values())) == 1


@pytest.mark.parametrize(("app", "interface"), PAIRS)
def test_nothing_is_written_into_the_folder(answers_of: Asking, app: str, interface: str) -> None:
    assert not answers_of(app, interface).written


@pytest.mark.parametrize("app", OFFERED)
def test_the_definition_expects_a_length_and_a_content(app: str) -> None:
    expect = OFFERED[app].expect
    assert expect.length is not None
    assert (expect.body is None) != (expect.contains is None)


def test_the_static_file_is_where_a_front_looks_for_it(answers_of: Asking) -> None:
    served_by_a_front = APPS / "static" / "public" / OFFERED["static"].path.lstrip("/")
    assert served_by_a_front.read_bytes() == answers_of("static", "wsgi").get.body
