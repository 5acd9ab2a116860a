"""No export hands on a secret of the profile, wherever it occurs, unless that is asked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support import recorded_runs as runs
from tests.support.console import recorded
from tui.findings.judged import write_summary
from tui.formats.export import FORMATS, render_record
from tui.record.events import Planned, ProcessSeen, RunEnded, RunStarted
from tui.record.record import Record
from tui.summary.history import read_history
from tui.summary.secrets import MASK, Secrets

SECRETS = {
    "env": "sk_live_51H8",
    "quoted": 'pa"ss<w>&rd\\|1',
    "bearer": "eyJhbGciOiJI",
    "cookie": "c00k1eV4lue",
    "password": "hunter22",
    "query": "q9token8",
    "command": "cmdS3cret",
}
PROFILE: dict[str, Any] = {
    "name": "shop",
    "app": {
        "path": "/srv/shop",
        "env": {"STRIPE_KEY": SECRETS["env"], "DB_PASSWORD": SECRETS["quoted"], "MODE": "production"},
    },
    "options": {"url": f"http://admin:{SECRETS['password']}@localhost:8000"},
    "load": {
        "path": f"/items?page=2&api_token={SECRETS['query']}",
        "headers": {
            "Authorization": f"Bearer {SECRETS['bearer']}",
            "Cookie": f"lang=de; sid={SECRETS['cookie']}",
            "Accept": "text/plain",
        },
        "command": ["ab", "-H", f"X-Api-Key: {SECRETS['command']}", "http://localhost/"],
    },
}


@pytest.fixture
def record(tmp_path: Path) -> Record:
    """A finished run whose secrets are in its profile, its URL, a process's title and the end of a log."""
    everywhere = " ".join(SECRETS.values())
    events = [*runs.finished()]
    for i, event in enumerate(events):
        match event:
            case RunStarted():
                events[i] = event.model_copy(update={"profile": PROFILE})
            case Planned():
                url = f"http://admin:{SECRETS['password']}@localhost:8000/items?page=2&api_token={SECRETS['query']}"
                events[i] = event.model_copy(update={"facts": event.facts.model_copy(update={"url": url})})
            case ProcessSeen():
                events[i] = event.model_copy(update={"title": f"worker {everywhere}"})
            case RunEnded():
                changes = {"verdict": "failed", "reason": everywhere, "log_tail": (everywhere,)}
                events[i] = event.model_copy(update=changes)
    return recorded(tmp_path / "2026-12-03_08-00-00_shop", events)


def forms(secret: str) -> set[str]:
    return {
        secret,
        json.dumps(secret)[1:-1],
        secret.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"),
    }


@pytest.mark.parametrize("format_name", FORMATS)
def test_no_format_has_a_secret(record: Record, format_name: str) -> None:
    text = render_record(record, format_name)
    assert [name for name, secret in SECRETS.items() if any(form in text for form in forms(secret))] == []


def test_what_is_no_secret_stays(record: Record) -> None:
    profile = json.loads(render_record(record, "json"))["profile"]
    assert profile["app"] == {
        "path": "/srv/shop",
        "env": {"STRIPE_KEY": MASK, "DB_PASSWORD": MASK, "MODE": MASK},
    }
    assert profile["load"]["path"] == f"/items?page=2&api_token={MASK}"
    assert profile["load"]["headers"] == {"Authorization": MASK, "Cookie": MASK, "Accept": "text/plain"}
    assert profile["load"]["command"][:2] == ["ab", "-H"]
    assert profile["options"]["url"] == f"http://{MASK}@localhost:8000"


def test_they_are_there_if_asked_for(record: Record) -> None:
    summary = json.loads(render_record(record, "json", with_secrets=True))
    assert summary["profile"] == PROFILE


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("GET /?token=abc&x=1", f"GET /?token={MASK}&x=1"),
        ("postgres://u:p@db/shop", f"postgres://{MASK}@db/shop"),
        ("1,234 requests/s, p99 12.5 ms", "1,234 requests/s, p99 12.5 ms"),
        ("http://localhost:8000/?page=2", "http://localhost:8000/?page=2"),
    ],
)
def test_a_url_is_masked_even_if_no_profile_has_it(text: str, masked: str) -> None:
    assert Secrets({}).mask(text) == masked


def test_a_short_secret_is_masked_where_it_stands_and_not_in_figures() -> None:
    profile = {"app": {"env": {"PIN_KEY": "12"}}}
    assert Secrets(profile).masked_profile(profile) == {"app": {"env": {"PIN_KEY": MASK}}}
    assert Secrets(profile).mask("12 requests") == "12 requests"


def test_the_history_has_no_secret(record: Record) -> None:
    write_summary(record)
    (row,) = read_history(record.folder.parent)
    shown = " ".join((row.title, row.sentence, *(f"{each.text} {each.evidence}" for each in row.findings)))
    assert MASK in shown and [name for name, secret in SECRETS.items() if secret in shown] == []
