"""The smallest app that answers: 14 bytes at "/", over ASGI."""

import sys

sys.path.append(f"{__file__.rpartition('/')[0]}/../_shared")
from over_asgi import PLAIN, app_of

BODY = b"Hello, world!\n"
app = app_of({"/": BODY}.get, PLAIN)
