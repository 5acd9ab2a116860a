"""Removing for good what is kept: a run, or another folder beside the runs."""

from __future__ import annotations

import shutil
from pathlib import Path

from tui.record.control import is_running
from tui.record.record import Record
from tui.system.errors import UserError


def delete_record(record: Record, runs: Path) -> None:
    """Remove a run's folder and everything in it.

    Raises:
        UserError: The run goes on, the folder isn't a record right below ``runs``, or it can't be removed.
    """
    if is_running(record):
        raise UserError(f"{record.name}: it is running; stop it first")
    delete_folder(record.folder, runs, proof=record.events_path.name)


def delete_folder(folder: Path, runs: Path, *, proof: str) -> None:
    """Remove a folder right below ``runs`` with everything in it; symbolic links in it are removed, not followed.

    ``proof`` is the file that it must hold: without that it is not what was meant. Raises UserError.
    """
    if folder.is_symlink() or folder.resolve() != runs.resolve() / folder.name:
        raise UserError(f"{folder}: only what is kept in {runs} is deleted; give its folder with --runs DIR")
    if (folder / proof).is_symlink() or not (folder / proof).is_file():
        raise UserError(f"{folder}: it holds no {proof}, so it stays")
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise UserError(
            f"{folder}: not all of it could be removed ({error.strerror}: {error.filename})"
        ) from error
