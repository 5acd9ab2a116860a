"""Text files of ``/proc`` and ``/sys``, any of which a container or a small machine may lack."""

from pathlib import Path


def read_text(path: Path) -> str | None:
    """The file's text without blanks around it; None when it is missing, empty or not readable."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip() or None
    except OSError:
        return None
