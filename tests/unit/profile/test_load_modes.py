"""Which loads there are, and that an option which can't act is refused."""

from __future__ import annotations

import json

import pytest

from tui.profile.catalogue import Catalogue
from tui.profile.models import Profile
from tui.profile.problems import ProfileErrors

HEAD = 'title = "mine"\nstack = "gunicorn"\napp = "hello"\n[load]\n'
ALLOWED = "a number of requests per second is allowed, more than 0 and at most 1,000,000"
CLOSED = "connections = 5\nrequests = 100\n"


@pytest.fixture
def load(tmp_path):
    """A profile with this load, and with these overrides."""

    def loaded(text, *overrides):
        path = tmp_path / "mine.toml"
        path.write_text(HEAD + text)
        return Catalogue().load(str(path), overrides)

    return loaded


def mistakes(load, text, *overrides):
    with pytest.raises(ProfileErrors) as caught:
        load(text, *overrides)
    return [
        str(problem).partition(".toml:")[2].partition(": ")[2] or str(problem)
        for problem in caught.value.problems
    ]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (CLOSED, "closed"),
        (f'mode = "closed"\n{CLOSED}', "closed"),
        (f"rate = 1000\n{CLOSED}", "open"),
        (f'rate = 0.5\narrivals = "poisson"\nmode = "open"\n{CLOSED}', "open"),
        ('mode = "none"\nduration = "3s"\nrounds = 2', "none"),
        ('command = ["wrk", "{{ url }}"]', "command"),
        ('command = ["wrk"]\nduration = "3s"\nconnections = 7\nkeepalive = true', "command"),
    ],
)
def test_the_mode_follows_from_the_keys(load, text, kind):
    profile = load(text)
    assert profile.load.kind == kind
    again = Profile.model_validate_json(json.dumps(profile.model_dump(mode="json")))
    assert again == profile


def test_without_load_of_ours_there_is_no_warm_up(load):
    assert load('mode = "none"\nduration = "3s"').load.warmup == 0
    assert load(CLOSED).load.warmup == load(f"rate = 5\n{CLOSED}").load.warmup == 2


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f'arrivals = "poisson"\n{CLOSED}', 'load.arrivals: found "poisson"; arrivals needs a rate: set load.rate, or '
         "remove it"),
        (f'arrivals = "even"\nrate = 5\n{CLOSED}', 'load.arrivals: found "even"; allowed: "uniform" or "poisson"'),
        (f"rate = 0\n{CLOSED}", f"load.rate: found 0; {ALLOWED}"),
        (f"rate = 10_000_000\n{CLOSED}", f"load.rate: found 10000000; {ALLOWED}"),
        (f"rate = nan\n{CLOSED}", f"load.rate: found nan; {ALLOWED}"),
        (f'rate = "9"\n{CLOSED}', f'load.rate: found "9"; {ALLOWED}'),
        (f"rate = true\n{CLOSED}", f"load.rate: found true; {ALLOWED}"),
        ("rate = 5\nrequests = 3", "load.connections: missing; the most requests in flight at a time"),
        (f'mode = "open"\n{CLOSED}', "load.rate: missing; requests per second, whatever the server does (open loop)"),
        (f'mode = "closed"\nrate = 5\n{CLOSED}', 'load.rate: found 5, and it can\'t act: mode = "closed" is set; '
         "remove one of them"),
        ('mode = "none"\nduration = "3s"\nconnections = 5', "load.connections: found 5, and it can't act: "
         'mode = "none" sends nothing; remove one of them'),
        ('mode = "none"\nduration = "3s"\nkeepalive = true', "load.keepalive: found true, and it can't act: "
         'mode = "none" sends nothing; remove one of them'),
        ('mode = "none"\nduration = "3s"\nwarmup = "1s"', 'load.warmup: found "1s", and it can\'t act: mode = "none" '
         "sends nothing; remove one of them"),
        ('mode = "none"\nduration = "3s"\ntimeout = "1s"', 'load.timeout: found "1s", and it can\'t act: mode = "none" '
         "sends nothing; remove one of them"),
        ('mode = "none"', 'load.duration: found no duration; with mode = "none" a round needs one, such as '
         'duration = "30s"'),
        ('command = ["wrk"]\nrequests = 5', "load.requests: found 5, and it can't act: load.command makes the load; "
         "remove one of them"),
        ('command = ["wrk"]\nrate = 5', "load.rate: found 5, and it can't act: load.command makes the load; remove one "
         "of them"),
        ('command = "wrk"', 'load.command: found "wrk"; a list is allowed'),
        ('mode = "command"', 'load.command: missing; another load generator, such as ["wrk", "-c100", "-d30s", '
         '"{{ url }}"]'),
    ],
)  # fmt: skip
def test_what_cannot_act_is_refused(load, text, line):
    assert line in mistakes(load, text)


@pytest.mark.parametrize(
    ("override", "kind"),
    [
        ("load.mode=none", "none"),
        ('load.command=["wrk", "-d1s", "{{ url }}"]', "command"),
        ("load.rate=250", "open"),
        ("load.rate=0.25", "open"),
    ],
)
def test_an_override_of_the_mode_clears_what_the_file_says_and_cannot_act(load, override, kind):
    text = 'connections = 5\nduration = "3s"\nwarmup = "1s"\ntimeout = "1s"\nkeepalive = true\n'
    assert load(text, override).load.kind == kind


def test_an_override_clears_no_other_override(load):
    (line,) = mistakes(load, 'connections = 5\nduration = "3s"', "load.mode=none", "load.connections=3")
    assert line.startswith("--set load.connections=3: found 3, and it can't act")


def test_back_from_a_rate_to_the_closed_loop(load):
    assert load(f'rate = 5\narrivals = "poisson"\n{CLOSED}', "load.mode=closed").load.kind == "closed"
