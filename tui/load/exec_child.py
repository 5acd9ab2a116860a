"""``python -m tui.load.exec_child PROGRAM ...`` becomes the program, and ends with the process that started it.

The child has to request a signal at the parent's death, and that survives exec. This needs a separate program, since in
a process with threads no Python may run between fork and exec.
"""

from __future__ import annotations

import os
import sys

from tui.load.process import end_with_parent


def main() -> None:
    """Entry point; status 127 if there is no such program, as in a shell."""
    end_with_parent()
    try:
        os.execvp(sys.argv[1], sys.argv[1:])
    except OSError as error:
        print(f"{sys.argv[1]}: {error.strerror}", file=sys.stderr)
        sys.exit(127)


if __name__ == "__main__":
    main()
