"""Starting a program with the rights of the stack's user."""

from typing import Any


def as_user(uid: int | None, gid: int | None) -> dict[str, Any]:
    """Arguments of ``subprocess.run`` that drop root's rights before the program starts; none if ``uid`` is None.

    It starts in "/", since that user may not be allowed in the folder where we are.
    """
    if uid is None or gid is None:
        return {}
    return {"user": uid, "group": gid, "extra_groups": [], "cwd": "/"}
