"""Whether a run outlives the SSH session that it was started from.

systemd-logind may be set to end all processes of a user who logs out (``KillUserProcesses=yes``). A scope of the user's
own service manager is exempt from that, where there is one and lingering is on or another session stays.
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
    """What logind is set to; its default in Debian is no."""
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
    """The command prefix that lets a run outlive the session, and a warning where there is none."""
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
