"""Virtual environments of others: what a person's own app runs in, and what an ordinary user has installed.

They lie in a folder of /tmp that everyone may read (pytest's own is for its user alone), and are based on an
interpreter that everyone may read, since part of the tests runs as the user nobody.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.command import Command

REPOSITORY = Path(__file__).parents[2]
SECONDS = 300
"""For an installation: the packages come from PyPI, or from the installer's cache."""


class OrdinaryUser(Command):
    """``stackdyno`` as the user nobody has it installed, with a home of its own. Only root can become nobody."""

    def __init__(self, home: Path, environment: Path) -> None:
        self._home = home
        self._python = environment / "bin" / "python"
        self.runs = home / "state" / "stackdyno" / "runs"

    def words(self, *arguments: str) -> list[str]:
        user = pwd.getpwnam("nobody")
        words = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
        words += [
            "env",
            "--ignore-environment",
            f"--chdir={self._home}",
            f"HOME={self._home}",
            f"PATH={os.defpath}",
        ]
        words += [f"XDG_{kind.upper()}_HOME={self._home}/{kind}" for kind in ("state", "config", "cache")]
        return [*words, str(self._python), "-m", "tui.cli", *self.trust, *arguments]


@contextmanager
def open_folder() -> Iterator[Path]:
    """A new folder that everyone may read, removed at the end."""
    folder = Path(tempfile.mkdtemp(prefix="dyno-tests-", dir="/tmp"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def open_python() -> Path:
    """Debian's interpreter, or ours where it is not below a folder that is closed to others."""
    for path in (Path("/usr/bin/python3"), Path(sys.executable).resolve()):
        if path.exists() and all(parent.stat().st_mode & 0o001 for parent in path.resolve().parents):
            return path
    raise AssertionError("no Python that everyone may run: apt install python3")


def make_environment(folder: Path, *packages: str) -> Path:
    """A virtual environment with these packages and whatever they need."""
    _run(open_python(), "-m", "venv", "--without-pip", folder)
    if packages:
        _run(*_installer(folder / "bin" / "python"), *packages)
    return folder


def install_ourselves(folder: Path) -> Path:
    """An environment with what stackdyno needs and stackdyno itself, laid out as its wheel lays it out."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    make_environment(folder, *project["dependencies"])
    (packages,) = (folder / "lib").glob("python*/site-packages")
    shutil.copytree(REPOSITORY / "tui", packages / "tui")
    shutil.copytree(REPOSITORY / "profiles", packages / "tui" / "profiles")
    return folder


def _installer(python: Path) -> list[str | Path]:
    """uv, where there is one, else the pip of any interpreter: the environment needs none of its own."""
    local = REPOSITORY / ".uv" / "bin" / "uv"
    uv = os.environ.get("UV") or shutil.which("uv") or (local if local.exists() else None)
    if uv is not None:
        return [uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", python]
    for owner in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([owner, "-c", "import pip"], capture_output=True, check=False).returncode == 0:
            return [owner, "-m", "pip", "--python", python, "install", "--quiet"]
    raise AssertionError("neither uv nor pip is there: apt install python3-pip")


def _run(*words: str | Path) -> None:
    done = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS, check=False, umask=0o022)
    assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"


def open_to_read(folder: Path) -> None:
    """What lies below a folder can be read by everyone, whatever the umask was when it was made."""
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | (0o555 if path.is_dir() else 0o444))
