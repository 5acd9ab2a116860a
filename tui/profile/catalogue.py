"""Where profiles, stacks and apps are found, and which ones exist.

Three folders with the same layout are searched, and the first that has a name wins, so a user's own
``gunicorn-sync.toml`` or ``stacks/nginx-gunicorn/`` replaces the shipped one:
the folder given with ``--profiles``, the one in the user's configuration folder, the shipped one.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

import platformdirs

from tui.profile.definition import AppDefinition, StackDefinition
from tui.profile.loading import TomlFile, option_problems, read_toml, shown, validated, with_present_names
from tui.profile.models import OwnApp, Profile
from tui.profile.overrides import apply_overrides, parse_override
from tui.profile.positions import KeyPath
from tui.profile.problems import Problem, ProfileErrors, nearest
from tui.profile.types import format_cpu_choice, quoted
from tui.system.errors import UserError

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_DEFINITIONS = {"stacks": "stack.toml", "apps": "app.toml"}
_LAST = 1000
DefinitionT = TypeVar("DefinitionT")
_OLD_NAMES: dict[KeyPath, str] = {("litter",): "leftovers", ("attach",): "external"}
"""Keys of a stack.toml as they were called, and as they are now."""


@dataclass(frozen=True)
class Entry:
    """A profile in the list; for a broken one, what could be read and its problems."""

    name: str
    title: str
    stack: str
    workers: int | None
    cpus: str
    problems: tuple[Problem, ...]
    path: Path
    order: int


def shipped_folder() -> Path:
    """The profiles that come with the product: in the installed package, else next to it in the checkout."""
    package = Path(str(files("tui")))
    installed = package / "profiles"
    return installed if installed.is_dir() else package.parent / "profiles"


class Catalogue:
    """The profiles, stacks and apps of several folders."""

    def __init__(self, search: Sequence[Path] | None = None, extra: Path | None = None) -> None:
        """``search`` replaces the usual folders, ``extra`` (``--profiles``) comes before them.

        Raises ``UserError`` when ``extra`` is no folder, or one that can't be read.
        """
        if extra is not None:
            _check_folder(extra)
        usual = [platformdirs.user_config_path("stackdyno") / "profiles", shipped_folder()]
        first = [extra] if extra is not None else []
        self.extra = extra
        self.trusted = tuple(usual if search is None else search)
        """The folders whose profiles and stacks run without a question: all but ``extra``."""
        self.folders = (*first, *self.trusted)
        self._definitions: dict[Path, tuple[tuple[int, int, int], Any]] = {}
        """Valid definitions with their file's inode, size and time: hundreds of profiles may name the same stack."""

    def names(self) -> list[str]:
        """The names of all profiles, in the order of :meth:`entries`."""
        return [entry.name for entry in self.entries()]

    def default_profile(self) -> str:
        """The profile that is selected initially: the first without problems."""
        for entry in self.entries():
            if not entry.problems:
                return entry.name
        raise UserError(
            f"there is no usable profile in {', '.join(shown(folder) for folder in self.folders)}"
        )

    def entries(self) -> list[Entry]:
        """All profiles by ``order`` and then by name, including broken ones; never raises."""
        found: dict[str, Path] = {}
        for folder in self.folders:
            for path in sorted(folder.glob("*.toml")):
                found.setdefault(path.stem, path)
        return sorted(
            (self._entry(path) for path in found.values()), key=lambda entry: (entry.order, entry.name)
        )

    def path(self, name: str) -> Path:
        """The file of a profile, by name or by path (something with a slash or ``.toml``)."""
        if "/" in name or name.endswith(".toml"):
            return Path(name).expanduser()
        for folder in self.folders:
            if os.access(path := folder / f"{name}.toml", os.F_OK):
                return path
        known = [path.stem for folder in self.folders for path in folder.glob("*.toml")]
        raise UserError(f'there is no profile "{name}"; {nearest(name, known)}')

    def load(self, name: str, overrides: Sequence[str] = ()) -> Profile:
        """The resolved profile: options filled in, paths absolute.

        ``overrides`` are ``KEY=VALUE``. Raises ``UserError`` for an unknown name, and ``ProfileErrors`` with every
        problem of the file, the overrides and the definitions that they name.
        """
        file = read_toml(self.path(name))
        return self._resolve(file, file.tables, overrides)

    def stack(self, name: str) -> tuple[StackDefinition, Path]:
        """A stack's definition and its folder. Raises ``UserError``; ``ProfileErrors`` for a broken one."""
        path = self._definition("stacks", name)
        return self.stack_at(path), path.parent

    def stack_at(self, path: Path) -> StackDefinition:
        """The definition in this file, whether or not a search would find it."""

        def read() -> StackDefinition:
            file = with_present_names(read_toml(path), _OLD_NAMES)
            return validated(file, StackDefinition, file.tables)

        return self._once(path, read)

    def app(self, name: str) -> tuple[AppDefinition, Path]:
        """An app's definition and its folder. Raises ``UserError``; ``ProfileErrors`` for a broken one."""
        path = self._definition("apps", name)

        def read() -> AppDefinition:
            file = read_toml(path)
            return validated(file, AppDefinition, file.tables)

        return self._once(path, read), path.parent

    def _once(self, path: Path, read: Callable[[], DefinitionT]) -> DefinitionT:
        """What ``read`` makes of a file; again only if the file has changed."""
        try:
            found = path.stat()
        except OSError:
            return read()
        state = found.st_ino, found.st_size, found.st_mtime_ns
        known = self._definitions.get(path)
        if known is None or known[0] != state:
            known = self._definitions[path] = state, read()
        definition: DefinitionT = known[1]
        return definition

    def apps(self) -> Iterator[tuple[str, AppDefinition]]:
        """All apps with valid definitions, by name."""
        for name in self._known("apps"):
            try:
                yield name, self.app(name)[0]
            except UserError:
                continue

    def files(self) -> list[Path]:
        """Every profile, stack and app file of every folder: what ``profiles check`` reads."""
        patterns = ("*.toml", *(f"{kind}/*/{file}" for kind, file in _DEFINITIONS.items()))
        return [
            path for folder in self.folders for pattern in patterns for path in sorted(folder.glob(pattern))
        ]

    def check(self, path: Path) -> list[Problem]:
        """Every problem of one file: a definition of a stack or an app, judged by its name, or else a profile."""
        try:
            file = read_toml(path)
            if path.name == "stack.toml":
                self.stack_at(path)
            elif path.name == "app.toml":
                validated(file, AppDefinition, file.tables)
            else:
                self._resolve(file, file.tables)
        except ProfileErrors as errors:
            return list(errors.problems)
        return []

    def _entry(self, path: Path) -> Entry:
        tables: dict[str, Any] = {}
        try:
            file = read_toml(path)
            tables = file.tables
            profile = self._resolve(file, tables)
        except ProfileErrors as errors:
            title, stack, order = (tables.get(key) for key in ("title", "stack", "order"))
            return Entry(
                name=path.stem,
                title=title if isinstance(title, str) else "",
                stack=stack if isinstance(stack, str) else "",
                workers=None,
                cpus="",
                problems=errors.problems,
                path=path,
                order=order if isinstance(order, int) else _LAST,
            )
        cpus = format_cpu_choice(profile.cpus)
        return Entry(
            profile.name, profile.title, profile.stack, profile.workers, cpus, (), path, profile.order
        )

    def _resolve(self, file: TomlFile, tables: dict[str, Any], overrides: Sequence[str] = ()) -> Profile:
        set_over = tuple(map(parse_override, overrides))
        file = TomlFile(file.path, file.text, file.tables, set_over)
        problems = _name_problems(file)
        stack = next(
            (item.value for item in reversed(set_over) if item.path == ("stack",)), tables.get("stack")
        )
        definition = self._looked_up(file, "stacks", stack, problems)
        tables = apply_overrides(tables, overrides, definition)
        app = self._looked_up(file, "apps", tables.get("app"), problems)
        if isinstance(definition, StackDefinition):
            given = tables.get("options", {})
            problems += option_problems(given, str(stack), definition, file.problem)
            if isinstance(given, dict):
                tables["options"] = {
                    name: option.default for name, option in definition.options.items()
                } | given
        if isinstance(app, AppDefinition) and isinstance(tables.get("load"), dict):
            tables["load"].setdefault("path", app.path)
        tables.pop("name", None)
        profile = validated(file, Profile, {"name": file.path.stem, **tables}, problems)
        return _with_absolute_paths(profile, file.path.absolute().parent, definition)

    def _looked_up(self, file: TomlFile, kind: str, name: object, problems: list[Problem]) -> Any:
        """The definition that a profile names, or None; adds what is wrong with it to ``problems``."""
        if not isinstance(name, str):
            return None  # missing, a table or a wrong type: the model reports that
        try:
            return (self.stack(name) if kind == "stacks" else self.app(name))[0]
        except ProfileErrors as errors:
            problems += errors.problems
        except UserError:
            key = kind.removesuffix("s")
            found = f"found {quoted(name)}, and there is no such {key}"
            problems.append(file.problem((key,), found, nearest(name, self._known(kind))))
        return None

    def _definition(self, kind: str, name: str) -> Path:
        for folder in self.folders:
            if os.access(path := folder / kind / name / _DEFINITIONS[kind], os.F_OK):
                return path
        raise UserError(f'there is no {kind.removesuffix("s")} "{name}"; {nearest(name, self._known(kind))}')

    def _known(self, kind: str) -> list[str]:
        file = _DEFINITIONS[kind]
        return sorted(
            {path.parent.name for folder in self.folders for path in folder.glob(f"{kind}/*/{file}")}
        )


