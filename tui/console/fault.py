"""A fault of the console itself: the traceback goes to a file, one line to the terminal."""

from __future__ import annotations

import traceback

from platformdirs import user_state_path

from tui.system.text import in_one_line


def keep_fault(error: BaseException) -> str:
    """Write the traceback where only its owner can read it, and return the line that says so."""
    path = user_state_path("stackdyno") / "console-fault.txt"
    what = traceback.format_exception_only(error)[-1].strip()
    words = in_one_line(f"stackdyno: the console failed, which is a fault of stackdyno: {what}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.touch(0o600, exist_ok=False)
        path.write_text("".join(traceback.format_exception(error)), encoding="utf-8", errors="replace")
    except OSError as kept:
        return f"{words}; its traceback can't be written to {path} ({kept.strerror})"
    return f"{words}; please report it with {path}"
