"""The progress of a run in one line."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Callable

from tui.record.state import RunState
from tui.summary import units
from tui.summary.expected import run_end
from tui.system.text import in_one_line


class ProgressLine:
    """A line that overwrites itself, shown only if stderr is a terminal.

    It never waits for a terminal that nobody reads: a signal would have to wait too. So it writes through a description
    of its own, since one that doesn't block would be the shell's as well.
    """

    def __init__(self) -> None:
        self.wanted = sys.stderr.isatty()
        self._fd: int | None = None
        if self.wanted:
            with contextlib.suppress(OSError):
                own = f"/proc/self/fd/{sys.stderr.fileno()}"
                self._fd = os.open(own, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)

    def __del__(self) -> None:
        if self._fd is not None:
            os.close(self._fd)

    def _write(self, text: str) -> None:
        if self._fd is None:
            sys.stderr.write(text)
            sys.stderr.flush()
            return
        with contextlib.suppress(
            BlockingIOError
        ):  # the next line begins with erasing what is left of this one
            os.write(self._fd, text.encode(errors="replace"))

    def show(self, line: Callable[[int], str]) -> None:
        """``line`` makes the text for a number of columns; it isn't called if there is no terminal."""
        if self.wanted:
            self._write("\r\x1b[2K" + in_one_line(line(shutil.get_terminal_size().columns - 1)))

    def clear(self) -> None:
        if self.wanted:
            self._write("\r\x1b[2K")


def progress_line(state: RunState, times: str | None = None) -> str:
    """Phase, round, elapsed and expected time, the current rate: "round 2 of 3  8.1 s of 13.5 s  1,980 req/s".

    ``times`` replaces the run's times if it is one of several.
    """
    if state.phase is None:
        return "starting" if times is None else f"starting  {times}"
    words: list[str] = [state.phase.phase]
    if state.phase.round is not None and state.planned is not None:
        words = [f"round {state.phase.round} of {state.planned.load.rounds}"]
    if times is None:
        expected = run_end(state)
        times = units.duration(state.now)
        times += f" of about {units.duration(expected)}" if expected else ""
    words.append(times)
    if state.rate and state.phase.phase in ("round", "warm-up"):
        point = state.rate[-1]
        words.append(f"{units.rate(point.rate)} req/s")
        if point.bad:
            words.append(f"{units.rate(point.bad_rate)} errors/s")
    return "  ".join(words)
