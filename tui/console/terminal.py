"""Leaving when the terminal goes.

Textual handles neither SIGHUP nor SIGTERM, and when the terminal vanishes without a signal (nohup, some session
managers) its input thread spins at over 100 % of a CPU for ever (textual#5140, #6690). So the console listens to both,
and looks every two seconds whether the terminal is still there.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable

LEAVING = (signal.SIGHUP, signal.SIGTERM)
WATCH = 2.0
"""Seconds between two looks at the terminal."""
GOODBYE = 3.0
"""Seconds that leaving may take."""


def leave_on_signals(leave: Callable[[int], None]) -> None:
    """Call ``leave`` with the signal's number instead of dying at once. Needs the running event loop."""
    loop = asyncio.get_running_loop()
    for number in LEAVING:
        loop.add_signal_handler(number, leave, int(number))


def end_within(seconds: float, status: int) -> None:
    """Leave the process after so many seconds, whatever hangs.

    Textual writes through a thread and a queue of 30. When the terminal is gone that thread dies of the first
    write, and the goodbye of 30 more blocks the event loop for ever. There is nothing to lose: the record is the
    runner's.
    """
    timer = threading.Timer(seconds, os._exit, (status,))
    timer.daemon = True
    timer.start()


def terminal_is_gone() -> bool:
    """Whether the terminal on standard input has vanished: the kernel then refuses every question about it."""
    try:
        return sys.__stdin__ is None or not os.isatty(sys.__stdin__.fileno())
    except ValueError:
        return True
