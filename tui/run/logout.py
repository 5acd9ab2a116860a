"""Whether a run outlives the SSH session that started it.

systemd-logind may be configured to end all processes of a user who logs out (``KillUserProcesses=yes``). A scope of the
user's own service manager is exempt, provided that there is one and that lingering is on or another session remains.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

_CONFIGURATION = (
    Path("/usr/lib/systemd/logind.conf.d"),
    Path("/run/systemd/logind.conf.d"),
    Path("/etc/systemd/logind.conf.d"),
)


def kills_user_processes(
    etc: Path = Path("/etc/systemd/logind.conf"), drop_ins: tuple[Path, ...] = _CONFIGURATION
) -> bool:
    """How logind is configured; Debian's default is no."""
    setting = False
    files = [etc, *(path for folder in drop_ins for path in sorted(folder.glob("*.conf")))]
    for path in files:
        try:
            text = path.read_text()
        except OSError:
            continue
        for found in re.finditer(r"^\s*KillUserProcesses\s*=\s*(\w+)", text, re.MULTILINE):
            setting = found[1].lower() in ("yes", "true", "1", "on")
    return setting


def survival() -> tuple[list[str], str | None]:
    """The command prefix that lets a run outlive the session, and a warning if there is none."""
    in_session = "XDG_SESSION_ID" in os.environ and os.getuid() != 0
    if not in_session or not kills_user_processes():
        return [], None
    runner = shutil.which("systemd-run")
    bus = Path(os.environ.get("XDG_RUNTIME_DIR", "/nonexistent")) / "bus"
    if runner and bus.exists():
        return [runner, "--user", "--scope", "--quiet", "--collect"], None
    return (
        [],
        "logind ends your processes at logout (KillUserProcesses), and this run with them: stay logged in",
    )
