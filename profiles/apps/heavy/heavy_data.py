"""About 100 MB of Python objects, as a large app has loaded before its first answer.

After a fork they stay shared as long as nothing writes to them. Requests don't, but the garbage collector
does: a full collection writes to the header of each list. In a short run there is no full collection, since
everything loaded was collected before, so "/" shows the most that preloading can save. "/collected" gives
the same answer after a full collection in the process, which every long-lived worker makes sooner or later;
there, the memory stays shared only if it was frozen before the fork, by the server or, with HEAVY_FREEZE=1
in the environment, by this module.
"""

import gc
import os

COUNT = 540_000
ENTRIES = [[f"entry {number:07d} of a table read at the start"] for number in range(COUNT)]
BODY = f"{COUNT} entries\n".encode()

_collected = False

gc.collect()
if os.environ.get("HEAVY_FREEZE") == "1":
    gc.freeze()


def answer(path):
    """The body for a path, or None."""
    if path == "/collected":
        collect_once()
    elif path != "/":
        return None
    return BODY


def collect_once():
    """Make a full collection, on the first call only."""
    global _collected
    if not _collected:
        _collected = True
        gc.collect()
