"""The templates of a stack definition: what they may use, and their errors in plain words.

A template may use only these names (an undefined name is an error that lists the known ones):

===============  =======================================================================================
``workers``      the profile's number of workers
``options``      the stack's options: ``options.backlog``; durations are in seconds, sizes in bytes
``app``          ``app.path`` (its folder), ``.entry``, ``.interface``, ``.python``, ``.ruby``, ``.env``
``runtime``      the runtime folder: what the stack writes goes here
``logs``         the folder of the logs; the services' stdout and stderr go there automatically
``stack_dir``    the folder of stack.toml
``ports``        the allocated TCP ports: ``ports.http``, or with a count ``ports.app[copy]``
``sockets``      the paths of the unix sockets in the runtime folder, in the same way
``host``         the address to listen on
``cpus``         the numbers of the server's CPUs
``load``         ``load.connections``, ``load.keepalive``
``user``         the user that the stack runs as, if another user started it, else an empty text
``root``         whether the stack runs as root
``copy``         in a service: which copy of it this is, from 0
===============  =======================================================================================

Two filters look up a path, as requirements do: ``"php-cgi" | program`` on the PATH and in the folders of servers, and
``"/usr/lib/apache2/modules/libphp*.so" | file``. Both accept patterns and then give the highest version.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template, meta, nodes
from jinja2.exceptions import TemplateError, TemplateNotFound, TemplateSyntaxError, UndefinedError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from tui.plan import checks
from tui.profile.definition import CommandPart, StackDefinition
from tui.profile.loading import shown
from tui.profile.problems import Problem, ProfileErrors, nearest

_PLAIN_NAMES = ("workers", "runtime", "logs", "stack_dir", "host", "cpus", "user", "root", "copy")
_APP_FIELDS = frozenset({"path", "entry", "interface", "python", "ruby", "env"})
_KEYS_OF_TABLES = (
    "program", "file", "install", "pid_file", "count", "number", "path", "source", "when",
)  # fmt: skip
FAULTS = (TemplateError, ArithmeticError, TypeError, ValueError, LookupError, AttributeError, RecursionError)
"""What rendering may raise, whatever a template says."""
_LOAD_FIELDS = frozenset({"connections", "keepalive"})


def environment(folders: Sequence[Path]) -> Environment:
    """The Jinja2 environment of a stack whose template files are looked up in these folders.

    It is a sandbox: whoever only lists or checks profiles must not run what a template says.
    """
    templates = ImmutableSandboxedEnvironment(
        loader=FileSystemLoader(folders),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
        cache_size=0,  # a template file is read anew whenever it is rendered
    )
    # What doesn't exist stays as it was written: a requirement reports it.
    templates.filters["program"] = lambda name: checks.find_program(name) or name
    templates.filters["file"] = lambda path: checks.find_file(path) or path
    return templates


@lru_cache(maxsize=256)
def _environment(folders: tuple[Path, ...]) -> Environment:
    """The environment of these folders, made once: a list of all profiles renders hundreds of texts."""
    return environment(folders)


@lru_cache(maxsize=1024)
def _compiled(folders: tuple[Path, ...], text: str) -> Template:
    """A text of stack.toml, compiled once however many profiles share the stack."""
    return _environment(folders).from_string(text)


class Renderer:
    """Renders one stack's templates with one context. Every error is a ``ProfileErrors`` with file and key."""

    def __init__(self, folders: Sequence[Path], context: Mapping[str, Any]) -> None:
        """``folders[0]`` is the folder of stack.toml."""
        self._file = folders[0] / "stack.toml"
        self._context = dict(context)
        self._folders = tuple(folders)

    def extended(self, **more: Any) -> "Renderer":
        """The same renderer with more context."""
        return Renderer(self._folders, self._context | more)

    def text(self, template: str, where: str) -> str:
        """A template of stack.toml at the key path ``where``."""
        try:
            return _compiled(self._folders, template).render(self._context)
        except FAULTS as error:
            raise self._error(where, _complaint(error)) from None

    def truth(self, template: str, where: str) -> bool:
        """A template that gives true or false; an empty result is false."""
        text = self.text(template, where).strip()
        if text.lower() not in ("true", "false", ""):
            raise self._error(where, f'gives "{text}"; true or false is allowed')
        return text.lower() == "true"

    def number(self, template: str, where: str) -> int:
        """A template that gives a whole number, 0 or more."""
        text = self.text(template, where).strip()
        if not text.isdecimal():
            raise self._error(where, f'gives "{text}"; a whole number is allowed')
        return int(text)

    def file(self, name: str) -> str:
        """A template file of the stack."""
        try:
            return _environment(self._folders).get_template(name).render(self._context)
        except FAULTS as error:
            raise ProfileErrors([_file_problem(self._file.parent / name, error)]) from None

    def _error(self, where: str, complaint: str) -> ProfileErrors:
        return ProfileErrors([Problem(shown(self._file), where, complaint)])


def template_problems(definition: StackDefinition, folders: Sequence[Path]) -> list[Problem]:
    """Syntax errors and undefined names in everything that a stack renders, found without rendering it."""
    templates = environment(folders)
    known = _known_names(definition)
    file = shown(folders[0] / "stack.toml")
    problems = []
    for where, text in _texts(definition):
        try:
            tree = templates.parse(text)
        except TemplateSyntaxError as error:
            problems.append(Problem(file, where, f"the template has an error: {error.message}"))
            continue
        problems += [Problem(file, where, *words) for words, _ in _undefined(tree, known, templates)]
    problems += _problems_of_expressions(definition, file)
    for planned in definition.files:
        if planned.template is not None:
            problems += _problems_of_file(planned.template, folders, known, templates)
    return problems


