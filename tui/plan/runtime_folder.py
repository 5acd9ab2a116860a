"""The runtime folder: created before the plan, filled with the plan's files, then given to the stack's user.

Until it is complete it is ours alone, and everything is written relative to open folders, never through a link: as root
we would otherwise overwrite and give away whatever the stack's user had linked there.
"""

import os
import shutil
import stat
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from tui.plan.plan import Plan, PlannedFile
from tui.system.errors import UserError
from tui.system.planted import open_file
from tui.system.procfs import read_stat

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def make_runtime_folder(begin: Callable[[Path], None] = lambda folder: None) -> Path:
    """Create a folder with a short name, since the path of a unix socket may have only 107 bytes.

    It gets that name when ``begin`` has put something into it; until then its name says whose it is (pid and start
    time), so that it can be told from one whose maker was killed. Only we may enter it until :func:`write_files` hands
    it over.

    Raises:
        OSError: It can't be made.
    """
    maker = read_stat(os.getpid())
    assert maker is not None
    prefix = f"stackdyno-{maker.identity.pid}-{maker.identity.start}-"
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir="/tmp"))
    try:
        begin(folder)
        return folder.rename(folder.with_name(f"stackdyno-{folder.name.removeprefix(prefix)}"))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def homes(runtime: Path) -> dict[str, str]:
    """The variables by which a program finds where to write what is the user's: here, and not in the real home."""
    names = ("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")
    return dict.fromkeys(names, str(runtime))


def write_files(plan: Plan) -> None:
    """Write the plan's files into the runtime folder, then give it to the user that the stack runs as.

    If root creates it, everyone may pass through it then (0711), since servers that are started as root drop that
    right for their workers.

    Raises:
        UserError: The folder isn't ours alone, two files have one path, or a file that is copied can't be read.
    """
    folder = os.open(plan.runtime, _FOLDER)
    try:
        status = os.fstat(folder)
        if status.st_uid != os.geteuid() or stat.S_IMODE(status.st_mode) & 0o077:
            raise UserError(f"{plan.runtime}: others may write there, so it can't be the runtime folder")
        for file in plan.files:
            _write(plan, file, folder)
        if os.geteuid() == 0:
            os.fchmod(folder, 0o711)
        _hand_over(plan, folder)
    finally:
        os.close(folder)


def _write(plan: Plan, file: PlannedFile, runtime: int) -> None:
    *folders, name = file.path.relative_to(plan.runtime).parts or (".",)
    with ExitStack() as opened:
        here = runtime
        for part in folders:
            here = _enter(plan, here, part, opened)
        if file.content is None and file.source is None:
            os.fchmod(_enter(plan, here, name, opened), file.mode)
            return
        try:
            target = opened.enter_context(os.fdopen(os.open(name, _NEW_FILE, 0o600, dir_fd=here), "wb"))
        except FileExistsError:
            raise UserError(f"{plan.stack}: two files have the path {file.path}; leave one out") from None
        if file.content is not None:
            target.write(file.content.encode())
        elif file.source is not None:
            _copy(file.source, target)
        target.flush()
        os.fchmod(target.fileno(), file.mode)
        _hand_over(plan, target.fileno())


def _enter(plan: Plan, folder: int, name: str, opened: ExitStack) -> int:
    """Opens the folder with this name in another; it is created if it is missing."""
    if not _exists(name, folder):
        os.mkdir(name, dir_fd=folder)
    below = os.open(name, _FOLDER, dir_fd=folder)
    opened.callback(os.close, below)
    if name != ".":
        _hand_over(plan, below)
    return below


def _exists(name: str, folder: int) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _copy(source: Path, target: IO[bytes]) -> None:
    """Copy a file whose folder others may write: as root we don't read through their links."""
    try:
        with os.fdopen(open_file(source), "rb") as file:
            shutil.copyfileobj(file, target)
    except OSError as error:
        raise UserError(f"{source}: can't be copied into the runtime folder: {error.strerror}") from error


def _hand_over(plan: Plan, descriptor: int) -> None:
    if plan.uid is not None and plan.gid is not None:
        os.fchown(descriptor, plan.uid, plan.gid)
