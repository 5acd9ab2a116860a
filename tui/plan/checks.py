"""What this machine needs before a stack can start: programs, modules, a user, ports, permissions.

Everything here is only looked up; nothing is started except an interpreter that is asked for a module.
"""

import errno
import glob
import importlib.util
import os
import pwd
import re
import shutil
import socket
import stat
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tui.system.errors import UserError
from tui.system.sockets import holder_of_port

LONGEST_SOCKET_PATH = 107  # bytes: sun_path has 108, including the terminating one (unix(7))
_SYSTEM_FOLDERS = ("/usr/local/sbin", "/usr/sbin", "/sbin")
_SECONDS_FOR_AN_INTERPRETER = 20


def search_path() -> str:
    """The PATH for programs: ours plus the folders of servers, which Debian leaves out of a user's PATH."""
    ours = os.environ.get("PATH", os.defpath).split(":")
    return ":".join(dict.fromkeys([*ours, *_SYSTEM_FOLDERS]))


def find_program(name: str) -> str | None:
    """The absolute path of a program, or None.

    If several match a pattern such as "php-fpm[0-9]*", it is the one with the highest version in its name.
    """
    if not glob.has_magic(name):
        return shutil.which(name, path=search_path())
    paths = [path for folder in search_path().split(":") for path in _fitting(Path(folder, name))]
    return max(filter(shutil.which, paths), key=_version, default=None)


def find_file(path: str) -> str | None:
    """An existing path, or None.

    If several match a pattern in its last part, it is the one with the highest version in its name.
    """
    return max(_fitting(Path(path)), key=_version, default=None)


def _fitting(pattern: Path) -> list[str]:
    return [str(path) for path in pattern.parent.glob(pattern.name)]


def _version(path: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", Path(path).name)]


def has_module(
    python: str, module: str, env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> bool:
    """Whether an interpreter finds a module; ours is asked in this process, any other in its environment and folder."""
    if python == sys.executable:
        return importlib.util.find_spec(module) is not None
    folders = (Path(python).parent.parent / "lib").glob("python*/site-packages")
    if any(os.access(folder / name, os.F_OK) for folder in folders for name in (module, f"{module}.py")):
        return True
    question = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({module!r}) is None)"
    try:
        asked = subprocess.run(
            [python, "-c", question],
            env=dict(env) if env is not None else None,
            cwd=cwd,
            capture_output=True,
            timeout=_SECONDS_FOR_AN_INTERPRETER,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return asked.returncode == 0


def account(user: str) -> pwd.struct_passwd:
    """A user of this machine; raises ``UserError`` if there is none with this name."""
    try:
        return pwd.getpwnam(user)
    except KeyError:
        raise UserError(f'found "{user}", but this machine has no such user') from None


def user_name(uid: int) -> str:
    """A user's name, or the number if the system has no name for it, as in some containers."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def account_to_change_to(user: str | None) -> pwd.struct_passwd | None:
    """The user that the stack runs as, if that isn't us. Raises ``UserError`` for an unknown or impossible user."""
    if user is None:
        return None
    found = account(user)
    if found.pw_uid == os.geteuid():
        return None
    if os.geteuid() != 0:
        raise UserError(f'found "{user}", but only root can start a stack as another user; leave out user')
    return found


def unreadable(paths: Sequence[Path], who: pwd.struct_passwd | None) -> dict[Path, Path]:
    """For each path that a user can't read, the first folder on the way that denies access, or the path itself.

    A path that doesn't exist isn't denied. For another user, a forked child takes on that user's rights and tries;
    ``None`` checks for ourselves.
    """
    # Links are resolved first, with our own rights: the error then names the folder that denies access.
    targets = [path.resolve() for path in paths]
    if who is None:
        refusing = {path: _refusing(path, target) for path, target in zip(paths, targets, strict=True)}
        return {path: by for path, by in refusing.items() if by is not None}
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        _answer_as(who, paths, targets, write)
    os.close(write)
    with os.fdopen(read, "rb") as answers:
        lines = answers.read().split(b"\0")
    os.waitpid(pid, 0)
    if len(lines) != len(paths):
        raise UserError(f"can't take on the rights of {who.pw_name} to see what that user can read")
    return {path: Path(os.fsdecode(line)) for path, line in zip(paths, lines, strict=True) if line}


def _answer_as(who: pwd.struct_passwd, paths: Sequence[Path], targets: Sequence[Path], write: int) -> None:
    """Runs in the child: writes one answer per path and never returns, not even after an error."""
    try:
        os.initgroups(who.pw_name, who.pw_gid)
        os.setgid(who.pw_gid)
        os.setuid(who.pw_uid)
        refusing = map(_refusing, paths, targets)
        answers = [os.fsencode(str(each or "")) for each in refusing]
        with os.fdopen(write, "wb") as out:
            out.write(b"\0".join(answers))
    finally:
        os._exit(0)


def _refusing(path: Path, target: Path) -> Path | None:
    for folder in (*reversed(target.parents), *reversed(path.parents)):
        if not os.access(folder, os.X_OK):
            return folder if folder.is_dir() else None
    if not os.access(target, os.F_OK):
        return None
    needed = os.R_OK | os.X_OK if target.is_dir() else os.R_OK
    return None if os.access(target, needed) else target


def refusal(path: Path, by: Path, who: str) -> str:
    """Explains why a path can't be read: "nobody can't read /root/shop: /root is drwx------ root"."""
    status = by.stat()
    mode, owner = stat.filemode(status.st_mode), user_name(status.st_uid)
    return f"{who} can't read {path}: {by} is {mode} {owner}"


def free_ports(count: int) -> list[int]:
    """Unused TCP ports of 127.0.0.1: all are bound at once, so they differ, and then released."""
    held = [socket.socket() for _ in range(count)]
    try:
        for each in held:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in held]
    finally:
        for each in held:
            each.close()


def port_refusal(port: int) -> str | None:
    """Why a server can't listen on this TCP port of 127.0.0.1, or None when it can."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return f"port {port} is in use by {holder_of_port(port) or 'a process that we cannot see'}"
            if error.errno == errno.EACCES:
                return f"port {port} needs root; ports from 1024 don't"
            return f"port {port} can't be used: {error.strerror}"
    return None


def socket_path_refusal(path: str) -> str | None:
    """Why a unix socket can't have this path, or None when it can."""
    length = len(os.fsencode(path))
    if length <= LONGEST_SOCKET_PATH:
        return None
    return f"the path of the unix socket {path} has {length} bytes, but at most {LONGEST_SOCKET_PATH} are allowed"


def is_this_machine(address: str) -> bool:
    """Whether an IP address belongs to this machine: if so, a socket can be bound to it."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family) as probe:
        try:
            probe.bind((address, 0))
        except OSError:
            return False
    return True
