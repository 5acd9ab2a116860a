"""About 100 MB of Python objects: what a large app has loaded before it answers its first request.

After a fork they stay shared as long as nothing writes to them, and no request touches them. The garbage
collector does: a full collection writes to the header of each list. In a short run none comes by itself,
since all that is loaded was collected before, so "/" shows what preloading saves at its best. "/collected"
answers the same from a process that has made a full collection, as every long-lived worker does sooner or
later; there the memory stays shared only if it was frozen before the fork, by the server or, with
HEAVY_FREEZE=1 in the environment, here.
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
    """The body for a path, None where there is nothing."""
    if path == "/collected":
        collect_once()
    elif path != "/":
        return None
    return BODY


def collect_once():
    """A full collection, at the first call."""
    global _collected
    if not _collected:
        _collected = True
        gc.collect()
