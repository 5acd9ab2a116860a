"""From a profile to a plan. Mistakes are collected, as long as one doesn't hide the next, and reported together."""

import os
import pwd
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from tui.load.request import Expected
from tui.plan import checks
from tui.plan.addresses import Allotment, address_of, allot, check_ways, flat, is_remote, socket_problems
from tui.plan.binding import Binding, bind
from tui.plan.load_command import load_command
from tui.plan.pairing import ServedApp, served_app, unreadable_problems
from tui.plan.plan import ExternalPlan, Plan
from tui.plan.rendering import Rendering
from tui.plan.runtime_folder import homes
from tui.plan.templates import Renderer, group, template_problems
from tui.profile.catalogue import Catalogue
from tui.profile.definition import StackDefinition
from tui.profile.loading import option_problems
from tui.profile.models import Expect, Profile
from tui.profile.positions import KeyPath
from tui.profile.problems import Problem, ProfileErrors, key_text
from tui.system.errors import UserError
from tui.system.procfs import pids_in, read_stat

HOST = "127.0.0.1"
T = TypeVar("T")


def make_plan(
    profile: Profile, catalogue: Catalogue, *, run_id: str, runtime: Path, logs: Path, ask: bool = True
) -> Plan:
    """What running ``profile`` on this machine means, in a folder that ``make_runtime_folder`` made.

    Writes nothing. Starts nothing but, with ``ask``, another interpreter that is asked for a module.

    Raises ``ProfileErrors`` with everything that prevents the run.
    """
    definition, folder = _stack(profile, catalogue)
    if problems := template_problems(definition, template_folders(folder, catalogue)):
        raise ProfileErrors(problems)
    return _Planning(profile, catalogue, definition, folder, run_id, runtime, logs, ask).plan()


def draft(profile: Profile, catalogue: Catalogue, *, ask: bool = False) -> Plan:
    """The plan as it would be, in folders that don't exist. Raises as :func:`make_plan` does."""
    nowhere = Path("/tmp/stackdyno-12345678")  # as long as a real one: a socket's path may be too long
    return make_plan(profile, catalogue, run_id="", runtime=nowhere, logs=nowhere, ask=ask)


def requirements_missing(profile: Profile, catalogue: Catalogue, *, ask: bool = False) -> list[str]:
    """What this machine lacks to run a profile, such as "needs nginx: apt install nginx"; empty if nothing.

    It covers programs and modules, CPUs, the user and that user's rights, but not ports, which come and go.
    """
    try:
        planning = _paired(profile, catalogue)
        planning.ask = ask
        missing = list(planning.missing())
        planning.check_rights()
        return [*missing, *map(str, planning.problems), *map(str, bind(profile)[1])]
    except ProfileErrors as errors:
        return [str(problem) for problem in errors.problems]


def pairing_problems(profile: Profile, catalogue: Catalogue) -> list[Problem]:
    """Why the app of a profile doesn't fit its stack, on any machine."""
    return _paired(profile, catalogue).problems


def template_folders(folder: Path, catalogue: Catalogue) -> list[Path]:
    """A stack's own folder, then all folders of stacks, so that stacks can share templates as "OTHER/FILE"."""
    return [folder, *(each / "stacks" for each in catalogue.folders)]


def _paired(profile: Profile, catalogue: Catalogue) -> "_Planning":
    """A planning that only goes as far as the app, and writes nothing."""
    definition, folder = _stack(profile, catalogue)
    nowhere = Path("/nowhere")
    planning = _Planning(profile, catalogue, definition, folder, "", nowhere, nowhere)
    planning.choose_app()
    return planning


def _own_problem(profile: Profile) -> Callable[[KeyPath, str, str], Problem]:
    """Problems with a resolved profile, which has a name but no file any more."""
    return lambda path, found, allowed: Problem(profile.name, key_text(path), found, allowed)


def _stack(profile: Profile, catalogue: Catalogue) -> tuple[StackDefinition, Path]:
    try:
        definition, folder = catalogue.stack(profile.stack)
    except ProfileErrors:
        raise
    except UserError as error:
        raise ProfileErrors([Problem(profile.name, "stack", str(error))]) from None
    defaults = {
        name: option.default for name, option in definition.options.items() if option.default is not None
    }
    options = defaults | profile.options  # options of a profile from a record may no longer fit
    if problems := option_problems(options, profile.stack, definition, _own_problem(profile)):
        raise ProfileErrors(problems)
    return definition, folder


