"""A stack that someone else started: which processes belong to it."""

from __future__ import annotations

import re
from pathlib import Path

from tui.plan.plan import ExternalPlan, RoleRule
from tui.stack.roles import ProcessTable
from tui.system.errors import UserError
from tui.system.procfs import ProcessStat, descendants, every_process, pids_in, read_cmdline, read_stat

CGROUPS = Path("/sys/fs/cgroup")
RULES = (RoleRule("master", 0, None), RoleRule("worker", None, None))


class ExternalStack:
    """Finds the processes anew at each look, so a restarted worker is seen. On another machine there are none.

    Nothing is started, bound, signalled or removed here.
    """

    def __init__(self, plan: ExternalPlan) -> None:
        self._plan = plan
        self.process_table = ProcessTable({"external": RULES})

    def look(self) -> list[ProcessStat]:
        """The processes of the stack now; empty when there are none."""
        if self._plan.pid_file is not None:
            return _trees(pids_in(self._plan.pid_file))
        if self._plan.unit is not None:
            return _stats(unit_pids(self._plan.unit))
        if self._plan.process is not None:
            return _trees(named(self._plan.process))
        return []

    def check(self) -> None:
        """Raises UserError if the profile's pid file, unit or process name leads to no process."""
        plan = self._plan
        if (plan.pid_file or plan.unit or plan.process) and not self.look():
            where = (
                f"pid file {plan.pid_file}"
                if plan.pid_file
                else f"unit {plan.unit}"
                if plan.unit
                else f"process name {plan.process}"
            )
            raise UserError(f"{where}: found no running process; is the server up?")


def unit_pids(unit: str) -> list[int]:
    """The processes in a systemd unit's cgroup, from cgroup v2 or the systemd hierarchy of v1."""
    name = unit if "." in unit else f"{unit}.service"
    for root in (CGROUPS, CGROUPS / "systemd", CGROUPS / "unified"):
        for path in (*root.glob(f"*.slice/{name}/**/cgroup.procs"), *root.glob(f"*/*/{name}/cgroup.procs")):
            if pids := [int(pid) for pid in path.read_text().split()]:
                return pids
    return []


def named(process: str) -> list[int]:
    """The topmost processes with that name: those whose parent has another name."""
    stats = {stat.pid: stat for stat in every_process() if stat.alive and not stat.kernel_thread}
    pattern = re.compile(rf"(^|[/\s]){re.escape(process)}([:\s]|$)")

    def fits(stat: ProcessStat | None) -> bool:
        if stat is None:
            return False
        return stat.comm == process[:15] or bool(pattern.search((read_cmdline(stat.pid) or "").split(" ")[0]))

    return [stat.pid for stat in stats.values() if fits(stat) and not fits(stats.get(stat.ppid))]


def _trees(pids: list[int]) -> list[ProcessStat]:
    found: dict[int, ProcessStat] = {}
    for stat in _stats(pids):
        found[stat.pid] = stat
        found.update({below.pid: below for below in descendants(stat.pid)})
    return list(found.values())


def _stats(pids: list[int]) -> list[ProcessStat]:
    return [stat for pid in pids if (stat := read_stat(pid)) is not None]
