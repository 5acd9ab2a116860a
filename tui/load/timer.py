"""A timer that epoll can wait for, finer than epoll's own timeout, which is in whole milliseconds.

``os.timerfd_create`` came with Python 3.13; until then, this calls the C library.
"""

from __future__ import annotations

import ctypes
import os
import time
from errno import errorcode

_NONBLOCK_CLOEXEC = os.O_NONBLOCK | os.O_CLOEXEC  # TFD_NONBLOCK and TFD_CLOEXEC have these values
_ABSOLUTE = 1  # TFD_TIMER_ABSTIME
_SECOND = 1_000_000_000

_LIBC = ctypes.CDLL(None, use_errno=True)  # one for all: each refers to itself, and is never freed without gc
_LIBC.timerfd_settime.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]


class Timer:
    """A timerfd on CLOCK_MONOTONIC. ``fileno`` is readable from the set time until it is set again."""

    def __init__(self) -> None:
        self.fd: int = _LIBC.timerfd_create(time.CLOCK_MONOTONIC, _NONBLOCK_CLOEXEC)
        if self.fd < 0:
            code = ctypes.get_errno()
            raise OSError(code, f"timerfd_create: {errorcode.get(code, code)}")
        self._value = (ctypes.c_long * 4)()  # struct itimerspec: interval and value, each in s and ns
        self._place = ctypes.c_void_p(ctypes.addressof(self._value))

    def set(self, at: int) -> None:
        """Set it to ns of ``perf_counter_ns``, which is CLOCK_MONOTONIC; a past time fires at once."""
        self._value[2], self._value[3] = divmod(at, _SECOND)
        _LIBC.timerfd_settime(self.fd, _ABSOLUTE, self._place, None)

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self.fd)
