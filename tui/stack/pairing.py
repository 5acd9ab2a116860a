"""Which app a stack serves, over which interface, and with which interpreter."""

import sys
from dataclasses import dataclass
from pathlib import Path

from tui.profile.catalogue import Catalogue
from tui.profile.models import Expect, OwnApp, Profile
from tui.profile.problems import Problem, ProfileErrors
from tui.system.errors import UserError


@dataclass(frozen=True)
class ServedApp:
    """An app as templates and checks need it, whether shipped or a person's own."""

    name: str
    interface: str
    path: Path
    entry: str
    python: str
    ruby: str
    env: dict[str, str]
    expect: Expect

    def files(self) -> list[Path]:
        """What the stack has to read: the folder, the interpreter, the entry."""
        module = Path(*self.entry.partition(":")[0].split("."))
        entries = [self.path / self.entry, self.path / module.with_suffix(".py")]
        return [self.path, Path(self.python), *(entry for entry in entries if entry.is_file())]


def served_app(profile: Profile, interface: str, catalogue: Catalogue) -> ServedApp | None:
    """The app of a profile for its stack's interface; None for a stack that takes no app.

    Raises ``ProfileErrors`` when profile and stack don't go together.
    """
    if not interface:
        if profile.app is not None:
            found = f'the stack "{profile.stack}" serves no app of a profile'
            raise ProfileErrors([Problem(profile.name, "app", found, "leave app out")])
        return None
    if profile.app is None:
        found = f'missing, and the stack "{profile.stack}" serves an app over {interface}'
        raise ProfileErrors([Problem(profile.name, "app", found, _apps_for(interface, catalogue))])
    if isinstance(profile.app, OwnApp):
        return _own(profile, profile.app, interface)
    return _shipped(profile, profile.app, interface, catalogue)


def _shipped(profile: Profile, name: str, interface: str, catalogue: Catalogue) -> ServedApp:
    try:
        app, folder = catalogue.app(name)
    except ProfileErrors:
        raise
    except UserError as error:
        raise ProfileErrors([Problem(profile.name, "app", str(error))]) from None
    how = app.interfaces.get(interface)
    if how is None:
        spoken = ", ".join(sorted(app.interfaces))
        found = f'found "{name}", which speaks {spoken}, and the stack "{profile.stack}" speaks {interface}'
        raise ProfileErrors([Problem(profile.name, "app", found, _apps_for(interface, catalogue))])
    return ServedApp(
        name=name,
        interface=interface,
        path=folder.absolute(),
        entry=how.entry,
        python=sys.executable,
        ruby="ruby",
        env=dict(how.env),
        expect=profile.expect or app.expect,
    )


def _own(profile: Profile, own: OwnApp, interface: str) -> ServedApp:
    folder = Path(own.path)
    problems = []
    if not folder.is_dir():
        problems.append(Problem(profile.name, "app.path", f'found "{own.path}", and there is no such folder'))
    python = _interpreter(folder, own.python)
    if not python.is_file() and folder.is_dir():
        found = f'found "{own.python}", and there is no {python}'
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


def _interpreter(folder: Path, python: str | None) -> Path:
    """The given interpreter, or the one of a virtual environment, relative to the app's folder; else ours.

    Links aren't followed: through its own path an interpreter finds its virtual environment.
    """
    if python is None:
        return Path(sys.executable)
    given = (folder / Path(python).expanduser()).absolute()
    return given / "bin" / "python" if given.is_dir() else given


def _apps_for(interface: str, catalogue: Catalogue) -> str:
    names = [name for name, app in catalogue.apps() if interface in app.interfaces]
    return f"apps for {interface}: {', '.join(names) or 'none'}"
