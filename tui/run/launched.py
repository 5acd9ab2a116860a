"""What a run is made from: whoever starts the run writes it into the record, and the runner reads it there."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from tui.plan.plan import Plan
from tui.profile.models import Profile
from tui.record.record import Record
from tui.system.private import make_private_folder, write_private


@dataclass(frozen=True, slots=True)
class Launched:
    """What a run is made from, as the runner reads it in the record."""

    profile: Profile
    plan: Plan
    concurrent: bool
    """It may run concurrently with another run."""
    allowed: tuple[str, ...]
    """Codes of findings that invalidate nothing."""


def keep_launch(record: Record, launched: Launched, source: Path) -> None:
    """Write into the record what the run is made from."""
    write_private(record.profile_path, source.read_text(encoding="utf-8"))
    for file in launched.plan.files:
        if file.content is None:
            continue
        copy = record.conf / file.path.relative_to(launched.plan.runtime)
        make_private_folder(copy.parent)
        write_private(copy, file.content)
    stored = {
        "profile": launched.profile.model_dump(mode="json"),
        "plan": json.loads(launched.plan.to_json()),
        "beside": launched.concurrent,
        "allowed": launched.allowed,
    }
    write_private(record.plan_path, json.dumps(stored, indent=1))


def read_launch(record: Record) -> Launched:
    """Read what :func:`keep_launch` wrote."""
    stored = json.loads(record.plan_path.read_text())
    return Launched(
        Profile.model_validate_json(json.dumps(stored["profile"])),
        Plan.from_json(json.dumps(stored["plan"])),
        stored["beside"],
        tuple(stored["allowed"]),
    )
