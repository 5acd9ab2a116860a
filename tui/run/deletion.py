"""Removing a run for good."""

from __future__ import annotations

import shutil
from pathlib import Path

from tui.run.control import is_running
from tui.run.record import Record
from tui.system.errors import UserError


def delete_record(record: Record, runs: Path) -> None:
    """Remove a record's folder and everything in it; symbolic links in it are removed, not followed.

    Raises:
        UserError: The run goes on, the folder isn't a record right below ``runs``, or it can't be removed.
    """
    folder = record.folder
    if folder.is_symlink() or folder.resolve() != runs.resolve() / folder.name:
        raise UserError(f"{folder}: only a run in {runs} is deleted; give its folder with --runs DIR")
    if record.events_path.is_symlink() or not record.events_path.is_file():
        raise UserError(f"{folder}: it holds no events.jsonl, so it is no run and stays")
    if is_running(record):
        raise UserError(f"{record.name}: it goes on; stop it first")
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise UserError(
            f"{folder}: not all of it could be removed ({error.strerror}: {error.filename})"
        ) from error
