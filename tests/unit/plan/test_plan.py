"""From a profile to commands: what a plan says, for the shipped stacks and for one that uses all of the model."""

import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from tui.plan.plan import Plan, RoleRule
from tui.plan.planning import make_plan
from tui.plan.runtime_folder import write_files
from tui.profile.catalogue import Catalogue, shipped_folder

RELAY = Path(__file__).parents[2] / "relay"
Planner = Callable[..., Plan]

needs_nginx = pytest.mark.skipif(
    shutil.which("nginx", path="/usr/sbin:/usr/bin") is None,
    reason="not installed: nginx (apt install nginx)",
)


@pytest.fixture
def planned(runtime: Path, tmp_path: Path) -> Planner:
    """Plans a profile of the shipped ones or of the tests, with overrides."""
    catalogue = Catalogue(search=[shipped_folder()], extra=RELAY)

    def plan(name: str, *overrides: str) -> Plan:
        return make_plan(
            catalogue.load(name, overrides), catalogue, run_id="run-1", runtime=runtime, logs=tmp_path
        )

    return plan


def test_the_runtime_folder_has_a_short_name(runtime: Path) -> None:
    assert runtime.parent == Path("/tmp")
    assert len(str(runtime)) < 30


def test_gunicorn_is_one_service_with_roles_by_depth(planned: Planner, runtime: Path, tmp_path: Path) -> None:
    plan = planned("gunicorn-sync")
    (service,) = plan.services
    port = plan.ports["http"]
    assert plan.address == plan.load_host == f"127.0.0.1:{port}"
    assert plan.url == f"http://127.0.0.1:{port}/"
    assert service.argv[:3] == (sys.executable, "-m", "gunicorn")
    assert "--no-control-socket" in service.argv
    assert "--preload" not in service.argv
    assert service.argv[-1] == "hello_wsgi:app"
    assert service.cwd == shipped_folder() / "apps" / "hello"
    assert (service.log, service.pid_file) == (tmp_path / "gunicorn.log", runtime / "gunicorn.pid")
    assert (service.stop_signal, service.daemonises) == (signal.SIGTERM, False)
    assert [(rule.role, rule.depth) for rule in service.roles] == [
        ("master", 0),
        ("worker", 1),
        ("helper", None),
    ]
    assert (plan.workers, plan.keepalive, plan.interface, plan.app) == (2, False, "wsgi", "hello")
    assert (plan.expect.status, plan.expect.body, plan.expect.length) == (200, "Hello, world!\n", 14)
    assert set(plan.versions) == {"gunicorn", "Python"}


