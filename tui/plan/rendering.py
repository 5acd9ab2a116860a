"""The templates of one stack definition, rendered for one run: commands, files, versions, what is external."""

import os
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tui.plan import checks
from tui.plan.plan import ExternalPlan, PlannedFile, RoleRule, ServicePlan, StatusPlan, VersionCommand
from tui.plan.templates import Renderer
from tui.profile.definition import CommandPart, ServiceDefinition, StackDefinition
from tui.profile.problems import Problem, ProfileErrors
from tui.profile.status import VALUES, StatusDefinition


@dataclass(frozen=True)
class Rendering:
    """The environment that the parts of a plan share."""

    profile: str
    definition: StackDefinition
    renderer: Renderer
    env: dict[str, str]
    app_env: dict[str, str]
    cpus: tuple[int, ...]
    runtime: Path
    logs: Path

    def services(self) -> Iterator[ServicePlan]:
        """Every copy of every service that isn't left out."""
        for index, service in enumerate(self.definition.services):
            place = f"services[{index}]"
            if not self.renderer.truth(service.when, f"{place}.when"):
                continue
            copies = self.renderer.number(service.copies, f"{place}.copies")
            for copy in range(copies):
                log = f"{service.name}.log" if copies == 1 else f"{service.name}-{copy}.log"
                yield self._service(service, self.renderer.extended(copy=copy), place, copy, self.logs / log)

    def _service(
        self, service: ServiceDefinition, renderer: Renderer, place: str, copy: int, log: Path
    ) -> ServicePlan:
        own = {name: renderer.text(text, f"{place}.env.{name}") for name, text in service.env.items()}
        pid_file = renderer.text(service.pid_file, f"{place}.pid_file") if service.pid_file else None
        return ServicePlan(
            name=service.name,
            copy=copy,
            argv=self._command(service.command, renderer, f"{place}.command"),
            cwd=self.runtime / renderer.text(service.cwd, f"{place}.cwd"),
            env={
                **self.env,
                **(self.app_env if service.app_env else {}),
                **own,
                "STACKDYNO_RUN": self.env["STACKDYNO_RUN"],
                "STACKDYNO_SERVICE": service.name,
            },
            log=log,
            cpus=self.cpus,
            daemonises=service.daemonises,
            pid_file=self.runtime / pid_file if pid_file else None,
            stop_signal=int(signal.Signals[f"SIG{service.stop.signal}"]),
            stop_timeout=service.stop.timeout,
            roles=tuple(
                RoleRule(rule.role, rule.depth, rule.match, rule.threads)
                for number, rule in enumerate(service.roles)
                if renderer.truth(rule.when, f"{place}.roles[{number}].when")
            ),
            refusals=service.refusals,
        )

    def _command(self, parts: Sequence[str | CommandPart], renderer: Renderer, place: str) -> tuple[str, ...]:
        argv: list[str] = []
        for index, part in enumerate(parts):
            where = f"{place}[{index}]"
            if isinstance(part, str):
                argv.append(renderer.text(part, where))
            elif renderer.truth(part.when, f"{where}.when"):
                argv += [renderer.text(text, f"{where}.args[{i}]") for i, text in enumerate(part.args)]
        if Path(argv[0]).is_relative_to(self.runtime):
            return tuple(argv)  # one of the files, which don't exist yet
        program = checks.find_program(argv[0])
        if program is None:
            raise ProfileErrors([Problem(self.profile, "", f"there is no program {argv[0]} ({place})")])
        return (program, *argv[1:])

    def files(self) -> Iterator[PlannedFile]:
        """Every file of the definition that isn't left out; all are in the runtime folder."""
        for index, file in enumerate(self.definition.files):
            place = f"files[{index}]"
            if not self.renderer.truth(file.when, f"{place}.when"):
                continue
            path = Path(os.path.normpath(self.runtime / self.renderer.text(file.path, f"{place}.path")))
            if not path.is_relative_to(self.runtime):
                found = f"{path} isn't in the runtime folder"
                raise ProfileErrors([Problem(self.profile, f"{place}.path", found)])
            content = self.renderer.file(file.template) if file.template else None
            source = Path(self.renderer.text(file.source, f"{place}.source")) if file.source else None
            mode = file.mode or ("0755" if file.folder else "0644")
            yield PlannedFile(path, int(mode, 8), content, source)

    def versions(self) -> dict[str, VersionCommand]:
        """How each program that serves reports its version."""
        found = {}
        for label, version in self.definition.versions.items():
            place = f"versions.{label}"
            if self.renderer.truth(version.when, f"{place}.when"):
                argv = self._command(version.command, self.renderer, f"{place}.command")
                found[label] = VersionCommand(argv, version.regex)
        return found

    def status(self) -> dict[str, StatusPlan]:
        """Where the servers report what is busy."""
        return {
            label: self._status(status, f"status.{label}")
            for label, status in self.definition.status.items()
            if self.renderer.truth(status.when, f"status.{label}.when")
        }

    def _status(self, status: StatusDefinition, place: str) -> StatusPlan:
        def text(key: str) -> str | None:
            return self.renderer.text(getattr(status, key), f"{place}.{key}") or None

        own = {name: self.renderer.text(value, f"{place}.env.{name}") for name, value in status.env.items()}
        of_the_stack = {name: value for name, value in self.env.items() if name != "STACKDYNO_RUN"}
        return StatusPlan(
            url=text("url"),
            socket=text("socket"),
            send=status.send,
            file=text("file"),
            command=self._command(status.command, self.renderer, f"{place}.command")
            if status.command
            else (),
            env=of_the_stack | own,
            every=status.every,
            stale=status.stale,
            unit=status.unit,
            format=status.format,
            find=dict(status.find),
            rows=status.rows,
            values={key: getattr(status, key) for key in VALUES if getattr(status, key)},
            workers={key: value for key, value in status.workers or () if value},
        )

    def leftovers(self) -> tuple[str, ...]:
        """The patterns of files that the stack leaves elsewhere."""
        return tuple(
            self.renderer.text(text, f"leftovers[{index}]")
            for index, text in enumerate(self.definition.leftovers)
        )

    def external(self) -> ExternalPlan | None:
        """How it is found, for a stack that isn't started."""
        if self.definition.external is None:
            return None
        given = {
            key: self.renderer.text(text, f"external.{key}").strip() for key, text in self.definition.external
        }
        pid_file = Path(given["pid_file"]) if given["pid_file"] else None
        return ExternalPlan(given["url"], pid_file, given["unit"] or None, given["process"] or None)
