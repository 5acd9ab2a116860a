"""The small languages of a profile: durations, sizes and CPU lists.

Each type parses the text that a user writes, holds the plain value that a program needs, and serialises
back to text, so a resolved profile round-trips through JSON. The parsers raise ``ValueError`` with a
message in plain words, to which the loader adds file, line and key.
"""

import json
import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer

from tui.system.cpus import format_cpu_list, parse_cpu_list

_UNIT_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_UNIT_BYTES = {"": 1, "k": 1024, "m": 1024**2, "g": 1024**3, "kb": 10**3, "mb": 10**6, "gb": 10**9}
_UNIT_BYTES |= {"b": 1, "kib": 1024, "mib": 1024**2, "gib": 1024**3}
_LONGEST_QUOTE = 80
HIGHEST_RATE = 1_000_000
_QUANTITY = re.compile(r"(\d+(?:\.\d+)?)\s*([A-Za-z]*)")


def parse_duration(value: object) -> float:
    """Seconds from "500ms", "1.5s", "2m" or "1h". A bare number has no unit and is refused."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        raise ValueError(f'found {value}, which has no unit; write "{value}s"')
    if not isinstance(value, str):
        raise ValueError(f'found {quoted(value)}; write a duration such as "30s", "2m" or "500ms"')
    match = _QUANTITY.fullmatch(value.strip())
    if match and not match[2]:
        raise ValueError(f'found {quoted(value)}, which has no unit; write "{value.strip()}s"')
    if not match or match[2] not in _UNIT_SECONDS:
        raise ValueError(f'found {quoted(value)}; write a duration in ms, s, m or h, such as "30s"')
    return float(match[1]) / 1000 if match[2] == "ms" else float(match[1]) * _UNIT_SECONDS[match[2]]


def format_duration(seconds: float) -> str:
    """The shortest text that :func:`parse_duration` reads as the same number of seconds."""
    if seconds and seconds < 1:
        return f"{seconds * 1000:.12g}ms"
    for unit in ("h", "m"):
        if seconds and seconds % _UNIT_SECONDS[unit] == 0:
            return f"{seconds / _UNIT_SECONDS[unit]:.12g}{unit}"
    return f"{seconds:.12g}s"


def parse_size(value: object) -> int:
    """Bytes from a whole number, "64k" or "1GiB" (powers of 1024), "100MB" (powers of 1000)."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    match = _QUANTITY.fullmatch(value.strip()) if isinstance(value, str) else None
    if not match or match[2].lower() not in _UNIT_BYTES:
        raise ValueError(f'found {quoted(value)}; write a size such as 4096, "64k", "100MB" or "1GiB"')
    size = float(match[1]) * _UNIT_BYTES[match[2].lower()]
    if not size.is_integer():
        raise ValueError(f"found {quoted(value)}, which is not a whole number of bytes")
    return int(size)


def format_size(size: int) -> str:
    """The shortest text that :func:`parse_size` reads as the same number of bytes."""
    for unit in ("GiB", "GB", "MiB", "MB", "k", "kB"):
        factor = _UNIT_BYTES[unit.lower()]
        if size and size % factor == 0:
            return f"{size // factor}{unit}"
    return str(size)


def parse_rate(value: object) -> int | float:
    """Requests per second: more than 0 and at most a million."""
    number = value if isinstance(value, int | float) and not isinstance(value, bool) else 0
    if not 0 < number <= HIGHEST_RATE:
        raise ValueError(
            f"found {quoted(value)}; a number of requests per second is allowed, "
            f"more than 0 and at most {HIGHEST_RATE:,}"
        )
    return number


def parse_cpu_choice(value: object) -> Literal["auto"] | tuple[int, ...]:
    """``"auto"``, or the CPUs of a list such as ``"0-3,8"``. A bare number may be a count: refused."""
    if value == "auto":
        return "auto"
    if isinstance(value, int) and not isinstance(value, bool):
        raise ValueError(f'found {value}; write "{value}" for CPU number {value}, or a list such as "0-3,8"')
    if not isinstance(value, str):
        raise ValueError(f'found {quoted(value)}; write "auto" or a CPU list such as "0" or "0-3,8"')
    return parse_cpu_list(value)


def format_cpu_choice(value: Literal["auto"] | tuple[int, ...]) -> str:
    """The text that :func:`parse_cpu_choice` reads."""
    return value if isinstance(value, str) else format_cpu_list(value)


def check_url_path(path: str) -> str:
    """The path and query of a request, which the request line carries unchanged."""
    if not path.startswith("/"):
        raise ValueError(f'found {quoted(path)}; write a path that begins with "/", such as "/page?id=1"')
    if not path.isascii() or not path.isprintable() or " " in path or "#" in path:
        raise ValueError(
            f'found {quoted(path)}; write spaces, # and characters beyond ASCII percent-encoded ("%20")'
        )
    return path


def quoted(value: object) -> str:
    """A TOML value as the user wrote it, on one line: text in double quotes, ``true`` and not ``True``."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list"
    if not isinstance(value, str):
        return str(value)
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_QUOTE else f'{text[: _LONGEST_QUOTE - 2]}…"'


Duration = Annotated[
    float, BeforeValidator(parse_duration), PlainSerializer(format_duration, return_type=str)
]
"""Seconds; written "30s", "2m", "500ms"."""

PositiveDuration = Annotated[
    float, BeforeValidator(parse_duration), Field(gt=0), PlainSerializer(format_duration, return_type=str)
]
"""Seconds, more than none."""

Size = Annotated[int, BeforeValidator(parse_size), PlainSerializer(format_size, return_type=str)]
"""Bytes; written 4096, "64k", "100MB", "1GiB"."""

Rate = Annotated[int | float, BeforeValidator(parse_rate)]
"""Requests per second."""

CpuChoice = Annotated[
    Literal["auto"] | tuple[int, ...],
    BeforeValidator(parse_cpu_choice),
    PlainSerializer(format_cpu_choice, return_type=str),
]
"""CPU numbers, or "auto" to divide the machine; written "0", "0-3,8", "auto"."""

UrlPath = Annotated[str, AfterValidator(check_url_path)]
"""The path and query of a request."""
