"""The contents of a stack definition (``stacks/NAME/stack.toml``) and an app definition (``apps/NAME/app.toml``).

Everything that may depend on the profile is a Jinja2 template, kept here as text: this layer knows what a
definition looks like; ``tui.plan.planning`` knows what it means for a given profile.
"""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag, model_validator

from tui.profile.models import Expect, Strict
from tui.profile.status import StatusDefinition
from tui.profile.templated import (
    Mode,
    NumberTemplate,
    Regex,
    SignalName,
    Template,
    Templates,
    TruthTemplate,
)
from tui.profile.types import Duration, PositiveDuration, UrlPath, parse_duration, parse_size, quoted


def _table_from_name(value: object) -> object:
    return {"name": value} if isinstance(value, str) else value


Role = Literal["master", "front", "worker", "helper"]
"""master supervises, front passes requests on, worker runs the app, helper is everything else."""


class OptionDefinition(Strict):
    """An option that a profile may set for this stack."""

    type: Literal["string", "integer", "boolean", "choice", "size", "duration", "path"]
    default: Any = Field(None, description="the default; without one, a profile must set the option")
    choices: Annotated[tuple[str, ...], Field(strict=False)] = Field((), description="the allowed choices")
    min: float | None = Field(None, description="the smallest value allowed (in bytes or seconds)")
    max: float | None = Field(None, description="the largest value allowed")
    help: str = Field(description="what the option does, in one line")

    @model_validator(mode="after")
    def _choices_and_default_fit(self) -> "OptionDefinition":
        if (self.type == "choice") != bool(self.choices):
            raise ValueError('choices and type = "choice" go together')
        if self.default is not None:
            self.check(self.default)
        return self

    def check(self, value: object) -> object:
        """The plain value (seconds for a duration, bytes for a size) of what a profile sets.

        Raises a ``ValueError`` that says what was found and what is allowed.
        """
        plain = self._plain(value)
        if isinstance(plain, int | float) and not isinstance(plain, bool):
            if self.min is not None and plain < self.min:
                raise ValueError(f"found {quoted(value)}; at least {self.min:g} is allowed")
            if self.max is not None and plain > self.max:
                raise ValueError(f"found {quoted(value)}; at most {self.max:g} is allowed")
        return plain

    def _plain(self, value: object) -> object:
        if self.type == "duration":
            seconds = parse_duration(value)
            return int(seconds) if seconds.is_integer() else seconds
        if self.type == "size":
            return parse_size(value)
        if self.type == "choice" and value not in self.choices:
            allowed = ", ".join(f'"{choice}"' for choice in self.choices)
            raise ValueError(f"found {quoted(value)}; allowed: {allowed}")
        kind: type = {"integer": int, "boolean": bool}.get(self.type, str)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            wanted = {int: "a whole number", bool: "true or false", str: "text in quotes"}[kind]
            raise ValueError(f"found {quoted(value)}; {wanted} is allowed")
        return value


class Requirement(Strict):
    """A program, a file, or a module of the app's own interpreter, without which the stack can't start."""

    program: Template | None = Field(None, description="a program's name or absolute path")
    file: Template | None = Field(None, description="the absolute path of a file, such as a server's module")
    module: str | None = Field(None, description="a Python module that the app's interpreter must find")
    install: Template = Field(description='how to get it: "apt install nginx"')
    when: TruthTemplate = "true"

    @model_validator(mode="after")
    def _one_of_them(self) -> "Requirement":
        if [self.program, self.file, self.module].count(None) != 2:
            raise ValueError("a requirement names exactly one of program, file and module")
        return self


class ConflictDefinition(Strict):
    """Something else that may not run on this machine at the same time."""

    pid_file: Template = Field(description="the absolute path of its pid file")
    found: str = Field(description='what is wrong while it runs: "another NAME runs already"')
    allowed: str = Field(description='what to do about it: "stop it first"')


class PortDefinition(Strict):
    """A free TCP port to allocate: ``ports.NAME`` in templates. With ``count``, a list of ports."""

    name: str
    count: NumberTemplate | None = Field(None, description="how many; without it, one port and not a list")
    number: NumberTemplate = Field("0", description="a fixed port instead of a free one; 0 means a free one")


class SocketDefinition(Strict):
    """A unix socket in the runtime folder: ``sockets.NAME`` in templates. With ``count``, a list of sockets."""

    name: str
    count: NumberTemplate | None = Field(None, description="how many; without it, one socket and not a list")


class FileDefinition(Strict):
    """A file that is rendered or copied into the runtime folder before the start, or an empty folder there."""

    template: str | None = Field(None, description="the template's file name next to stack.toml")
    source: Template | None = Field(None, description="the absolute path of a file to copy unchanged")
    folder: bool = Field(False, description="whether it is an empty folder")
    path: Template = Field(description="where it is written, relative to the runtime folder")
    mode: Mode | None = Field(None, description='permissions; "0644", and "0755" for a folder')
    when: TruthTemplate = "true"

    @model_validator(mode="after")
    def _one_kind(self) -> "FileDefinition":
        if [self.template is not None, self.source is not None, self.folder].count(True) != 1:
            raise ValueError("a file has exactly one of template, source and folder = true")
        return self


class CommandPart(Strict):
    """Arguments that are included only under a condition."""

    when: TruthTemplate
    args: Templates


