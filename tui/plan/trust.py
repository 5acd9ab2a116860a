"""Profiles and stacks start programs, so those from elsewhere run only after somebody has agreed to them, once.

The shipped folder and the one in the user's configuration folder are trusted. Every other file that a run is made from
is remembered by a hash of its path and contents, so a changed file is asked about again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path

from platformdirs import user_state_path

from tui.plan.plan import Plan
from tui.profile.catalogue import Catalogue
from tui.profile.loading import shown
from tui.system.errors import UserError

_KINDS = ("stacks", "apps")


class NotTrusted(UserError):
    """Files would decide what is started, and nobody has agreed to them. Nothing was started."""

    def __init__(self, places: Sequence[Path], commands: Sequence[str], digests: Collection[str]) -> None:
        self.places = tuple(shown(place) for place in places)
        self.commands = tuple(commands)
        """What would be started, one command line each."""
        self.digests = tuple(sorted(digests))
        """What :func:`remember` takes once somebody has agreed."""
        super().__init__(
            f"{', '.join(self.places)}: not trusted yet, and it says which programs are started; "
            "read it, then add --trust"
        )


def require_trust(
    catalogue: Catalogue, files: Iterable[Path], commands: Callable[[], Sequence[str]], *, trust: bool
) -> None:
    """Make sure that somebody has agreed to what a run is made from: ``files``, stacks and apps.

    Args:
        files: Profiles, and a suite.
        commands: Called for what to show.
        trust: Somebody agrees now, which is remembered.

    Raises:
        NotTrusted: Nobody has agreed to one of the files as it is.
        UserError: That somebody has agreed can't be remembered.
    """
    places = [path for path in dict.fromkeys(files) if not _is_trusted(path, catalogue)]
    if catalogue.extra is not None and not _is_trusted(catalogue.extra, catalogue):
        places += [folder for kind in _KINDS if (folder := catalogue.extra / kind).is_dir()]
    digests = {place: {_digest(file) for file in _files(place)} for place in places}
    known = _remembered()
    unknown = [place for place in places if not digests[place] <= known]
    if not unknown:
        return
    new = set().union(*digests.values()) - known
    if not trust:
        raise NotTrusted(unknown, commands(), new)
    remember(new)


def remember(digests: Collection[str]) -> None:
    """Remember that somebody has agreed. Raises UserError if that can't be written."""
    path = _memory()
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "w") as memory:
            memory.writelines(f"{digest}\n" for digest in sorted(digests))
    except OSError as error:
        raise UserError(f"{path}: can't remember what is trusted: {error.strerror}") from error


def commands_of(plan: Plan) -> list[str]:
    """Every command line of a plan, after the name of what it is for; copies of a service once."""
    lines = [f"{service.name}: {shlex.join(service.argv)}" for service in plan.services if service.copy == 0]
    lines += [f"version of {name}: {shlex.join(each.argv)}" for name, each in plan.versions.items()]
    lines += [
        f"status of {name}: {shlex.join(each.command)}" for name, each in plan.status.items() if each.command
    ]
    if plan.load_command:
        lines.append(f"load: {shlex.join(plan.load_command)}")
    return lines


def _is_trusted(path: Path, catalogue: Catalogue) -> bool:
    whole = path.resolve()
    return any(whole.is_relative_to(folder.resolve()) for folder in catalogue.trusted)


def _files(place: Path) -> Iterator[Path]:
    """A file itself; every file below a folder, also through links, each real folder once."""
    if not place.is_dir():
        yield place
        return
    seen: set[str] = set()
    for folder, folders, names in os.walk(place, followlinks=True):
        real = os.path.realpath(folder)
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        yield from (Path(folder, name) for name in sorted(names))


def _digest(file: Path) -> str:
    """Stands for a file's place and contents; a file that can't be read, or isn't a regular one, stands by its name."""
    hashed = hashlib.sha256(os.fsencode(os.path.abspath(file)) + b"\0")  # noqa: PTH100 (links stay)
    with contextlib.suppress(OSError):
        if file.is_file():
            hashed.update(file.read_bytes())
    return hashed.hexdigest()


def _memory() -> Path:
    return user_state_path("stackdyno") / "trusted"


def _remembered() -> frozenset[str]:
    try:
        return frozenset(_memory().read_text(errors="replace").split())
    except OSError:
        return frozenset()
