"""What the runner knows before it measures, in the forms that the events, the probe and the load need."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import subprocess
import time
from dataclasses import asdict

from tui import __version__
from tui.load.request import Expected, Request
from tui.load.result import RoundResult, Tick
from tui.load.spec import LoadSpec
from tui.plan.plan import Plan, VersionCommand
from tui.plan.runtime_folder import homes
from tui.profile.estimate import run_seconds
from tui.profile.models import Profile
from tui.record.events import LoadFacts, Machine, Planned, RunStarted, StackFacts, StatusFacts
from tui.system.cpus import usable_cpus
from tui.system.host import read_host
from tui.system.rights import as_user


def run_started(profile: Profile, plan: Plan, allowed: tuple[str, ...]) -> RunStarted:
    """The first event of a record."""
    return RunStarted(
        t=0.0,
        stackdyno=__version__,
        run=plan.run_id,
        wall=time.time(),
        profile_name=profile.name,
        profile_title=profile.title,
        profile=profile.model_dump(mode="json", exclude_none=True),
        allowed=allowed,
        machine=machine(),
    )


def machine() -> Machine:
    """This machine, as far as it describes itself."""
    host = asdict(read_host())
    known = {name: value for name, value in host.items() if name in Machine.model_fields}
    return Machine(**known, usable_cpus=usable_cpus())


def planned(profile: Profile, plan: Plan, now: float) -> Planned:
    """The profile as it was resolved on this machine."""
    load = profile.load
    ours = load.kind in ("closed", "open")
    return Planned(
        t=now,
        facts=StackFacts(
            stack=plan.stack,
            title=plan.title,
            app=plan.app,
            interface=plan.interface,
            workers=plan.workers,
            pin=plan.pin,
            server_cpus=plan.server_cpus,
            load_cpus=plan.load_cpus,
            shared_cpus=plan.shared_cpus,
            shared_by_choice=plan.shared_by_choice,
            ports=plan.ports,
            expect=expected_words(plan.expect),
            url=plan.url,
            address=plan.address,
            user=plan.user,
            external=plan.external is not None,
            status=tuple(
                StatusFacts(name=name, where=each.where, every=each.every, unit=each.unit)
                for name, each in plan.status.items()
            ),
        ),
        load=LoadFacts(
            mode=load.kind,
            rate=load.rate,
            arrivals=load.arrivals if load.kind == "open" else None,
            command=plan.load_command or None,
            method=load.method,
            path=plan.path,
            connections=load.connections,
            processes=min(len(plan.load_cpus), load.connections or 0) if ours else 0,
            requests=load.requests,
            duration=load.duration,
            keepalive=load.keepalive,
            warmup=load.warmup,
            rounds=load.rounds,
            timeout=load.timeout if ours else None,
        ),
        expected_seconds=run_seconds(load),
    )


def expected_words(expect: Expected) -> str:
    """The expected answer in words: "status 200, the body of 14 bytes that the app promises"."""
    words = [f"status {expect.status}"]
    if expect.body is not None:
        words.append(f"exactly the {len(expect.body.encode())} bytes promised")
    if expect.contains is not None:
        words.append(f"containing {expect.contains!r}")
    if expect.length is not None and expect.body is None:
        words.append(f"{expect.length} bytes")
    return ", ".join(words)


def request_of(profile: Profile, plan: Plan) -> Request:
    """The request of the readiness check and the load, and the expected answer."""
    load = profile.load
    return Request(
        address=plan.address,
        host=plan.load_host,
        path=plan.path,
        method=load.method,
        headers=tuple(load.headers.items()),
        body=(load.body or "").encode(),
        expected=plan.expect,
    )


def load_spec(profile: Profile, plan: Plan) -> LoadSpec:
    """The specification that the load processes get."""
    load = profile.load
    assert load.connections is not None, "a load of ours has connections"
    return LoadSpec(
        request=request_of(profile, plan),
        connections=load.connections,
        keepalive=load.keepalive,
        timeout=load.timeout,
    )


async def read_versions(plan: Plan) -> dict[str, str]:
    """Ask each program for its version; leave out those that don't say."""
    asked = [asyncio.to_thread(_version, command, plan) for command in plan.versions.values()]
    answers = await asyncio.gather(*asked)
    return {name: version for name, version in zip(plan.versions, answers, strict=True) if version}


def _version(command: VersionCommand, plan: Plan) -> str | None:
    """Without a home of the run's, some programs write into the user's even when they only tell their version."""
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        answer = subprocess.run(
            command.argv,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=5,
            stdin=subprocess.DEVNULL,
            env={
                "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
                "LC_ALL": "C",
                **homes(plan.runtime),
            },
            **as_user(plan.uid, plan.gid),
        )
        if found := re.search(command.regex, answer.stdout + answer.stderr):
            return found[1] if found.re.groups else found[0]
    return None


def rebase_tick(tick: Tick, start: float) -> Tick:
    """The same tick, with times in seconds since the run's start."""
    return tick.model_copy(update={"t0": tick.t0 - start, "t1": tick.t1 - start})


def rebase_round(result: RoundResult, start: float) -> RoundResult:
    """The same result, with times in seconds since the run's start."""
    return result.model_copy(update={"started": result.started - start, "ended": result.ended - start})
