"""Everything a person can get wrong in a profile gives one clear line, and all of them come at once."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.profiles import GOOD
from tui.profile.catalogue import Catalogue, shipped_folder
from tui.profile.problems import ProfileErrors
from tui.system.errors import UserError

Write = Callable[..., str]
STACKS = ", ".join(sorted(path.parent.name for path in shipped_folder().glob("stacks/*/stack.toml")))


def lines(catalogue: Catalogue, name: str, *overrides: str) -> list[str]:
    with pytest.raises(ProfileErrors) as errors:
        catalogue.load(name, overrides)
    assert str(errors.value).splitlines() == [str(problem) for problem in errors.value.problems]
    return [str(problem) for problem in errors.value.problems]


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (
            "connections = 5",
            "conections = 5",
            'mine.toml:6: load.conections: unknown key; did you mean "connections"?',
        ),
        ('app     = "hello"', 'sack = "x"', 'mine.toml:3: sack: unknown key; did you mean "stack"?'),
        ("connections = 5", 'connections = "5"', 'mine.toml:6: load.connections: found "5"; a whole number is allowed'),
        ("connections = 5", "connections = 1.5", "mine.toml:6: load.connections: found 1.5; a whole number is allowed"),
        ("connections = 5", "connections = 0", "mine.toml:6: load.connections: found 0; at least 1 is allowed"),
        ("connections = 5", "connections = true",
         "mine.toml:6: load.connections: found true; a whole number is allowed"),
        ('title   = "mine"', "title = 3", "mine.toml:1: title: found 3; text in quotes is allowed"),
        ('title   = "mine"', "", "mine.toml: title: missing; what this profile shows, in a few words"),
        (
            'title   = "mine"',
            'name = "mine"\ntitle = "mine"',
            "mine.toml:1: name: unknown key; a profile's name is its file's name",
        ),
        ('stack   = "gunicorn"', "", "mine.toml: stack: missing; the stack that serves: a folder's name under stacks/"),
        (
            'stack   = "gunicorn"',
            'stack = "gunicron"',
            'mine.toml:2: stack: found "gunicron", and there is no such stack; did you mean "gunicorn"?',
        ),
        (
            'app     = "hello"',
            'app = "helo"',
            'mine.toml:3: app: found "helo", and there is no such app; did you mean "hello"?',
        ),
        ('app     = "hello"', "app = 3", "mine.toml:3: app: found 3; text in quotes is allowed"),
        (
            'app     = "hello"',
            'app = { path = "/srv" }',
            'mine.toml:3: app.entry: missing; what the interface loads: "shop.wsgi:application", a config.ru, a script',
        ),
        ("requests    = 100", "", 'mine.toml:5: load.duration: found neither requests nor duration; set exactly one: '
         'requests = 10_000 or duration = "30s"'),
        ("requests    = 100", "requests = 4",
         "mine.toml:7: load.requests: found 4, fewer than connections = 5, so that not all of them would be used; "
         "ask for more requests or fewer connections"),
        ("requests    = 100", 'requests = 5\nduration = "3s"', "mine.toml:8: load.duration: found both requests and "
         'duration; set exactly one: requests = 10_000 or duration = "30s"'),
        ("requests    = 100", "duration = 30", 'mine.toml:7: load.duration: found 30, which has no unit; write "30s"'),
        ("requests    = 100", 'duration = "0s"', 'mine.toml:7: load.duration: found "0s"; more than 0 is allowed'),
        (
            "connections = 5",
            "connections = 5\ncpus = 1",
            'mine.toml:7: load.cpus: found 1; write "1" for CPU number 1, or a list such as "0-3,8"',
        ),
        (
            "connections = 5",
            'connections = 5\ncpus = "3-1"',
            "mine.toml:7: load.cpus: found \"3-1\": '3-1' is not a list of CPUs: the range 3-1 runs backwards",
        ),
        (
            "connections = 5",
            'connections = 5\nmethod = "PUT"',
            'mine.toml:7: load.method: found "PUT"; allowed: "GET", "HEAD" or "POST"',
        ),
        (
            "connections = 5",
            'connections = 5\nbody = "x"',
            'mine.toml:7: load.body: found a body with method = "GET"; it needs method = "POST"',
        ),
        (
            "connections = 5",
            'connections = 5\npath = "page"',
            'mine.toml:7: load.path: found "page"; write a path that begins with "/", such as "/page?id=1"',
        ),
        (
            "connections = 5",
            'connections = 5\nheaders = { Connection = "close" }',
            'mine.toml:7: load.headers: found the header "Connection"; it is set by the load generator itself',
        ),
        (
            "connections = 5",
            'connections = 5\nheaders = { X-A = "1\\r\\nX-B: 2" }',
            'mine.toml:7: load.headers: found a line break or control character in the header "X-A"',
        ),
        ("[load]", "[options]\nworker_clas = 1\n[load]",
         'mine.toml:6: options.worker_clas: the stack "gunicorn" has no '
         'such option; did you mean "worker_class"?'),
        (
            "[load]",
            '[options]\nworker_class = "gevent"\n[load]',
            'mine.toml:6: options.worker_class: found "gevent"; allowed: "sync", "gthread", "uvicorn"',
        ),
        ("[load]", "[options]\nbacklog = 0\n[load]", "mine.toml:6: options.backlog: found 0; at least 1 is allowed"),
        (
            "[load]",
            '[options]\npreload = "yes"\n[load]',
            'mine.toml:6: options.preload: found "yes"; true or false is allowed',
        ),
        (
            "[load]",
            "[options]\ntimeout = 30\n[load]",
            'mine.toml:6: options.timeout: found 30, which has no unit; write "30s"',
        ),
        ("[load]", "[expect]\nstatus = 20\n[load]", "mine.toml:6: expect.status: found 20; at least 100 is allowed"),
        ('title   = "mine"', 'title = ""', 'mine.toml:1: title: found ""; text that isn\'t empty is allowed'),
        ('stack   = "gunicorn"', 'stack = "a\\nb"',
         f'mine.toml:2: stack: found "a\\nb", and there is no such stack; known: {STACKS}'),
        ("[load]", "options = 3\n[load]", "mine.toml:5: options: found 3; a table is allowed"),
    ],
)  # fmt: skip
def test_one_mistake_is_one_line(catalogue: Catalogue, write: Write, old: str, new: str, line: str) -> None:
    assert old in GOOD
    assert lines(catalogue, write(GOOD.replace(old, new))) == [line]


def test_all_mistakes_of_a_file_come_at_once(catalogue: Catalogue, write: Write) -> None:
    text = 'stack = "gunicorn"\nworkers = 0\ncolour = "red"\n[options]\nbacklog = "x"\n[load]\nrounds = 0\n'
    found = lines(catalogue, write(text))
    assert [line.split(": ")[1] for line in found] == [
        "options.backlog", "title", "workers", "load.connections", "load.duration", "load.rounds", "colour",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("title = \n", "mine.toml: isn't valid TOML: invalid value (at line 1, column 9)"),
        ('a = 1\n[load\nb = "x"', "mine.toml: isn't valid TOML: expected ']' at the end of a table declaration "
         "(at line 2, column 6)"),
    ],
)  # fmt: skip
def test_what_is_no_toml_says_where(catalogue: Catalogue, write: Write, text: str, line: str) -> None:
    assert lines(catalogue, write(text)) == [line]


def test_a_file_that_is_no_text_or_cant_be_read_says_so(catalogue: Catalogue, folder: Path) -> None:
    (folder / "latin.toml").write_bytes(b'title = "\xe4"')
    assert lines(catalogue, "latin") == ["latin.toml: isn't UTF-8 text (byte 9)"]
    assert lines(catalogue, "./none.toml") == ["none.toml: can't be read: No such file or directory"]


def test_a_name_that_cant_be_a_folders_is_refused(catalogue: Catalogue, folder: Path, write: Write) -> None:
    name = write(name="my profile")
    assert lines(catalogue, name) == [
        'my profile.toml: found the profile name "my profile"; '
        "name the file with letters, digits, dots, _ and - only"
    ]


def test_an_unknown_profile_names_the_nearest(catalogue: Catalogue) -> None:
    with pytest.raises(UserError) as error:
        catalogue.load("gunicorn-sinc")
    assert str(error.value) == 'there is no profile "gunicorn-sinc"; did you mean "gunicorn-sync"?'


def test_a_stack_option_without_default_must_be_set(catalogue: Catalogue, write: Write) -> None:
    text = GOOD.replace('"gunicorn"', '"external"').replace('app     = "hello"\n', "")
    assert lines(catalogue, write(text)) == [
        'mine.toml: options.url: missing; where it answers, such as "http://127.0.0.1:80"; the path is load.path'
    ]


def test_problems_of_the_stack_definition_are_told_with_its_file(
    catalogue: Catalogue, folder: Path, write: Write
) -> None:
    stack = folder / "stacks" / "odd" / "stack.toml"
    stack.parent.mkdir(parents=True)
    stack.write_text(
        'title = "odd"\naddress = "x"\n[options.n]\ntype = "integer"\ndefault = "1"\nhelp = ""\n'
        '[[services]]\nname = "a"\ncommand = ["x", { when = true, arg = ["y"] }]\nstop = { signal = "SIGTERM" }\n'
        '[[services.roles]]\nrole = "boss"\nmatch = "("\n'
    )
    path = "stacks/odd/stack.toml"
    assert lines(catalogue, write(GOOD.replace('"gunicorn"', '"odd"'))) == [
        f'{path}:3: options.n: found "1"; a whole number is allowed',
        f'{path}:9: services[0].command[1].arg: unknown key; did you mean "args"?',
        f'{path}:10: services[0].stop.signal: found "SIGTERM"; write a signal without SIG, '
        'such as "TERM", "QUIT" or "INT"',
        f'{path}:12: services[0].roles[0].role: found "boss"; allowed: "master", "front", "worker" or "helper"',
        f'{path}:13: services[0].roles[0].match: found "(", which is no regular expression: '
        "missing ), unterminated subpattern at position 0",
    ]


class TestOverrides:
    def test_any_key_can_be_set(self, catalogue: Catalogue, write: Write) -> None:
        profile = catalogue.load(
            write(),
            ["load.requests=2_000", "cpus=0", "load.warmup=500ms", "options.preload=true", "title=a b", "workers=3",
             'load.headers.X-Number=5', "options.backlog=8", 'options.worker_class="gthread"'],
        )  # fmt: skip
        assert (profile.load.requests, profile.cpus, profile.load.warmup, profile.workers) == (
            2000,
            (0,),
            0.5,
            3,
        )
        assert (profile.title, profile.load.headers) == ("a b", {"X-Number": "5"})
        assert profile.options == {
            "worker_class": "gthread", "threads": 4, "preload": True, "freeze": False, "backlog": 8,
            "timeout": "30s", "listen": "tcp", "port": 0,
        }  # fmt: skip

    def test_requests_clear_duration_and_the_reverse(self, catalogue: Catalogue, write: Write) -> None:
        timed = catalogue.load(write(), ["load.duration=3s"]).load
        assert (timed.requests, timed.duration) == (None, 3.0)
        counted = catalogue.load("gunicorn-sync", ["load.requests=100"]).load
        assert (counted.requests, counted.duration) == (100, None)

    def test_a_stack_set_over_the_files_brings_its_options(self, catalogue: Catalogue, write: Write) -> None:
        profile = catalogue.load(write(), ["stack=nginx-gunicorn"])
        assert profile.stack == "nginx-gunicorn"
        assert "listen" not in profile.options

    def test_an_own_app_can_be_set(self, catalogue: Catalogue, folder: Path, write: Write) -> None:
        app = catalogue.load(write(), ["app.path=shop", "app.entry=shop:app"]).app
        assert app is not None and not isinstance(app, str)
        assert (app.path, app.entry) == (str(folder / "shop"), "shop:app")

    @pytest.mark.parametrize(
        ("override", "line"),
        [
            ("load.conections=5", '--set load.conections=5: unknown key; did you mean "connections"?'),
            ("load.connections=x", '--set load.connections=x: found "x"; a whole number is allowed'),
            ("load.duration=5", '--set load.duration=5: found "5", which has no unit; write "5s"'),
            ("stack=x",
             f'--set stack=x: found "x", and there is no such stack; known: {STACKS}'),
            ("lod.rounds=5", '--set lod.rounds=5: unknown key; did you mean "load"?'),
            ("load.rounds.x=5", "--set load.rounds.x=5: found a table; a whole number is allowed"),
            ("options.backlog=x", '--set options.backlog=x: found "x"; a whole number is allowed'),
        ],
    )  # fmt: skip
    def test_a_mistake_names_the_override(
        self, catalogue: Catalogue, write: Write, override: str, line: str
    ) -> None:
        assert lines(catalogue, write(), override) == [line]

    @pytest.mark.parametrize("item", ["load.requests", "=3", "load.=3"])
    def test_what_is_no_override_says_what_to_write(
        self, catalogue: Catalogue, write: Write, item: str
    ) -> None:
        with pytest.raises(UserError, match="write KEY=VALUE"):
            catalogue.load(write(), [item])
