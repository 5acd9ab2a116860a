"""What a run leaves in its record may be read by its owner only: it may hold tokens and passwords."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from tests.support.checking import needs
from tests.support.command import SHORT, Command


def test_every_file_and_folder_of_a_record(tmp_path: Path) -> None:
    needs("nginx-gunicorn")
    before = os.umask(0)
    try:
        stackdyno = Command(tmp_path)
        assert stackdyno.run("nginx-gunicorn", *SHORT).err == ""
    finally:
        os.umask(before)
    record = stackdyno.record
    names = {path.name for path in record.folder.rglob("*")}
    assert {"summary.json", "plan.json", "profile.toml", "runner.json", "nginx.conf", "logs", "conf"} <= names
    wrong = {
        str(path.relative_to(record.folder)): stat.filemode(path.stat().st_mode)
        for path in (record.folder, *record.folder.rglob("*"))
        if stat.S_IMODE(path.stat().st_mode) != (0o700 if path.is_dir() else 0o600)
    }
    assert wrong == {}
