"""From a profile's name to a runner that works by itself, without a terminal."""

from __future__ import annotations

import contextlib
import json
import secrets
import shutil
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from tui.plan.addresses import is_remote
from tui.plan.planning import draft, make_plan
from tui.plan.runtime_folder import make_runtime_folder, write_files
from tui.plan.trust import commands_of, require_trust
from tui.profile.catalogue import Catalogue
from tui.record.lock import Holder, holder
from tui.record.record import Record, create_record, default_runs
from tui.record.running import note_launch
from tui.run.detached import BUSY, NotStarted, start_detached
from tui.run.launched import Launched, keep_launch
from tui.stack.leftovers import Leftovers
from tui.system.errors import UserError
from tui.system.wholefiles import fault


class MachineBusy(UserError):
    """Another run is active on this machine. Nothing was started."""

    def __init__(self, holder: Holder) -> None:
        self.by = str(holder)
        kept = f", kept in {holder.folder}" if holder.folder else ""
        if not holder.ours:
            text = (
                f"{self.by} holds the machine's lock, so no run can tell whether it is alone; "
                "end it, or add --concurrent"
            )
        elif holder.mine:
            text = (
                f"{self.by} is active{kept}, and two runs disturb each other; wait, `stackdyno attach`, "
                "`stackdyno stop`, or add --concurrent"
            )
        else:
            text = f"{self.by} is active{kept}, and two runs disturb each other; wait, or add --concurrent"
        super().__init__(text)


class AnotherMachine(UserError):
    """The load would go to another machine, and nobody has consented to that. Nothing was started."""

    def __init__(self, target: str) -> None:
        self.target = target
        super().__init__(f"{self.target}; add --yes if you may put a load on it")


def launch(
    profile: str,
    *,
    profiles: Path | None = None,
    runs: Path | None = None,
    overrides: Sequence[str] = (),
    concurrent: bool = False,
    remote: bool = False,
    trust: bool = False,
    allow: Sequence[str] = (),
    announce: Callable[[Record], None] = lambda record: None,
) -> Record:
    """Start a run and return its record as soon as the runner has taken over.

    The runner is a separate process in its own session: it needs no terminal and outlives this process.

    Args:
        profile: A profile's name, or the path of its file.
        profiles: A folder that is searched before the usual ones.
        runs: Where records are kept; the user's state folder by default.
        overrides: Such as ``load.requests=2000``.
        concurrent: Start even if another run is active on this machine.
        remote: Somebody has consented to a load on another machine.
        trust: Somebody agrees to the profile and its stack, wherever they are from.
        allow: Codes of findings that invalidate nothing.
        announce: Called with the record before anything is started, so that a caller that is killed meanwhile
            knows of every run that it started.

    Raises:
        AnotherMachine: The profile allows another machine, but ``remote`` is not given.
        NotTrusted: The profile or its stack is from elsewhere, and nobody has agreed to it as it is.
        MachineBusy: Another run is active, and ``concurrent`` is not given.
        UserError: The profile has mistakes, or something it needs is missing.
    """
    catalogue = Catalogue(extra=profiles)
    chosen = catalogue.load(profile, overrides)
    if not concurrent and (other := holder()):
        raise MachineBusy(other)
    require_trust(
        catalogue, [catalogue.path(profile)], lambda: commands_of(draft(chosen, catalogue)), trust=trust
    )
    run_id = secrets.token_hex(8)
    try:
        runtime = make_runtime_folder(partial(note_launch, record=None))
    except OSError as error:
        raise UserError(f"/tmp: can't be written ({error.strerror}); nothing was started") from error
    record: Record | None = None
    try:
        record = create_record((runs or default_runs()).expanduser().absolute(), chosen.name)
        note_launch(runtime, record.folder)
        plan = make_plan(chosen, catalogue, run_id=run_id, runtime=runtime, logs=record.logs)
        if not remote and is_remote(plan.address):
            raise AnotherMachine(f"{plan.url} is on another machine ({plan.address})")
        if plan.leftovers:
            note_launch(runtime, record.folder, Leftovers(plan.leftovers))
        write_files(plan)
        keep_launch(record, Launched(chosen, plan, concurrent, tuple(allow)), catalogue.path(profile))
        announce(record)
        _start_runner(record)
    except BaseException as error:
        shutil.rmtree(runtime, ignore_errors=True)
        if record is not None and not _has_begun(record):
            shutil.rmtree(record.folder, ignore_errors=True)
        if isinstance(error, OSError):
            in_runtime = str(error.filename).startswith(str(runtime))
            where = runtime if in_runtime or record is None else record.folder
            raise UserError(
                f"{where}: can't be written ({fault(error, where)}); nothing was started"
            ) from error
        raise
    return record


def _has_begun(record: Record) -> bool:
    with contextlib.suppress(OSError):
        return record.events_path.stat().st_size > 0
    return False


def _start_runner(record: Record) -> None:
    errors = record.logs / "runner.err"
    try:
        start_detached(
            "tui.run.execute",
            record.folder,
            errors=errors,
            appeared=lambda: _has_begun(record),
            what="runner",
        )
    except NotStarted as failure:
        if failure.status == BUSY:  # another one was quicker
            raise MachineBusy(Holder(**json.loads(failure.last_line))) from None
        raise
