"""Everything that prevents a run is one clear line, all at once, before anything is started."""

import os
import pwd
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tui.plan.planning import make_plan, requirements_missing
from tui.plan.proofreading import check_files
from tui.plan.runtime_folder import make_runtime_folder
from tui.profile.catalogue import Catalogue, shipped_folder
from tui.profile.definition import StackDefinition
from tui.profile.models import Load, Profile
from tui.profile.problems import ProfileErrors
from tui.system.errors import UserError

SHIPPED = shipped_folder()
PROFILE = """\
title = "mine"
stack = "{stack}"
app   = {app}
{more}
[load]
connections = 1
requests = 1
"""
ROOT_ONLY = pytest.mark.skipif(os.geteuid() != 0, reason="only root can start a stack as another user")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def catalogue(folder: Path) -> Catalogue:
    return Catalogue(search=[folder, SHIPPED])


@pytest.fixture
def complaints(catalogue: Catalogue, folder: Path) -> Callable[..., list[str]]:
    """The lines with which planning a profile fails."""

    def found(
        *overrides: str,
        stack: str = "gunicorn",
        app: str = '"hello"',
        more: str = "",
        runtime: str = "/tmp/x",
    ) -> list[str]:
        (folder / "mine.toml").write_text(PROFILE.format(stack=stack, app=app, more=more))
        profile = catalogue.load("mine", overrides)
        with pytest.raises(ProfileErrors) as errors:
            make_plan(profile, catalogue, run_id="r", runtime=Path(runtime), logs=folder)
        return str(errors.value).splitlines()

    return found


Complaints = Callable[..., list[str]]


@pytest.fixture
def without_nginx(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine whose programs lie in a folder where nginx isn't."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr("tui.plan.checks._SYSTEM_FOLDERS", ())


@pytest.mark.usefixtures("without_nginx")
def test_a_missing_program_says_what_to_install(complaints: Complaints, catalogue: Catalogue) -> None:
    assert complaints(stack="nginx-gunicorn") == ["mine: needs nginx: apt install nginx"]
    assert requirements_missing(catalogue.load("mine"), catalogue) == ["needs nginx: apt install nginx"]
    assert requirements_missing(catalogue.load("gunicorn-sync"), catalogue) == []


def test_a_module_is_looked_for_in_the_apps_own_interpreter(
    complaints: Complaints, catalogue: Catalogue, folder: Path
) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True, timeout=60)
    (folder / "shop").mkdir()
    app = '{ path = "shop", entry = "shop:app", python = "../venv" }'
    python = f"{folder}/shop/../venv/bin/python"
    how = f"{python} -m pip install gunicorn, or uv pip install --python {python} gunicorn"
    line = f"gunicorn isn't installed in {folder}/shop/../venv: {how}"
    assert complaints(app=app) == [f"mine: {line}"]
    assert requirements_missing(catalogue.load("mine"), catalogue) == [line]
    (package,) = (folder / "venv" / "lib").glob("python*/site-packages")
    (package / "gunicorn").mkdir()
    (package / "gunicorn" / "__init__.py").touch()
    profile = catalogue.load("mine")
    assert requirements_missing(profile, catalogue) == []
    argv = make_plan(profile, catalogue, run_id="r", runtime=Path("/tmp/x"), logs=folder).services[0].argv
    assert argv[0] == python


def test_a_module_may_come_by_the_apps_environment(catalogue: Catalogue, folder: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True, timeout=60)
    (folder / "lib" / "gunicorn").mkdir(parents=True)
    (folder / "lib" / "gunicorn" / "__init__.py").touch()
    app = f'{{ path = ".", entry = "x:y", python = "venv", env = {{ PYTHONPATH = "{folder}/lib" }} }}'
    (folder / "mine.toml").write_text(PROFILE.format(stack="gunicorn", app=app, more=""))
    assert requirements_missing(catalogue.load("mine"), catalogue) == []


def test_an_app_or_interpreter_that_isnt_there(complaints: Complaints, folder: Path) -> None:
    assert complaints(app='{ path = "none", entry = "x:y" }') == [
        f'mine: app.path: found "{folder}/none", but there is no such folder'
    ]
    assert complaints(app='{ path = ".", entry = "x:y", python = "none" }') == [
        f'mine: app.python: found "none", but there is no {folder}/none; '
        "name an interpreter or a virtual environment's folder"
    ]