def _check_folder(extra: Path) -> None:
    try:
        if not extra.is_dir():
            raise UserError(f"--profiles {extra}: no such folder")
        next(extra.iterdir(), None)
    except OSError as error:
        raise UserError(f"--profiles {extra}: can't be read: {error.strerror}") from None


def _name_problems(file: TomlFile) -> list[Problem]:
    problems = []
    if "name" in file.tables:
        problems.append(file.problem(("name",), "unknown key", "a profile's name is its file's name"))
    if not _NAME.fullmatch(file.path.stem):
        allowed = "name the file with letters, digits, dots, _ and - only"
        problems.append(Problem(shown(file.path), "", f'found the profile name "{file.path.stem}"', allowed))
    return problems


def _with_absolute_paths(profile: Profile, folder: Path, definition: Any) -> Profile:
    """Paths in a profile are relative to the profile's folder."""
    changed: dict[str, Any] = {}
    if isinstance(profile.app, OwnApp):
        changed["app"] = profile.app.model_copy(update={"path": _absolute(profile.app.path, folder)})
    paths = {
        name: _absolute(profile.options[name], folder)
        for name in _path_options(definition)
        if profile.options.get(name)
    }
    changed["options"] = profile.options | paths
    return profile.model_copy(update=changed)


def _path_options(definition: Any) -> Iterable[str]:
    if isinstance(definition, StackDefinition):
        return [name for name, option in definition.options.items() if option.type == "path"]
    return []


def _absolute(path: str, folder: Path) -> str:
    whole = folder / Path(path).expanduser()
    return str(whole.resolve() if ".." in whole.parts else whole.absolute())
