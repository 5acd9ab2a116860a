"""Which app a stack serves, over which interface, with which interpreter."""

import os
import pwd
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tui.plan import checks
from tui.profile.catalogue import Catalogue
from tui.profile.models import Expect, OwnApp, Profile
from tui.profile.problems import Problem, ProfileErrors
from tui.system.errors import UserError

_PYTHON_INTERFACES = ("wsgi", "asgi")


@dataclass(frozen=True)
class ServedApp:
    """An app as templates and checks need it, shipped or the user's own."""

    name: str
    interface: str
    path: Path
    entry: str
    python: str
    ruby: str
    env: dict[str, str]
    expect: Expect

    def files(self) -> list[Path]:
        """The existing paths that the stack must read: the folder, the interpreter, what the entry may be."""
        module = self.path.joinpath(*self.entry.partition(":")[0].split("."))
        interpreters = [Path(self.python)] if self.interface in _PYTHON_INTERFACES else []
        return [self.path, *interpreters, self.path / self.entry, module, module.with_suffix(".py")]


def served_app(
    profile: Profile, interface: str, catalogue: Catalogue, python: str = sys.executable
) -> ServedApp | None:
    """The app of a profile for its stack's interface; None for a stack that takes no app.

    ``python`` is the interpreter of an app that names none. Raises ``ProfileErrors`` if profile and stack
    don't fit together.
    """
    if not interface:
        if profile.app is not None:
            found = f'the stack "{profile.stack}" takes no app from a profile'
            raise ProfileErrors([Problem(profile.name, "app", found, "leave out app")])
        return None
    if profile.app is None:
        found = f'missing, but the stack "{profile.stack}" serves an app over {interface}'
        raise ProfileErrors([Problem(profile.name, "app", found, _apps_for(interface, catalogue))])
    if isinstance(profile.app, OwnApp):
        return _own(profile, profile.app, interface, python)
    return _shipped(profile, profile.app, interface, catalogue, python)


def _shipped(profile: Profile, name: str, interface: str, catalogue: Catalogue, python: str) -> ServedApp:
    try:
        app, folder = catalogue.app(name)
    except ProfileErrors:
        raise
    except UserError as error:
        raise ProfileErrors([Problem(profile.name, "app", str(error))]) from None
    how = app.interfaces.get(interface)
    if how is None:
        spoken = ", ".join(sorted(app.interfaces))
        found = f'found "{name}", which speaks {spoken}, but the stack "{profile.stack}" speaks {interface}'
        raise ProfileErrors([Problem(profile.name, "app", found, _apps_for(interface, catalogue))])
    return ServedApp(
        name=name,
        interface=interface,
        path=folder.absolute(),
        entry=how.entry,
        python=python,
        ruby="ruby",
        env=dict(how.env),
        expect=profile.expect or app.expect,
    )


def _own(profile: Profile, own: OwnApp, interface: str, default_python: str) -> ServedApp:
    folder = Path(own.path)
    given = (folder / Path(own.python or default_python).expanduser()).absolute()
    paths = [folder, given, given / "bin" / "python"]
    if problems := unreadable_problems(profile.name, paths, None):
        raise ProfileErrors(problems)
    # Links aren't resolved: an interpreter finds its virtual environment through its own path.
    python = given / "bin" / "python" if given.is_dir() else given
    if not folder.is_dir():
        problems.append(Problem(profile.name, "app.path", f'found "{own.path}", but there is no such folder'))
    if not python.is_file() and folder.is_dir():
        found = f'found "{own.python}", but there is no {python}'
        allowed = "name an interpreter or a virtual environment's folder"
        problems.append(Problem(profile.name, "app.python", found, allowed))
    if problems:
        raise ProfileErrors(problems)
    return ServedApp(
        name=own.path,
        interface=interface,
        path=folder,
        entry=own.entry,
        python=str(python),
        ruby=str(folder / Path(own.ruby).expanduser()) if own.ruby else "ruby",
        env=dict(own.env),
        expect=profile.expect or Expect(),
    )


def unreadable_problems(
    profile: str, paths: Sequence[Path], account: pwd.struct_passwd | None
) -> list[Problem]:
    """A problem for each path that prevents a user (without one: us) from reading an app."""
    refused = checks.unreadable(paths, account)
    who = checks.user_name(os.geteuid()) if account is None else account.pw_name
    otherwise = "become another user" if account is None else "run the stack as another user"
    allowed = f"give {who} access, put it elsewhere, or {otherwise}"
    first = {by: path for path, by in reversed(refused.items())}
    return [
        Problem(profile, "app", checks.refusal(first[by], by, who), allowed)
        for by in dict.fromkeys(refused.values())
    ]


def _apps_for(interface: str, catalogue: Catalogue) -> str:
    names = [name for name, app in catalogue.apps() if interface in app.interfaces]
    return f"apps for {interface}: {', '.join(names) or 'none'}"
