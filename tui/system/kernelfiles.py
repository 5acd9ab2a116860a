"""Text files of ``/proc`` and ``/sys``, any of which may be missing in a container or a small machine."""

from pathlib import Path


def read_text(path: Path) -> str | None:
    """The file's text, stripped; None if it is missing, empty or not readable."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip() or None
    except OSError:
        return None