def test_the_environment_is_small_and_its_home_is_the_runtime_folder(
    planned: Planner, runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    monkeypatch.setenv("http_proxy", "http://proxy")
    (service,) = planned("gunicorn-sync").services
    assert set(service.env) == {
        "PATH", "LANG", "HOME", "TMPDIR", "USER", "LOGNAME", "STACKDYNO_RUN", "STACKDYNO_SERVICE",
        "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED",
        "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME",
    }  # fmt: skip
    assert {service.env[name] for name in service.env if name.startswith("XDG_")} == {str(runtime)}
    assert (service.env["HOME"], service.env["STACKDYNO_RUN"], service.env["STACKDYNO_SERVICE"]) == (
        str(runtime), "run-1", "gunicorn",
    )  # fmt: skip
    assert "/usr/sbin" in service.env["PATH"].split(":")


def test_options_become_arguments(planned: Planner, runtime: Path) -> None:
    plan = planned(
        "gunicorn-sync", "options.worker_class=gthread", "options.threads=7", "options.listen=unix",
        "options.timeout=1m", "load.keepalive=true", "load.headers.Host=shop.example",
    )  # fmt: skip
    argv = plan.services[0].argv
    following = dict(pairwise(argv))
    assert (following["--threads"], following["--timeout"]) == ("7", "60")
    assert following["--bind"] == plan.address == f"unix:{runtime}/http.sock"
    assert plan.keepalive
    assert plan.url == f"http://shop.example/ on unix:{runtime}/http.sock"
    assert plan.load_host == "shop.example"


def test_head_expects_no_body(planned: Planner) -> None:
    expect = planned("gunicorn-sync", "load.method=HEAD").expect
    assert (expect.status, expect.body, expect.length) == (200, None, None)


@needs_nginx
def test_nginx_gets_its_whole_world_in_the_runtime_folder(planned: Planner, runtime: Path) -> None:
    plan = planned("nginx-gunicorn", "load.connections=2000")
    gunicorn, nginx = plan.services
    assert gunicorn.argv[gunicorn.argv.index("--bind") + 1] == f"unix:{plan.sockets['app']}"
    assert nginx.argv[0].startswith("/")
    assert nginx.argv[1:] == ("-p", str(runtime), "-c", f"{runtime}/nginx.conf", "-e", "stderr")
    assert nginx.stop_signal == signal.SIGQUIT
    assert RoleRule("front", None, "worker process") in nginx.roles
    (conf,) = plan.files
    assert (conf.path, conf.mode) == (runtime / "nginx.conf", 0o644)
    assert ("user root;" in conf.content) == (os.geteuid() == 0)
    assert "worker_connections 8000;" in conf.content
    assert "keepalive_timeout 0;" in conf.content
    assert "affinity" not in conf.content
    kept = planned("nginx-gunicorn", "load.keepalive=true").files[0].content
    assert "keepalive_timeout 75s;" in kept


@needs_nginx
@pytest.mark.parametrize("keepalive", ["true", "false"])
def test_nginx_accepts_its_configuration(planned: Planner, keepalive: str) -> None:
    plan = planned("nginx-gunicorn", f"load.keepalive={keepalive}")
    write_files(plan)
    nginx = plan.services[1]
    tested = subprocess.run(
        [*nginx.argv, "-t"],
        env=nginx.env,
        cwd=nginx.cwd,
        capture_output=True,
        text=True,
        timeout=10,
        check=False,
    )
    assert tested.returncode == 0, tested.stderr
    assert "warn" not in tested.stderr


def test_the_command_for_gunicorn_serves_the_14_bytes_and_leaves_nothing(
    planned: Planner, runtime: Path
) -> None:
    plan = planned("gunicorn-sync", "workers=1")
    service = plan.services[0]
    app_files = sorted(service.cwd.rglob("*"))
    with subprocess.Popen(service.argv, cwd=service.cwd, env=service.env, stderr=subprocess.PIPE) as process:
        try:
            answer = _answer(plan)
            body = answer.read()
        finally:
            process.send_signal(service.stop_signal)
            log = process.stderr.read() if process.stderr else b""
            status = process.wait(10)
    assert (answer.status, body, len(body)) == (200, b"Hello, world!\n", 14), log
    assert (status, list(runtime.iterdir())) == (0, [])
    assert sorted(service.cwd.rglob("*")) == app_files


def _answer(plan: Plan) -> http.client.HTTPResponse:
    deadline = time.monotonic() + 10
    while True:
        try:
            connection = http.client.HTTPConnection(plan.address, timeout=5)
            connection.request("GET", plan.path, headers={"Host": plan.load_host})
            return connection.getresponse()
        except ConnectionRefusedError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def test_a_stack_known_to_the_tests_only_uses_all_of_the_model(planned: Planner, runtime: Path) -> None:
    plan = planned("relay", "options.logging=loud", "options.answer_limit=1MB")
    pool, *fronts = plan.services
    front = plan.ports["front.0"]
    assert sorted(plan.ports) == ["front.0", "front.1", "spare"]
    assert len(set(plan.ports.values())) == 3
    assert plan.sockets == {
        "pool": f"{runtime}/pool.sock", **{f"each.{n}": f"{runtime}/each-{n}.sock" for n in range(3)}
    }  # fmt: skip
    assert plan.address == f"127.0.0.1:{front}"
    assert plan.path == "/greeting"
    assert (pool.daemonises, pool.pid_file, pool.stop_signal, pool.stop_timeout) == (
        True, runtime / "pool.pid", signal.SIGUSR1, 3.0,
    )  # fmt: skip
    assert pool.cwd == RELAY / "apps" / "greeting"
    assert pool.argv[-2:] == ("--log", f"{runtime}/answers.log")
    assert (pool.env["SLOGAN"], pool.env["GREETED"]) == ("one, two", "everyone")
    assert [(each.name, each.copy, each.argv[-2], each.log.name) for each in fronts] == [
        ("front", 0, str(front), "front-0.log"),
        ("front", 1, str(plan.ports["front.1"]), "front-1.log"),
    ]
    assert "GREETED" not in fronts[0].env
    assert plan.leftovers == (f"/tmp/stackdyno-relay-{plan.ports['spare']}.*",)
    assert set(plan.versions) == {"Python"}
    assert [(file.path.relative_to(runtime), file.mode) for file in plan.files] == [
        (Path("conf/pool.json"), 0o600), (Path("loud.txt"), 0o644),
        (Path("copied/front"), 0o755), (Path("spool"), 0o700),
    ]  # fmt: skip
    assert '"limit": 1000000,' in plan.files[0].content
    assert '"patience": 1.5,' in plan.files[0].content
    assert plan.files[1].content.splitlines()[2] == f"3 of 3: {runtime}/each-2.sock"


def test_an_option_may_change_the_interface(planned: Planner) -> None:
    plan = planned("relay", "options.capitals=true")
    assert plan.interface == "capitals"
    assert "capitals.txt" in plan.files[0].content


def test_files_are_written_with_their_modes(planned: Planner, runtime: Path) -> None:
    plan = planned("relay")
    write_files(plan)
    path = runtime / "conf" / "pool.json"
    assert path.read_text() == plan.files[0].content
    assert path.stat().st_mode & 0o777 == 0o600
    copied = runtime / "copied" / "front"
    assert copied.read_text() == (RELAY / "stacks" / "relay" / "front.py").read_text()
    assert copied.stat().st_mode & 0o777 == 0o755
    assert (runtime / "spool").is_dir()
    assert (runtime / "spool").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    "name", ["gunicorn-sync", pytest.param("nginx-gunicorn", marks=needs_nginx), "relay"]
)
def test_a_plan_round_trips_through_json(planned: Planner, name: str) -> None:
    plan = planned(name)
    assert Plan.from_json(plan.to_json()) == plan


