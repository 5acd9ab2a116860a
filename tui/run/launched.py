"""What a run is made from: written into its record by whoever starts it, read there by the runner."""

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
    """It may go on beside another run."""
    allowed: tuple[str, ...]
    """Codes of findings that make nothing invalid."""


def keep_launch(record: Record, launched: Launched, source: Path) -> None:
    """Put into the record what the run is made from."""
    shutil.copyfile(source, record.profile_path)
    for file in launched.plan.files:
        if file.content is None:
            continue
        copy = record.conf / file.path.relative_to(launched.plan.runtime)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(file.content)
    told = {
        "profile": launched.profile.model_dump(mode="json"),
        "plan": json.loads(launched.plan.to_json()),
        "beside": launched.concurrent,
        "allowed": launched.allowed,
    }
    record.plan_path.write_text(json.dumps(told, indent=1))


def read_launch(record: Record) -> Launched:
    """What :func:`keep_launch` wrote."""
    told = json.loads(record.plan_path.read_text())
    return Launched(
        Profile.model_validate_json(json.dumps(told["profile"])),
        Plan.from_json(json.dumps(told["plan"])),
        told["beside"],
        tuple(told["allowed"]),
    )
