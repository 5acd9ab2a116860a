"""Roles from titles and depth, and what happens to orphans."""

from dataclasses import replace
from pathlib import Path

import pytest

from tui.plan.plan import RoleRule
from tui.stack.roles import ProcessTable
from tui.system.procfs import Identity, ProcessStat

SUPERVISOR = 100
TEMPLATE = ProcessStat(
    identity=Identity(0, 0),
    ppid=0,
    pgid=0,
    session=0,
    state="S",
    comm="server",
    utime=0.0,
    stime=0.0,
    cutime=0.0,
    cstime=0.0,
    threads=1,
    cpu_last=0,
    rss=0,
    kernel_thread=False,
)


def process(pid: int, ppid: int, *, state: str = "S") -> ProcessStat:
    return replace(TEMPLATE, identity=Identity(pid, 10**12 + pid), ppid=ppid, state=state)


class Titles:
    def __init__(self, titles: dict[int, str], environ: dict[int, dict[str, str]] | None = None) -> None:
        self.titles = titles
        self.environ = environ or {}

    def process_table(self, **rules: list[RoleRule]) -> ProcessTable:
        return ProcessTable(rules, title=self.titles.get, environ=self.environ.get)


def roles(process_table: ProcessTable, *processes: ProcessStat) -> dict[int, tuple[str, str]]:
    return {member.stat.pid: (member.service, member.role) for member in process_table.update(processes)}


BY_DEPTH = [RoleRule("master", 0, None), RoleRule("worker", 1, None)]
NGINX = [RoleRule("master", None, "nginx: master"), RoleRule("front", None, "nginx: worker")]


def test_depth_decides_where_titles_are_the_same() -> None:
    process_table = Titles({}).process_table(app=BY_DEPTH)
    process_table.started("app", process(1, SUPERVISOR).identity)
    found = roles(process_table, process(1, SUPERVISOR), process(2, 1), process(3, 1), process(4, 3))
    assert found == {
        1: ("app", "master"),
        2: ("app", "worker"),
        3: ("app", "worker"),
        4: ("app", "helper"),
    }


def test_the_number_of_threads_tells_apart_what_has_the_same_title_and_depth() -> None:
    process_table = Titles({}).process_table(
        app=[RoleRule("helper", 1, None, threads=1), RoleRule("front", 1, None)]
    )
    process_table.started("app", process(1, SUPERVISOR).identity)
    manager, front = process(2, 1), process(3, 1)
    assert roles(process_table, process(1, SUPERVISOR), manager, front)[3] == ("app", "helper")
    found = roles(process_table, process(1, SUPERVISOR), manager, replace(front, threads=64))
    assert (found[2], found[3]) == (("app", "helper"), ("app", "front"))


def test_titles_decide_within_the_service_that_a_process_belongs_to() -> None:
    titles = Titles(
        {10: "nginx: master process nginx", 11: "nginx: worker process", 1: "python", 2: "python"}
    )
    process_table = titles.process_table(app=BY_DEPTH, front=NGINX)
    process_table.started("app", process(1, SUPERVISOR).identity)
    process_table.started("front", process(10, SUPERVISOR).identity)
    found = roles(
        process_table, process(1, SUPERVISOR), process(2, 1), process(10, SUPERVISOR), process(11, 10)
    )
    assert found[10] == ("front", "master")
    assert found[11] == ("front", "front")
    assert found[2] == ("app", "worker")


def test_a_daemon_is_recognised_by_the_mark_in_its_environment() -> None:
    titles = Titles({}, {5: {"STACKDYNO_SERVICE": "app"}})
    process_table = titles.process_table(front=NGINX, app=BY_DEPTH)
    assert roles(process_table, process(5, SUPERVISOR), process(6, 5)) == {
        5: ("app", "master"),
        6: ("app", "worker"),
    }


def test_an_orphan_without_a_mark_is_recognised_by_its_title() -> None:
    process_table = Titles({5: "nginx: worker process"}).process_table(app=BY_DEPTH, front=NGINX)
    assert roles(process_table, process(5, SUPERVISOR)) == {5: ("front", "front")}


def test_a_worker_keeps_its_role_when_its_master_dies() -> None:
    process_table = Titles({}).process_table(app=BY_DEPTH)
    process_table.started("app", process(1, SUPERVISOR).identity)
    roles(process_table, process(1, SUPERVISOR), process(2, 1))
    assert roles(process_table, process(2, SUPERVISOR)) == {2: ("app", "worker")}


def test_the_command_of_a_daemon_and_what_it_forks_on_the_way_are_helpers(tmp_path: Path) -> None:
    pid_file = tmp_path / "app.pid"
    process_table = Titles({}, {3: {"STACKDYNO_SERVICE": "app"}}).process_table(app=BY_DEPTH)
    process_table.launched("app", process(1, SUPERVISOR).identity, pid_file)
    below = [process(1, SUPERVISOR), process(2, 1), process(3, 2)]
    assert {role for _, role in roles(process_table, *below).values()} == {"helper"}
    orphaned = [process(1, SUPERVISOR), process(3, SUPERVISOR), process(4, 3)]
    pid_file.write_text("3")
    assert roles(process_table, *orphaned) == {
        1: ("app", "helper"),
        3: ("app", "master"),
        4: ("app", "worker"),
    }
    assert roles(process_table, *orphaned[1:]) == {3: ("app", "master"), 4: ("app", "worker")}
    assert roles(process_table, process(4, SUPERVISOR)) == {4: ("app", "worker")}


def test_copies_of_a_daemon_have_a_pid_file_each(tmp_path: Path) -> None:
    process_table = Titles(
        {}, {3: {"STACKDYNO_SERVICE": "app"}, 4: {"STACKDYNO_SERVICE": "app"}}
    ).process_table(app=BY_DEPTH)
    for copy, pid in enumerate((3, 4)):
        pid_file = tmp_path / f"app-{copy}.pid"
        pid_file.write_text(str(pid))
        process_table.launched("app", process(1 + copy, SUPERVISOR).identity, pid_file)
    below = [process(1, SUPERVISOR), process(3, 1), process(2, SUPERVISOR), process(4, 2)]
    assert {pid: role for pid, (_, role) in roles(process_table, *below).items()} == {
        1: "helper", 2: "helper", 3: "master", 4: "master",
    }  # fmt: skip


def test_a_daemon_without_a_pid_file_is_the_root_when_its_command_has_gone() -> None:
    process_table = Titles({}, {2: {"STACKDYNO_SERVICE": "app"}}).process_table(app=BY_DEPTH)
    process_table.launched("app", process(1, SUPERVISOR).identity, None)
    roles(process_table, process(1, SUPERVISOR), process(2, 1))
    assert roles(process_table, process(2, SUPERVISOR), process(3, 2)) == {
        2: ("app", "master"),
        3: ("app", "worker"),
    }


def test_a_zombie_is_not_a_member() -> None:
    process_table = Titles({}).process_table(app=BY_DEPTH)
    process_table.started("app", process(1, SUPERVISOR).identity)
    assert set(roles(process_table, process(1, SUPERVISOR), process(2, 1, state="Z"))) == {1}


@pytest.mark.parametrize("pid", [1, 2])
def test_a_pid_that_is_used_again_is_another_process(pid: int) -> None:
    process_table = Titles({}).process_table(app=BY_DEPTH)
    process_table.started("app", process(1, SUPERVISOR).identity)
    roles(process_table, process(1, SUPERVISOR), process(2, 1))
    again = replace(process(pid, SUPERVISOR), identity=Identity(pid, 5))
    assert roles(process_table, again)[pid] == ("app", "master")
