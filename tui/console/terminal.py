"""Quits when the terminal closes.

Textual handles neither SIGHUP nor SIGTERM, and when the terminal vanishes without a signal (nohup, some session
managers) its input thread spins at over 100 % of a CPU forever (textual#5140, #6690). So the console listens to both,
and checks every two seconds that the terminal is still there.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
import time
from collections.abc import Callable

LEAVING = (signal.SIGHUP, signal.SIGTERM)
WATCH = 2.0
"""Seconds between two checks of the terminal."""
GOODBYE = 3.0
"""Seconds that quitting may take."""


def leave_on_signals(leave: Callable[[int], None]) -> None:
    """Call ``leave`` with the signal's number instead of dying at once. Needs the running event loop.

    If the terminal isn't read, the loop may be blocked in a write and never call it: then a thread, started in advance
    since a signal handler had better start none, exits the process after ``GOODBYE`` seconds all the same.
    """
    loop = asyncio.get_running_loop()
    reading, writing = os.pipe()

    def end() -> None:
        number = os.read(reading, 1)[0]
        time.sleep(GOODBYE)
        os._exit(128 + number)

    threading.Thread(target=end, daemon=True).start()
    for number in LEAVING:
        loop.add_signal_handler(number, leave, int(number))
        # In place of asyncio's, which does nothing: the loop hears of the signal through its wakeup descriptor.
        signal.signal(number, lambda came, _: _tell(writing, came))


def _tell(descriptor: int, number: int) -> None:
    os.write(descriptor, bytes([number]))


def end_within(seconds: float, status: int) -> None:
    """Exit the process after this many seconds, whatever hangs.

    Textual writes through a thread with a queue of 30. Once the terminal has closed, the first write kills that
    thread, and after 30 more the event loop blocks forever. Nothing is lost: the runner owns the record.
    """
    timer = threading.Timer(seconds, os._exit, (status,))
    timer.daemon = True
    timer.start()


def terminal_is_gone() -> bool:
    """Whether the terminal on standard input has closed: the kernel then refuses every request about it."""
    try:
        return sys.__stdin__ is None or not os.isatty(sys.__stdin__.fileno())
    except ValueError:
        return True
