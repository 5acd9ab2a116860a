"""What the terminal sends, before Textual reads it: bytes that are no UTF-8 are ignored.

Textual decodes its input strictly, so one key of a Latin-1 terminal, or a mouse report in the form of 1990 (X10: three
raw bytes), would end the console.
"""

from __future__ import annotations

import codecs
import re

from textual.drivers import linux_driver
from textual.drivers.linux_driver import LinuxDriver

_X10_MOUSE = re.compile(rb"\x1b\[M.{3}", re.DOTALL)
_BEGUN = re.compile(rb"\x1b\[M.{0,2}\Z", re.DOTALL)


class InputDecoder:
    """Decodes what a terminal sends, piece by piece: no X10 mouse reports, and nothing that isn't UTF-8."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("ignore")
        self._begun = b""
        """A mouse report that has begun."""

    def decode(self, data: bytes, final: bool = False) -> str:
        data = _X10_MOUSE.sub(b"", self._begun + data)
        begun = None if final else _BEGUN.search(data)
        self._begun = data[begun.start() :] if begun else b""
        return self._decoder.decode(data[: len(data) - len(self._begun)], final)


def _decoder_for(encoding: str) -> type[InputDecoder]:
    """In the place of ``codecs.getincrementaldecoder``; the encoding is always UTF-8."""
    return InputDecoder


class ConsoleDriver(LinuxDriver):
    """Textual's driver with that decoder, whose failures are the console's."""

    def run_input_thread(self) -> None:
        vars(linux_driver)["getincrementaldecoder"] = _decoder_for  # Textual has no other way in
        super().run_input_thread()

    def _run_input_thread(self) -> None:
        """Textual would end the app without an exit status, and with a traceback on the screen."""
        try:
            self.run_input_thread()
        except Exception as error:
            self._app.call_later(self._app._handle_exception, error)