def _part_form(value: object) -> str:
    return "<text>" if isinstance(value, str) else "<part>"


_Text = Annotated[Template, Tag("<text>")]
_Conditional = Annotated[CommandPart, Tag("<part>")]
Part = Annotated[_Text | _Conditional, Discriminator(_part_form)]
"""One argument, or several under a condition."""


class RoleDefinition(Strict):
    """Which of a service's processes have which role. The first rule that fits decides."""

    role: Role
    when: TruthTemplate = "true"
    depth: int | None = Field(None, ge=0, description="0 is the service's root process, 1 its children ...")
    match: Regex | None = Field(
        None, description="a regular expression searched in the process's command line"
    )
    threads: int | None = Field(
        None,
        ge=1,
        description="how many threads the process has, if nothing else distinguishes two processes",
    )


class StopDefinition(Strict):
    """How the service stops gracefully, and how long that may take before it is killed."""

    signal: SignalName = "TERM"
    timeout: PositiveDuration = 10.0


class ServiceDefinition(Strict):
    """A command that is started and kept running. Services start in order and stop in reverse order."""

    name: str
    command: Annotated[tuple[Part, ...], Field(strict=False, min_length=1)]
    copies: NumberTemplate = Field("1", description="how many copies are started; `copy` counts from 0")
    cwd: Template = "{{ runtime }}"
    env: dict[str, Template] = Field(default_factory=dict)
    app_env: bool = Field(True, description="whether the app's environment variables are set for it")
    when: TruthTemplate = "true"
    daemonises: bool = Field(False, description="whether it puts itself into the background")
    pid_file: Template | None = Field(None, description="where it writes the pid of its root process")
    stop: StopDefinition = StopDefinition()
    refusals: Regex | None = Field(
        None,
        description="a regular expression for its log lines about connections that a full unix socket refused; lines "
        "written while the stack is measured are counted for the socket that they name",
    )
    roles: Annotated[tuple[RoleDefinition, ...], Field(strict=False)] = (RoleDefinition(role="worker"),)


class ReadyDefinition(Strict):
    """How long the first good answer may take."""

    timeout: Duration = 30.0


class VersionDefinition(Strict):
    """How to ask a program for its version: the regular expression's first group, from stdout and stderr."""

    command: Templates
    regex: Regex
    when: TruthTemplate = "true"


class ExternalDefinition(Strict):
    """How to find a stack that someone else started. What renders to nothing isn't set."""

    url: Template
    pid_file: Template = ""
    unit: Template = ""
    process: Template = ""


class StackDefinition(Strict):
    """One family of stacks: what is started, how, and what its options are."""

    title: str
    interface: Template = Field("", description="how the app is called: wsgi, rack ...; empty: no app")
    python: Template = Field(
        "",
        description="the interpreter of apps that name none, if one is built into the server; else ours",
    )
    root_user: str = Field(
        "",
        description="the user if root starts it and the profile names none; for servers that refuse root",
    )
    options: dict[str, OptionDefinition] = Field(default_factory=dict)
    requires: Annotated[tuple[Requirement, ...], Field(strict=False)] = ()
    conflicts: Annotated[tuple[ConflictDefinition, ...], Field(strict=False)] = ()
    ports: Annotated[
        tuple[Annotated[PortDefinition, BeforeValidator(_table_from_name)], ...], Field(strict=False)
    ] = ()
    sockets: Annotated[
        tuple[Annotated[SocketDefinition, BeforeValidator(_table_from_name)], ...], Field(strict=False)
    ] = ()
    address: Template = Field("", description='where it answers: "127.0.0.1:{{ ports.http }}"')
    files: Annotated[tuple[FileDefinition, ...], Field(strict=False)] = ()
    services: Annotated[tuple[ServiceDefinition, ...], Field(strict=False)] = ()
    workers: NumberTemplate = Field("", description="how many processes with the role worker are expected")
    most_workers: int | None = Field(
        None, ge=1, description="how many workers a profile may ask for: 1 if the stack is a single process"
    )
    keepalive: TruthTemplate = Field("true", description="whether the server can keep connections alive")
    ready: ReadyDefinition = ReadyDefinition()
    leftovers: Templates = Field((), description="patterns of what it leaves outside the runtime folder")
    versions: dict[str, VersionDefinition] = Field(default_factory=dict)
    status: dict[str, StatusDefinition] = Field(
        default_factory=dict, description="where its servers report what is busy, each with a name"
    )
    external: ExternalDefinition | None = Field(None, description="for a stack that is found and not started")

    @model_validator(mode="after")
    def _starts_or_is_external(self) -> "StackDefinition":
        if (self.external is None) == (not self.services):
            raise ValueError(
                "a stack either starts services or is external: a table [external] says how it is found"
            )
        if self.services and not self.address:
            raise ValueError("address is missing: where the stack answers")
        names = [service.name for service in self.services]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f'two services are named "{twice}"')
        return self


class InterfaceDefinition(Strict):
    """How an app is loaded over one interface."""

    entry: str = Field(description='what the interface loads: "hello_wsgi:app", "config.ru"')
    env: dict[str, str] = Field(default_factory=dict)


class AppDefinition(Strict):
    """A small web app with the same behaviour over every interface that it offers."""

    title: str
    path: UrlPath = Field("/", description="the path for a profile that names none")
    expect: Expect
    interfaces: dict[str, InterfaceDefinition] = Field(min_length=1)
