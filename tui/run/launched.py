"""What a run is made from: whoever starts the run writes it into the record, and the runner reads it there."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from tui.plan.plan import Plan
from tui.profile.models import Profile
from tui.record.record import Record


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
    shutil.copyfile(source, record.profile_path)
    for file in launched.plan.files:
        if file.content is None:
            continue
        copy = record.conf / file.path.relative_to(launched.plan.runtime)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(file.content)
    stored = {
        "profile": launched.profile.model_dump(mode="json"),
        "plan": json.loads(launched.plan.to_json()),
        "beside": launched.concurrent,
        "allowed": launched.allowed,
    }
    record.plan_path.write_text(json.dumps(stored, indent=1))


def read_launch(record: Record) -> Launched:
    """Read what :func:`keep_launch` wrote."""
    stored = json.loads(record.plan_path.read_text())
    return Launched(
        Profile.model_validate_json(json.dumps(stored["profile"])),
        Plan.from_json(json.dumps(stored["plan"])),
        stored["beside"],
        tuple(stored["allowed"]),
    )