@dataclass
class _Planning:
    profile: Profile
    catalogue: Catalogue
    definition: StackDefinition
    folder: Path
    run_id: str
    runtime: Path
    logs: Path
    ask: bool = False
    """Whether the app's interpreter may be started, to ask it for modules."""
    problems: list[Problem] = field(default_factory=list)
    account: pwd.struct_passwd | None = None
    app: ServedApp | None = None
    binding: Binding | None = None
    allotment: Allotment = field(default_factory=lambda: Allotment({}, {}))

    def plan(self) -> Plan:
        """The whole plan, or ``ProfileErrors`` with everything that prevents it."""
        self.choose_app()
        self.problems += [Problem(self.profile.name, "", missing) for missing in self.missing()]
        self.check_rights()
        self.binding, problems = bind(self.profile)
        self.problems += problems
        self.check_workers()
        self.check_keepalive()
        self.check_conflicts()
        self.choose_addresses()
        if self.problems:
            raise ProfileErrors(self.problems)
        return self.rendered(self.binding)

    def attempt(self, where: str, step: Callable[[], T]) -> T | None:
        """The result of a step, or None, with its mistakes noted."""
        try:
            return step()
        except ProfileErrors as errors:
            self.problems += errors.problems
        except UserError as error:
            self.problems.append(Problem(self.profile.name, where, str(error)))
        return None

    def renderer(self) -> Renderer:
        """A renderer with what is known so far."""
        load, app = self.profile.load, self.app
        context: dict[str, Any] = {
            "workers": self.profile.workers,
            "options": group(self.options()),
            "runtime": str(self.runtime),
            "logs": str(self.logs),
            "stack_dir": str(self.folder.absolute()),
            "ports": group(self.allotment.ports),
            "sockets": group(self.allotment.sockets),
            "host": HOST,
            "cpus": list(self.binding.server) if self.binding else [],
            "load": group({"connections": load.connections or 1, "keepalive": load.keepalive}),
            "user": self.account.pw_name if self.account else "",
            "root": os.geteuid() == 0 and self.account is None,
        }
        if app is not None:
            names = ("entry", "interface", "python", "ruby", "env")
            context["app"] = group({name: getattr(app, name) for name in names} | {"path": str(app.path)})
        return Renderer(template_folders(self.folder, self.catalogue), context)

    def options(self) -> dict[str, Any]:
        """The plain values of the stack's options, set by the profile or by default."""
        given = self.profile.options
        return {
            name: option.check(given.get(name, option.default))
            for name, option in self.definition.options.items()
        }

    def choose_app(self) -> None:
        """Pairs the app with the stack."""
        render = self.renderer().text
        interface = self.attempt("", lambda: render(self.definition.interface, "interface").strip())
        python = self.attempt("", lambda: render(self.definition.python, "python").strip() or sys.executable)
        if interface is not None and python is not None:
            self.app = self.attempt(
                "app", lambda: served_app(self.profile, interface, self.catalogue, python)
            )

    def missing(self) -> Iterator[str]:
        """Each program, file and module that the stack requires and this machine lacks."""
        if self.definition.interface and self.app is None:
            return  # what the app's interpreter lacks is unknown
        renderer = self.renderer()
        for index, needed in enumerate(self.definition.requires):
            place = f"requires[{index}]"
            if not renderer.truth(needed.when, f"{place}.when"):
                continue
            install = renderer.text(needed.install, f"{place}.install")
            if needed.program is not None:
                program = renderer.text(needed.program, f"{place}.program")
                if checks.find_program(program) is None:
                    yield f"needs {program}: {install}"
            elif needed.file is not None:
                path = renderer.text(needed.file, f"{place}.file")
                if checks.find_file(path) is None:
                    yield f"needs {path}: {install}"
            elif needed.module is not None and self.app is not None:
                env = self.environment() | self.app.env
                python, folder, who = self.app.python, self.app.path, self.stacks_user()
                if not checks.has_module(python, needed.module, env, folder, ask=self.ask, who=who):
                    yield f"{needed.module} isn't installed in {_home(self.app.python)}: {install}"

    def check_rights(self) -> None:
        """Check that the user whom the stack should run as exists and can read the app."""
        before = len(self.problems)
        self.account = self.attempt("user", lambda: checks.account_to_change_to(self.user()))
        app = self.app
        if app is None or len(self.problems) > before:
            return
        name = self.profile.name
        self.problems += (
            self.attempt("app", lambda: unreadable_problems(name, app.files(), self.account)) or []
        )

    def user(self) -> str | None:
        """The name of the user whom the stack should run as; None for ourselves."""
        if self.profile.user is None and os.geteuid() == 0:
            return self.definition.root_user or None
        return self.profile.user

    def stacks_user(self) -> pwd.struct_passwd | None:
        """Whose rights a program of the stack gets; nobody's but ours if that user is unknown, which is a problem."""
        try:
            return checks.account_to_change_to(self.user())
        except UserError:
            self.ask = False
            return None

    def check_workers(self) -> None:
        """A stack may be limited to one process, whatever a profile asks for."""
        found, most = self.profile.workers, self.definition.most_workers
        if most is not None and found > most:
            found_words = f'found {found}, but the stack "{self.profile.stack}" has at most {most}'
            self.problems.append(Problem(self.profile.name, "workers", found_words, f"set it to {most}"))

    def check_keepalive(self) -> None:
        """A load that keeps connections needs a server that keeps them too."""
        keeps = self.attempt("", self.keeps_connections)
        if self.profile.load.keepalive and keeps is False:
            found = (
                f'found true, but the stack "{self.profile.stack}" keeps no connections with these options'
            )
            self.problems.append(Problem(self.profile.name, "load.keepalive", found, "set it to false"))

    def keeps_connections(self) -> bool:
        """Whether the server can keep connections."""
        return self.renderer().truth(self.definition.keepalive, "keepalive")

    def check_conflicts(self) -> None:
        """Check for something running that excludes this stack."""
        for index, conflict in enumerate(self.definition.conflicts):
            pid_file = Path(self.renderer().text(conflict.pid_file, f"conflicts[{index}].pid_file"))
            for stat in filter(None, map(read_stat, pids_in(pid_file))):
                if stat.alive:
                    found = f"{conflict.found}: pid {stat.pid} ({stat.comm}), says {pid_file}"
                    self.problems.append(Problem(self.profile.name, "stack", found, conflict.allowed))

    def choose_addresses(self) -> None:
        """Allocates ports and sockets."""
        name = self.profile.name
        allotted = self.attempt("", lambda: allot(self.definition, self.renderer(), self.runtime, name))
        if allotted is not None:
            self.allotment, problems = allotted
            self.problems += problems

    def environment(self) -> dict[str, str]:
        """The environment of every process of the stack: the caller's PATH only; home is the runtime folder."""
        user = self.account.pw_name if self.account else checks.user_name(os.geteuid())
        names = {"USER": user, "LOGNAME": user, "STACKDYNO_RUN": self.run_id}
        return {"PATH": checks.search_path(), "LANG": "C.UTF-8", **homes(self.runtime), **names}

    def rendered(self, binding: Binding) -> Plan:
        """The plan, if nothing prevents it so far."""
        profile, app, renderer = self.profile, self.app, self.renderer()
        rendering = Rendering(
            profile=profile.name,
            definition=self.definition,
            renderer=renderer,
            env=self.environment(),
            app_env=app.env if app else {},
            cpus=binding.server,
            runtime=self.runtime,
            logs=self.logs,
        )
        external = rendering.external()
        address = self.address(external, renderer)
        remote = is_remote(address)
        if external is not None:
            check_ways(external, remote, self.profile.name)
        host = _host_header(profile, address, external)
        where = f" on {address}" if address.startswith("unix:") else ""
        workers = self.definition.workers
        return Plan(
            run_id=self.run_id,
            profile=profile.name,
            stack=profile.stack,
            title=profile.title,
            app=app.name if app else None,
            interface=app.interface if app else None,
            services=tuple(rendering.services()),
            files=tuple(rendering.files()),
            address=address,
            url=f"http://{host}{profile.load.path}{where}",
            path=profile.load.path,
            load_host=host,
            load_command=load_command(profile, address, host),
            expect=_expected(app.expect if app else profile.expect or Expect(), profile.load.method),
            workers=renderer.number(workers, "workers") if workers else None,
            server_cpus=() if remote else binding.server,
            load_cpus=binding.load,
            shared_cpus=binding.shared and not remote,
            shared_by_choice=binding.by_choice and not remote,
            pin=profile.pin,
            uid=self.account.pw_uid if self.account else None,
            gid=self.account.pw_gid if self.account else None,
            user=self.account.pw_name if self.account else None,
            runtime=self.runtime,
            logs=self.logs,
            ready_timeout=self.definition.ready.timeout,
            leftovers=rendering.leftovers(),
            ports=flat(self.allotment.ports),
            sockets=flat(self.allotment.sockets),
            versions=rendering.versions(),
            status=rendering.status(),
            keepalive=self.keeps_connections(),
            external=external,
            notices=() if remote else binding.notices,
        )

    def address(self, external: ExternalPlan | None, renderer: Renderer) -> str:
        """Where the load goes."""
        if external is not None:
            return address_of(external.url, self.profile)
        address = renderer.text(self.definition.address, "address")
        if address.startswith("unix:") and (
            problems := socket_problems(address.removeprefix("unix:"), self.profile.name)
        ):
            raise ProfileErrors(problems)
        return address


def _host_header(profile: Profile, address: str, external: ExternalPlan | None) -> str:
    """The Host header: the profile's own, or the authority that a browser would send for this address."""
    for name, text in profile.load.headers.items():
        if name.lower() == "host":
            return text
    if external is not None:
        return urlsplit(external.url).netloc
    return "localhost" if address.startswith("unix:") else address


def _home(python: str) -> str:
    """How users refer to an interpreter: by its virtual environment's folder, or by its own path."""
    venv = Path(python).parent.parent
    return str(venv) if (venv / "pyvenv.cfg").is_file() else python


def _expected(expect: Expect, method: str) -> Expected:
    if method == "HEAD":  # the answer to HEAD has no body
        return Expected(expect.status, None, None, None)
    return Expected(expect.status, expect.body, expect.contains, expect.length)