def test_cpus_that_arent_there_name_those_that_are(
    complaints: Complaints, catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.plan.binding.usable_cpus", lambda: (0,))
    assert complaints("cpus=8190-8191", "load.cpus=8191") == [
        "mine: cpus: found CPUs 8190-8191, which this machine doesn't have; usable: 0",
        "mine: load.cpus: found CPU 8191, which this machine doesn't have; usable: 0",
    ]
    assert requirements_missing(catalogue.load("mine", ["cpus=8191", "user=nobody-knows"]), catalogue) == [
        'mine: user: found "nobody-knows", but this machine has no such user',
        "mine: cpus: found CPU 8191, which this machine doesn't have; usable: 0",
    ]
    monkeypatch.setattr("os.sysconf", lambda _: 4)
    assert complaints("cpus=1") == [
        "mine: cpus: found CPU 1, which may not be used here (affinity or cgroup); usable: 0"
    ]


def test_a_profile_from_a_record_may_name_what_isnt_there_any_more(
    catalogue: Catalogue, folder: Path
) -> None:
    def complaint(**keys: Any) -> str:
        profile = Profile(name="old", title="t", load=Load(connections=1, requests=1), **keys)
        with pytest.raises(UserError) as error:
            make_plan(profile, catalogue, run_id="r", runtime=Path("/tmp/x"), logs=folder)
        return str(error.value)

    assert complaint(stack="gunicron") == 'old: stack: there is no stack "gunicron"; did you mean "gunicorn"?'
    assert (
        complaint(stack="gunicorn", app="helo") == 'old: app: there is no app "helo"; did you mean "hello"?'
    )
    assert complaint(stack="gunicorn", app="hello", options={"backlog": "x", "turbo": True}) == (
        'old: options.backlog: found "x"; a whole number is allowed\n'
        'old: options.turbo: the stack "gunicorn" has no such option; known: backlog, freeze, listen, port, '
        "preload, threads, timeout, worker_class"
    )
    gone = Profile(name="old", title="t", stack="gunicron", load=Load(connections=1, requests=1))
    assert requirements_missing(gone, catalogue) == [
        'old: stack: there is no stack "gunicron"; did you mean "gunicorn"?'
    ]


def test_an_app_that_the_stack_cant_serve_names_those_that_it_can(
    complaints: Complaints, folder: Path
) -> None:
    (folder / "apps" / "rack").mkdir(parents=True)
    (folder / "apps" / "rack" / "app.toml").write_text(
        'title = "r"\nexpect = {}\ninterfaces = { rack = { entry = "config.ru" }, fastcgi = { entry = "x" } }\n'
    )
    line = (
        'mine: app: found "rack", which speaks fastcgi, rack, but the stack "gunicorn" speaks wsgi; '
        "apps for wsgi: heavy, hello, page, static"
    )
    assert complaints(app='"rack"') == [line]
    assert list(map(str, check_files(Catalogue(search=[folder, SHIPPED]), [folder / "mine.toml"]))) == [line]


def test_a_stack_that_needs_an_app_or_takes_none(
    catalogue: Catalogue, folder: Path, complaints: Complaints
) -> None:
    external = '[options]\nurl = "http://127.0.0.1:9"\nprocess = "nginx"\n'
    assert complaints(stack="external", more=external) == [
        'mine: app: the stack "external" takes no app from a profile; leave out app'
    ]
    (folder / "other.toml").write_text(
        PROFILE.format(stack="gunicorn", app='""', more="").replace('app   = ""\n', "")
    )
    with pytest.raises(ProfileErrors) as errors:
        make_plan(catalogue.load("other"), catalogue, run_id="r", runtime=Path("/tmp/x"), logs=folder)
    assert str(errors.value) == (
        'other: app: missing, but the stack "gunicorn" serves an app over wsgi; '
        "apps for wsgi: heavy, hello, page, static"
    )


def test_a_unix_socket_path_that_is_too_long(complaints: Complaints) -> None:
    runtime = "/tmp/" + "x" * 100
    (line,) = complaints("options.listen=unix", runtime=runtime)
    assert line == (
        f"mine: the path of the unix socket {runtime}/http.sock has 115 bytes, but at most 107 are allowed; "
        "choose a shorter socket name, or a shorter runtime folder for the run"
    )


def test_a_port_in_use_names_who_holds_it(complaints: Complaints) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        (line,) = complaints(f"options.port={port}")
    assert line.startswith(f"mine: port {port} is in use by pid {os.getpid()} ")
    assert line.endswith("; choose another, or 0 for a free one")


def test_keepalive_with_a_server_that_keeps_nothing(complaints: Complaints) -> None:
    assert complaints("load.keepalive=true") == [
        'mine: load.keepalive: found true, but the stack "gunicorn" keeps no connections with these options; '
        "set it to false"
    ]


def test_an_unknown_user(complaints: Complaints) -> None:
    assert complaints("user=nobody-knows") == [
        'mine: user: found "nobody-knows", but this machine has no such user'
    ]


def test_another_user_needs_root(complaints: Complaints, monkeypatch: pytest.MonkeyPatch) -> None:
    other = next(user.pw_name for user in pwd.getpwall() if user.pw_uid not in (0, os.geteuid(), 12345))
    monkeypatch.setattr("os.geteuid", lambda: 12345)
    (line, *_) = complaints(f"user={other}")
    assert (
        line
        == f'mine: user: found "{other}", but only root can start a stack as another user; leave out user'
    )


@ROOT_ONLY
def test_an_app_that_the_stacks_user_cant_read_names_what_refuses(complaints: Complaints) -> None:
    runtime = make_runtime_folder()
    runtime.chmod(0o711)
    try:
        secret = runtime / "secret"
        (secret / "shop").mkdir(parents=True)
        secret.chmod(0o700)
        app = f'{{ path = "{secret}/shop", entry = "shop:app", python = "/bin/sh" }}'
        (missing, line) = complaints("user=nobody", app=app)
        assert "gunicorn isn't installed in /bin/sh" in missing
        assert line == (
            f"mine: app: nobody can't read {secret}/shop: {secret} is drwx------ root; "
            "give nobody access, put it elsewhere, or run the stack as another user"
        )
        secret.chmod(0o711)
        (secret / "shop" / "shop.py").touch(mode=0o600)
        (_, line) = complaints("user=nobody", app=app)
        assert f"nobody can't read {secret}/shop/shop.py: {secret}/shop/shop.py is -rw------- root" in line
        (secret / "shop" / "shop.py").chmod(0o644)
        assert len(complaints("user=nobody", app=app)) == 1
    finally:
        shutil.rmtree(runtime)


@ROOT_ONLY
def test_a_link_into_a_closed_folder_names_that_folder(complaints: Complaints) -> None:
    runtime = make_runtime_folder()
    runtime.chmod(0o711)
    try:
        (runtime / "closed" / "bin").mkdir(parents=True)
        shutil.copy("/bin/sh", runtime / "closed" / "bin" / "python")
        (runtime / "closed").chmod(0o700)
        (runtime / "venv" / "bin").mkdir(parents=True)
        (runtime / "venv" / "bin" / "python").symlink_to(runtime / "closed" / "bin" / "python")
        app = f'{{ path = "{runtime}/venv", entry = "shop:app", python = "." }}'
        (_, line) = complaints("user=nobody", app=app)
        assert f"nobody can't read {runtime}/venv/bin/python: {runtime}/closed is drwx------ root" in line
    finally:
        shutil.rmtree(runtime)


def test_all_that_stands_against_a_run_comes_at_once(complaints: Complaints) -> None:
    found = complaints("cpus=8191", "load.keepalive=true", "user=nobody-knows", "options.listen=unix",
                       runtime="/tmp/" + "x" * 100)  # fmt: skip
    assert [line.split(":")[1].strip()[:20] for line in found] == [
        "user", "cpus", "load.keepalive", "the path of the unix",
    ]  # fmt: skip


@pytest.mark.usefixtures("without_nginx")
def test_a_command_whose_program_nobody_required(folder: Path, complaints: Complaints) -> None:
    _stack(folder, '[[services]]\nname = "a"\ncommand = ["stackdyno-never-installed"]\n')
    assert complaints(stack="odd") == [
        "mine: there is no program stackdyno-never-installed (services[0].command)"
    ]


@pytest.mark.parametrize(
    ("url", "line"),
    [
        ("https://127.0.0.1", 'found the URL "https://127.0.0.1"; write http://HOST:PORT; the path belongs in '
         "load.path, and https isn't measured"),
        ("http://127.0.0.1/x", 'found the URL "http://127.0.0.1/x"; write http://HOST:PORT; the path belongs in '
         "load.path, and https isn't measured"),
        ("http://127.0.0.1:99999", 'found the URL "http://127.0.0.1:99999"; write http://HOST:PORT; the path belongs '
         "in load.path, and https isn't measured"),
        ("http://192.0.2.1:80", "http://192.0.2.1:80 is on another machine (192.0.2.1); set allow_remote = true if "
         "you may put a load on it"),
    ],
)  # fmt: skip
def test_a_url_that_cant_be_measured(catalogue: Catalogue, folder: Path, url: str, line: str) -> None:
    more = f'[options]\nurl = "{url}"\nprocess = "nginx"\n'
    text = PROFILE.format(stack="external", app='""', more=more).replace('app   = ""\n', "")
    (folder / "web.toml").write_text(text)
    with pytest.raises(ProfileErrors) as errors:
        make_plan(catalogue.load("web"), catalogue, run_id="r", runtime=Path("/tmp/x"), logs=folder)
    assert str(errors.value) == f"web: options: {line}"
    if "192" in url:
        (folder / "web.toml").write_text("allow_remote = true\n" + text)
        with pytest.raises(ProfileErrors) as errors:
            make_plan(catalogue.load("web"), catalogue, run_id="r", runtime=Path("/tmp/x"), logs=folder)
        assert str(errors.value) == (
            "web: options: found process of pid_file, unit and process; "
            "set none of them: another machine's processes can't be seen from here"
        )
        (folder / "web.toml").write_text("allow_remote = true\n" + text.replace('process = "nginx"\n', ""))
        plan = make_plan(catalogue.load("web"), catalogue, run_id="r", runtime=Path("/tmp/x"), logs=folder)
        assert plan.address == "192.0.2.1:80"
        assert (plan.server_cpus, plan.shared_cpus) == ((), False)


@pytest.mark.parametrize(
    ("options", "found"),
    [("", "none"), ('unit = "a"\nprocess = "b"', "unit and process")],
)
def test_an_external_stack_is_found_in_exactly_one_way(
    catalogue: Catalogue, folder: Path, options: str, found: str
) -> None:
    more = f'[options]\nurl = "http://127.0.0.1:9"\n{options}\n'
    (folder / "web.toml").write_text(
        PROFILE.format(stack="external", app='""', more=more).replace('app   = ""\n', "")
    )
    with pytest.raises(ProfileErrors) as errors:
        make_plan(catalogue.load("web"), catalogue, run_id="r", runtime=Path("/tmp/x"), logs=folder)
    assert str(errors.value) == (
        f"web: options: found {found} of pid_file, unit and process; "
        "set exactly one to say which processes belong to the stack"
    )


def _stack(folder: Path, text: str, **files: str) -> Path:
    stack = folder / "stacks" / "odd"
    stack.mkdir(parents=True)
    (stack / "stack.toml").write_text(f'title = "odd"\ninterface = "wsgi"\naddress = "127.0.0.1:1"\n{text}')
    for name, content in files.items():
        (stack / name).write_text(content)
    return stack / "stack.toml"


ODD = """\
workers = "{{ worker }}"
leftovers = ["{{ runtime }", "/tmp/{{ options.nme }}"]
[options.name]
type = "string"
default = "x"
help = ""
[[files]]
template = "conf"
path = "{{ ports.http }}"
[[files]]
template = "none"
path = "none"
[[services]]
name = "a"
command = ["{{ app.pyhton }}", { when = "{{ load.x }}", args = ["{% if %}"] }]
env = { A = "{{ range(copy) }}{% for name in cpus %}{{ name }}{% endfor %}" }
"""


def test_every_undefined_name_and_syntax_error_of_a_stack_is_found_before_a_run(
    folder: Path, complaints: Complaints
) -> None:
    path = _stack(folder, ODD, conf="a\n{{ options.name }}\n{{ optoins.name }}\n")
    expected = [
        'stacks/odd/stack.toml: workers: undefined name "worker"; did you mean "workers"?',
        "stacks/odd/stack.toml: leftovers[0]: the template has an error: unexpected '}'",
        'stacks/odd/stack.toml: leftovers[1]: undefined name "options.nme"; did you mean "name"?',
        'stacks/odd/stack.toml: files[0].path: undefined name "ports.http"; there are none',
        'stacks/odd/stack.toml: services[0].command[0]: undefined name "app.pyhton"; did you mean "python"?',
        'stacks/odd/stack.toml: services[0].command[1].when: undefined name "load.x"; known: connections, keepalive',
        "stacks/odd/stack.toml: services[0].command[1].args[0]: the template has an error: "
        "Expected an expression, got 'end of statement block'",
        'stacks/odd/conf:3: undefined name "optoins"; did you mean "options"?',
        "stacks/odd/none: the template file is missing",
    ]
    assert complaints(stack="odd") == expected
    assert list(map(str, check_files(Catalogue(search=[folder, SHIPPED]), [path]))) == expected


def test_keys_of_a_stack_by_their_old_names_are_read(folder: Path) -> None:
    path = _stack(folder, 'litter = ["/tmp/x"]\n[attach]\nurl = "http://127.0.0.1:1"\n')
    definition = Catalogue(search=[folder, SHIPPED]).stack_at(path)
    assert definition.leftovers == ("/tmp/x",)
    assert definition.external is not None
    assert definition.external.url == "http://127.0.0.1:1"


def test_a_mistake_below_an_old_name_is_reported_as_written(folder: Path) -> None:
    path = _stack(folder, "litter = [1]\n[attach]\nuri = 1\n")
    assert list(map(str, check_files(Catalogue(search=[folder, SHIPPED]), [path]))) == [
        "stacks/odd/stack.toml:4: litter[0]: found 1; text in quotes is allowed",
        'stacks/odd/stack.toml:6: attach.uri: unknown key; did you mean "url"?',
    ]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('keepalive = "{{ options.name }}"', 'keepalive: gives "x"; true or false is allowed'),
        ('workers = "{{ options.name }}"', 'workers: gives "x"; a whole number is allowed'),
        (
            'leftovers = ["{{ options.name.y }}"]',
            "leftovers[0]: uses something undefined: 'str object' has no attribute 'y'",
        ),
    ],
)
def test_what_a_template_gives_is_checked(folder: Path, complaints: Complaints, text: str, line: str) -> None:
    option = '[options.name]\ntype = "string"\ndefault = "x"\nhelp = ""\n'
    _stack(folder, f'{text}\n{option}[[services]]\nname = "a"\ncommand = ["sleep", "1"]\n')
    assert complaints(stack="odd") == [f"stacks/odd/stack.toml: {line}"]


