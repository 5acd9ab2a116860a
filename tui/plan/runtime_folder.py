"""The runtime folder: created before the plan, filled with the plan's files, owned by the stack's user."""

import contextlib
import os
import pwd
import shutil
import tempfile
from pathlib import Path

from tui.plan.plan import Plan


def make_runtime_folder(user: str | None) -> Path:
    """Create a folder with a short name, since the path of a unix socket may have only 107 bytes.

    It belongs to the user that the stack runs as. If root creates it, everyone may pass through it (0711), since
    servers that are started as root drop that right for their workers. If the user is unknown, the folder stays ours:
    the plan reports the unknown user together with everything else.
    """
    folder = Path(tempfile.mkdtemp(prefix="stackdyno-", dir="/tmp"))
    if os.geteuid() == 0:
        folder.chmod(0o711)
        if user is not None:
            with contextlib.suppress(KeyError):
                owner = pwd.getpwnam(user)
                os.chown(folder, owner.pw_uid, owner.pw_gid)
    return folder


def write_files(plan: Plan) -> None:
    """Gives the runtime folder to the user that the stack runs as, and writes the plan's files into it."""
    _hand_over(plan, plan.runtime)
    for file in plan.files:
        for folder in reversed(file.path.relative_to(plan.runtime).parents):
            (plan.runtime / folder).mkdir(exist_ok=True)
            _hand_over(plan, plan.runtime / folder)
        if file.content is not None:
            file.path.write_text(file.content, encoding="utf-8")
        elif file.source is not None:
            shutil.copyfile(file.source, file.path)
        else:
            file.path.mkdir(exist_ok=True)
        file.path.chmod(file.mode)
        _hand_over(plan, file.path)


def _hand_over(plan: Plan, path: Path) -> None:
    if plan.uid is not None and plan.gid is not None:
        os.chown(path, plan.uid, plan.gid)
