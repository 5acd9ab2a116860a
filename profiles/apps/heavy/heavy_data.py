"""About 100 MB of Python objects: what a large app has loaded before it answers its first request.

The objects are texts, which the garbage collector doesn't track, so no collection writes to them; and no request
touches them, so no reference count does either. After a fork they stay shared as long as they weren't loaded anew.
"""

COUNT = 540_000
PADDING = "." * 48
ENTRIES = [
    f"entry {number:07d} of a table that an app has read at its start, padded{PADDING}"
    for number in range(COUNT)
]
BODY = f"{COUNT} entries\n".encode()
