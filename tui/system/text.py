"""Text that isn't ours, made safe to show: a server's log, a process title, a header, a file's name.

A terminal obeys what is written to it: a log line may set the title or the clipboard, move the cursor over a verdict,
or reverse the direction in which a name is read. So no control character of others reaches a screen or an export.
"""

from __future__ import annotations

import re

LONGEST = 4096
"""Characters of one line of others' text that are kept."""
ELLIPSIS = "…"
UNSHOWABLE = "\ufffd"
"""Replaces what has no picture of its own. Like the pictures it is a single character that no format has to escape."""

_COLOURS = re.compile(r"(?:\x1b\[|\x9b)[0-9;:]*[mK]")
"""What a server colours its log with: the text is meant to be read without it."""
CONTROLS = {
    **{code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\n\t"},
    0x7F: "␡",
    **dict.fromkeys(range(0x80, 0xA0), UNSHOWABLE),
    **dict.fromkeys((0xAD, 0x61C, 0x180E, 0x200B, 0x200E, 0x200F, 0xFEFF), UNSHOWABLE),
    **dict.fromkeys((0x2028, 0x2029), UNSHOWABLE),
    **dict.fromkeys(range(0x202A, 0x202F), UNSHOWABLE),
    **dict.fromkeys(range(0x2060, 0x2070), UNSHOWABLE),
    **dict.fromkeys(range(0xD800, 0xE000), UNSHOWABLE),
    **dict.fromkeys(range(0xFFF9, 0xFFFC), UNSHOWABLE),
    **dict.fromkeys(range(0xE0000, 0xE0080), UNSHOWABLE),
}
"""What replaces each character that may not be shown; a tab and a line break are treated apart."""


def printable(text: str) -> str:
    """The text in which nothing commands a terminal; lines stay lines.

    ESC becomes ␛ and the like; C1 controls, direction overrides, invisible characters and lone surrogates become �;
    tabs become spaces; colours and the ``\\r`` of ``\\r\\n`` are dropped.
    """
    if text.isprintable():
        return text
    return _COLOURS.sub("", text).replace("\r\n", "\n").expandtabs().translate(CONTROLS)


def in_one_line(text: str) -> str:
    """:func:`printable`, and with ␊ for a line break, so that a name can't begin a line of its own."""
    return printable(text).replace("\n", "␊")


def plain(text: str) -> str:
    """With ? for every character that isn't printable, so that nothing can hide a part of a command."""
    return "".join(each if each.isprintable() else "?" for each in text)


def bounded(text: str) -> str:
    """:func:`printable`, with every line cut to ``LONGEST``."""
    clean = printable(text)
    if len(clean) <= LONGEST:
        return clean
    lines = clean.split("\n")
    return "\n".join(line if len(line) <= LONGEST else line[: LONGEST - 1] + ELLIPSIS for line in lines)