def _problems_of_expressions(definition: StackDefinition, file: str) -> Iterator[Problem]:
    """What is wrong with the expressions that are evaluated during a run."""
    expressions = ImmutableSandboxedEnvironment()
    for label, status in definition.status.items():
        for key, text, names in status.expressions():
            where = f"status.{label}.{key}"
            try:
                expressions.compile_expression(text)
                tree = expressions.parse(f"{{{{ {text} }}}}")
            except TemplateSyntaxError as error:
                yield Problem(file, where, f"the expression has an error: {error.message}")
                continue
            known = dict.fromkeys(names)
            yield from (Problem(file, where, *words) for words, _ in _undefined(tree, known, expressions))


def _problems_of_file(
    name: str, folders: Sequence[Path], known: Mapping[str, frozenset[str] | None], templates: Environment
) -> list[Problem]:
    path = folders[0] / name
    try:
        source, found, _ = templates.loader.get_source(templates, name)  # type: ignore[union-attr]
        path = Path(str(found))
        tree = templates.parse(source)
    except TemplateError as error:
        return [_file_problem(path, error)]
    return [Problem(shown(path), "", *words, line=line) for words, line in _undefined(tree, known, templates)]


def _file_problem(path: Path, error: Exception) -> Problem:
    if isinstance(error, TemplateNotFound):
        return Problem(shown(path), "", "the template file is missing")
    line = error.lineno if isinstance(error, TemplateSyntaxError) else None
    return Problem(shown(path), "", _complaint(error), line=line)


def _complaint(error: Exception) -> str:
    if isinstance(error, UndefinedError):
        return f"uses something undefined: {error.message}"
    told = error.message if isinstance(error, TemplateError) else error
    return f"the template has an error: {told}"


def _known_names(definition: StackDefinition) -> dict[str, frozenset[str] | None]:
    """The names that this stack's templates may use; for a group of values, the names in it."""
    known: dict[str, frozenset[str] | None] = dict.fromkeys(_PLAIN_NAMES)
    known["options"] = frozenset(definition.options)
    known["ports"] = frozenset(port.name for port in definition.ports)
    known["sockets"] = frozenset(socket.name for socket in definition.sockets)
    known["load"] = _LOAD_FIELDS
    if definition.interface:
        known["app"] = _APP_FIELDS
    return known


def _undefined(
    tree: nodes.Template, known: Mapping[str, frozenset[str] | None], templates: Environment
) -> Iterator[tuple[tuple[str, str], int]]:
    """Every undefined name: what was found, what is known, and the line."""
    free = meta.find_undeclared_variables(tree) - set(templates.globals)
    for name in tree.find_all(nodes.Name):
        if name.name in free and name.name not in known:
            yield (f'undefined name "{name.name}"', nearest(name.name, known)), name.lineno
    for access in tree.find_all(nodes.Getattr):
        group = access.node.name if isinstance(access.node, nodes.Name) else ""
        fields = known.get(group) if group in free else None
        if fields is not None and access.attr not in fields:
            yield (f'undefined name "{group}.{access.attr}"', nearest(access.attr, fields)), access.lineno


def _texts(definition: StackDefinition) -> Iterator[tuple[str, str]]:
    """Every template of stack.toml with its key path."""
    for key in ("interface", "python", "address", "workers", "keepalive"):
        yield key, getattr(definition, key)
    yield from ((f"leftovers[{index}]", text) for index, text in enumerate(definition.leftovers))
    for kind in ("requires", "conflicts", "ports", "sockets", "files"):
        for index, table in enumerate(getattr(definition, kind)):
            for key in _KEYS_OF_TABLES:
                if text := getattr(table, key, None):
                    yield f"{kind}[{index}].{key}", text
    for index, service in enumerate(definition.services):
        place = f"services[{index}]"
        yield from command_texts(service.command, f"{place}.command")
        yield from ((f"{place}.env.{name}", text) for name, text in service.env.items())
        for key in ("copies", "cwd", "when", "pid_file"):
            if text := getattr(service, key):
                yield f"{place}.{key}", text
        yield from ((f"{place}.roles[{index}].when", rule.when) for index, rule in enumerate(service.roles))
    for label, status in definition.status.items():
        place = f"status.{label}"
        yield from ((f"{place}.{key}", getattr(status, key)) for key in ("url", "socket", "file", "when"))
        yield from command_texts(status.command, f"{place}.command")
        yield from ((f"{place}.env.{name}", text) for name, text in status.env.items())
    for label, version in definition.versions.items():
        yield from command_texts(version.command, f"versions.{label}.command")
        yield f"versions.{label}.when", version.when
    if definition.external:
        yield from ((f"external.{key}", text) for key, text in definition.external)


def command_texts(command: Sequence[str | CommandPart], where: str) -> Iterator[tuple[str, str]]:
    """Every template of a command with its key path."""
    for index, part in enumerate(command):
        if isinstance(part, CommandPart):
            yield f"{where}[{index}].when", part.when
            yield from ((f"{where}[{index}].args[{number}]", text) for number, text in enumerate(part.args))
        else:
            yield f"{where}[{index}]", part


def group(values: Mapping[str, Any]) -> SimpleNamespace:
    """Values for a template's dots. A dict wouldn't do: for an option called ``copy`` it gives its own method."""
    return SimpleNamespace(**values)