def test_a_file_stays_in_the_runtime_folder(folder: Path, complaints: Complaints) -> None:
    files = '[[files]]\ntemplate = "conf"\npath = "../conf"\n'
    _stack(folder, f'{files}[[services]]\nname = "a"\ncommand = ["sleep", "1"]\n', conf="")
    assert complaints(stack="odd") == ["mine: files[0].path: /tmp/conf isn't in the runtime folder"]


def test_a_file_is_of_one_kind(folder: Path, complaints: Complaints) -> None:
    file = '[[files]]\npath = "x"\nfolder = true\nsource = "/etc/hostname"\n'
    _stack(folder, f'{file}[[services]]\nname = "a"\ncommand = ["sleep", "1"]\n')
    with pytest.raises(UserError, match="exactly one of template, source and folder = true"):
        complaints(stack="odd")


def test_what_runs_and_leaves_no_place(folder: Path, complaints: Complaints) -> None:
    conflict = (
        f'[[conflicts]]\npid_file = "{folder}/it.pid"\nfound = "another one runs"\nallowed = "stop it"\n'
    )
    _stack(folder, f'{conflict}[[services]]\nname = "a"\ncommand = ["stackdyno-never-installed"]\n')
    (folder / "it.pid").write_text("999999999")
    assert "another one" not in complaints(stack="odd")[0]
    (folder / "it.pid").write_text(f"{os.getpid()}\n")
    (line,) = complaints(stack="odd")
    assert line.startswith(f"mine: stack: another one runs: pid {os.getpid()} (")
    assert line.endswith(f"), says {folder}/it.pid; stop it")


def test_check_files_finds_all_problems_of_all_files_and_none_in_the_shipped_ones(folder: Path) -> None:
    catalogue = Catalogue(search=[folder, SHIPPED], extra=Path(__file__).parents[2] / "relay")
    assert check_files(catalogue) == []
    (folder / "a.toml").write_text("title =")
    (folder / "b.toml").write_text(PROFILE.format(stack="odd", app='"hello"', more="colour = 1"))
    _stack(folder, "x = 1\n")
    broken, *others = map(str, check_files(catalogue))
    assert broken.startswith("a.toml: isn't valid TOML: invalid value (at ")
    assert others == [
        f"stacks/odd/stack.toml:4: x: unknown key; known: {', '.join(sorted(StackDefinition.model_fields))}",
        "b.toml:4: colour: unknown key; known: allow_remote, app, cpus, expect, load, options, order, pin, stack, "
        "title, user, workers",
    ]
