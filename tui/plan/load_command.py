"""The command of another load generator, rendered for this run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jinja2 import StrictUndefined
from jinja2.exceptions import TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from tui.plan import checks
from tui.plan.templates import FAULTS
from tui.profile.problems import Problem, ProfileErrors

if TYPE_CHECKING:
    from tui.profile.models import Profile


def load_command(profile: Profile, address: str, host: str) -> tuple[str, ...]:
    """``load.command`` with ``url``, ``address``, ``host`` and ``path`` filled in; empty if there is none.

    Raises ProfileErrors for what can't be rendered, for a program that isn't installed, and for a unix socket, which
    these programs can't connect to.
    """
    command = profile.load.command
    if command is None:
        return ()
    names = {"url": f"http://{address}{profile.load.path}", "address": address, "host": host}
    names["path"] = profile.load.path
    if address.startswith("unix:"):
        found = f"the stack answers on {address}, but a command needs a TCP address"
        raise ProfileErrors([Problem(profile.name, "load.command", found, "make it listen on TCP")])
    environment = ImmutableSandboxedEnvironment(undefined=StrictUndefined)
    rendered, problems = [], []
    for index, part in enumerate(command):
        try:
            rendered.append(environment.from_string(part).render(names))
        except FAULTS as error:
            told = str(error.message if isinstance(error, TemplateError) else error)
            allowed = f"known: {', '.join(sorted(names))}"
            problems.append(Problem(profile.name, f"load.command[{index}]", told, allowed))
    if problems:
        raise ProfileErrors(problems)
    program = checks.find_program(rendered[0])
    if program is None:
        found = f"there is no program {rendered[0]}"
        raise ProfileErrors([Problem(profile.name, "load.command[0]", found, "install it, or name another")])
    return (program, *rendered[1:])