def test_reading_a_plan_needs_the_standard_library_alone() -> None:
    code = "import sys, tui.plan.plan; sys.exit(any(name in sys.modules for name in ('pydantic', 'jinja2', 'httpx')))"
    assert subprocess.run([sys.executable, "-c", code], timeout=20, check=False).returncode == 0


class TestCpus:
    @pytest.fixture(autouse=True)
    def machine(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.monkeypatch = monkeypatch
        self.usable((0, 1, 2, 3))

    def usable(self, cpus: tuple[int, ...], threads: dict[int, frozenset[int]] | None = None) -> None:
        alone = {cpu: frozenset({cpu}) for cpu in cpus}
        self.monkeypatch.setattr("tui.plan.binding.usable_cpus", lambda: cpus)
        self.monkeypatch.setattr("tui.plan.binding.thread_siblings", lambda _: threads or alone)

    def test_auto_shares_the_machine_out(self, planned: Planner) -> None:
        plan = planned("gunicorn-sync")
        assert (plan.server_cpus, plan.load_cpus, plan.shared_cpus, plan.notices) == (
            (0, 1, 2),
            (3,),
            False,
            (),
        )
        assert plan.services[0].cpus == (0, 1, 2)

    def test_one_cpu_goes_to_both_and_that_is_said(self, planned: Planner) -> None:
        self.usable((0,))
        plan = planned("gunicorn-sync")
        assert (plan.server_cpus, plan.load_cpus, plan.shared_cpus, plan.shared_by_choice) == (
            (0,),
            (0,),
            True,
            False,
        )
        assert plan.notices == ("server and load share CPU 0: this machine has no other",)

    def test_sharing_by_choice_is_told_from_sharing_by_need(self, planned: Planner) -> None:
        plan = planned("gunicorn-sync", "cpus=0-1", "load.cpus=1-2")
        assert (plan.shared_cpus, plan.shared_by_choice) == (True, True)
        assert plan.notices == ("server and load share CPU 1: the profile asks for it",)
        self.usable((0,))
        assert not planned("gunicorn-sync", "cpus=0", "load.cpus=0").shared_by_choice

    def test_auto_keeps_away_from_chosen_cpus(self, planned: Planner) -> None:
        assert planned("gunicorn-sync", "cpus=3").load_cpus == (2,)
        assert planned("gunicorn-sync", "load.cpus=0").server_cpus == (1, 2, 3)
        assert planned("gunicorn-sync", "cpus=0-3").load_cpus == (3,)

    def test_two_threads_of_a_core_are_shared_too(self, planned: Planner) -> None:
        pairs = {0: frozenset({0, 1}), 1: frozenset({0, 1}), 2: frozenset({2, 3}), 3: frozenset({2, 3})}
        self.usable((0, 1, 2, 3), pairs)
        assert planned("gunicorn-sync", "cpus=0").load_cpus == (2, 3)
        assert planned("gunicorn-sync", "load.cpus=3").server_cpus == (0, 1)
        plan = planned("gunicorn-sync", "cpus=0", "load.cpus=1")
        assert plan.notices == ("server and load share the core of CPUs 0 and 1: the profile asks for it",)


class TestExternal:
    @pytest.fixture
    def port(self) -> Iterator[int]:
        with socket.create_server(("127.0.0.1", 0)) as server:
            yield server.getsockname()[1]

    def test_nothing_is_started(self, runtime: Path, tmp_path: Path, port: int) -> None:
        profile = tmp_path / "web.toml"
        profile.write_text(
            f'title = "t"\nstack = "external"\n[options]\nurl = "http://localhost:{port}"\nunit = "nginx.service"\n'
            "[load]\nconnections = 1\nrequests = 1\nkeepalive = true\n"
        )
        catalogue = Catalogue(search=[shipped_folder()])
        plan = make_plan(catalogue.load(str(profile)), catalogue, run_id="r", runtime=runtime, logs=tmp_path)
        assert (plan.services, plan.files, plan.workers, plan.app) == ((), (), None, None)
        assert plan.address == f"127.0.0.1:{port}"
        assert plan.load_host == f"localhost:{port}"
        assert plan.expect.status == 200
        assert plan.external is not None
        assert (plan.external.pid_file, plan.external.unit, plan.external.process) == (
            None,
            "nginx.service",
            None,
        )
        assert Plan.from_json(plan.to_json()) == plan
