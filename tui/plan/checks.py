"""What this machine needs before a stack can start: programs, modules, a user, ports, permissions.

Everything here is only looked up; nothing is started except, for a run, an interpreter that is asked for a module.
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
from importlib.machinery import PathFinder
from pathlib import Path

from tui.system.errors import UserError
from tui.system.rights import as_user
from tui.system.sockets import holder_of_port

LONGEST_SOCKET_PATH = 107  # bytes: sun_path has 108, including the terminating one (unix(7))
_SYSTEM_FOLDERS = ("/usr/local/sbin", "/usr/sbin", "/sbin")
_SECONDS_FOR_AN_INTERPRETER = 20
_OWN_PTH = ("distutils-precedence.pth", "_virtualenv.pth")
"""Files that add no folder."""


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
    return [str(path) for path in _listed(pattern.parent, pattern.name)]


def _listed(folder: Path, pattern: str) -> list[Path]:
    """The paths that fit; none in a folder that we may not look into."""
    try:
        return list(folder.glob(pattern))
    except OSError:
        return []


def _version(path: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", Path(path).name)]


def has_module(
    python: str,
    module: str,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    *,
    ask: bool,
    who: pwd.struct_passwd | None = None,
) -> bool:
    """Whether an interpreter finds a module, as far as that can be known.

    Nothing is started unless ``ask`` is given: where the files don't tell, a module counts as found, and only a run
    asks the interpreter, in its environment and folder and with the rights of ``who``.
    """
    if python == sys.executable:
        return _has_module_ourselves(module)
    found = _module_in_files(Path(python), module, env or {}, cwd)
    if found is not None or not ask:
        return found is not False
    question = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({module!r}) is None)"
    rights = as_user(who.pw_uid, who.pw_gid) if who is not None else {}
    try:
        asked: subprocess.CompletedProcess[bytes] = subprocess.run(
            [python, "-c", question],
            env=dict(env) if env is not None else None,
            capture_output=True,
            timeout=_SECONDS_FOR_AN_INTERPRETER,
            check=False,
            **(rights | {"cwd": cwd}),
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return asked.returncode == 0


def _has_module_ourselves(module: str) -> bool:
    """Looks for a module of our own interpreter without importing its package, which could do anything."""
    first, *more = module.split(".")
    name, spec = first, importlib.util.find_spec(first)
    for part in more:
        if spec is None or spec.submodule_search_locations is None:
            return False
        name = f"{name}.{part}"
        spec = PathFinder.find_spec(name, spec.submodule_search_locations)
    return spec is not None


def _module_in_files(python: Path, module: str, env: Mapping[str, str], cwd: Path | None) -> bool | None:
    """Whether the files of another interpreter have a module; None if only that interpreter knows."""
    prefix, parts = python.parent.parent, module.split(".")
    sites = [path for kind in ("site", "dist") for path in _listed(prefix, f"lib/python*/{kind}-packages")]
    more = [(cwd or Path()) / folder for folder in env.get("PYTHONPATH", "").split(":") if folder]
    for folder in (*sites, *_listed(prefix, "local/lib/python*/dist-packages"), *more):
        place = folder.joinpath(*parts)
        if os.access(place, os.F_OK) or _listed(place.parent, f"{glob.escape(parts[-1])}.*"):
            return True
    closed = _is_closed(prefix / "pyvenv.cfg") and not any(_leads_elsewhere(site) for site in sites)
    return False if closed and sites and parts[0] not in sys.stdlib_module_names else None


def _is_closed(settings: Path) -> bool:
    """Whether a virtual environment is one that doesn't see the system's packages."""
    try:
        lines = settings.read_text(errors="replace").lower().splitlines()
    except OSError:
        return False
    return not any(re.fullmatch(r"\s*include-system-site-packages\s*=\s*true\s*", line) for line in lines)


def _leads_elsewhere(site: Path) -> bool:
    """Whether a folder of packages names other folders in .pth files."""
    return any(path.name not in _OWN_PTH for path in _listed(site, "*.pth"))


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
