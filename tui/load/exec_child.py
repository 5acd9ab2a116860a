"""``python -m tui.load.exec_child PROGRAM ...`` becomes the program, and ends with whoever started it.

A signal at the parent's death outlives exec, and has to be asked for in the child: after fork and before exec no
Python may run where a process has threads.
"""

from __future__ import annotations

import os
import sys

from tui.load.process import end_with_parent


def main() -> None:
    """Entry point; status 127 when there is no such program, as in a shell."""
    end_with_parent()
    try:
        os.execvp(sys.argv[1], sys.argv[1:])
    except OSError as error:
        print(f"{sys.argv[1]}: {error.strerror}", file=sys.stderr)
        sys.exit(127)


if __name__ == "__main__":
    main()
