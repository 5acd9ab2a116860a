"""Deletes what is kept: a run, or another folder next to the runs."""

from __future__ import annotations

import shutil
from pathlib import Path

from tui.record.control import is_running
from tui.record.record import Record
from tui.record.second_place import places_of
from tui.system.errors import UserError


def delete_record(record: Record, runs: Path) -> None:
    """Remove a run's folder and everything in it.

    Raises:
        UserError: It is running, the folder isn't a record directly below ``runs``, or it can't be removed.
    """
    if is_running(record):
        raise UserError(f"{record.name}: it is running; stop it first")
    delete_folder(record.folder, runs, proof=record.events_path.name)


def delete_folder(folder: Path, runs: Path, *, proof: str) -> None:
    """Remove a folder directly below ``runs``, everything in it, and its second place if it has one.

    Symbolic links in it are removed, not followed. It must contain the file ``proof``; otherwise it isn't the kind of
    folder that was meant. Raises UserError.
    """
    if folder.is_symlink() or folder.resolve() != runs.resolve() / folder.name:
        raise UserError(f"{folder}: can only delete what is kept in {runs}; name its folder with --runs DIR")
    if (folder / proof).is_symlink() or not (folder / proof).is_file():
        raise UserError(f"{folder}: contains no {proof}, so it is kept")
    try:
        for each in (*places_of(folder), folder):  # the folder last: by it the others are found
            shutil.rmtree(each)
    except OSError as error:
        raise UserError(
            f"{folder}: could not be removed completely ({error.strerror}: {error.filename})"
        ) from error
