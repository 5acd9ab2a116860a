"""An app with a lot of memory and a small answer at "/" and "/collected", over ASGI."""

import sys

import heavy_data

sys.path.append(f"{__file__.rpartition('/')[0]}/../_shared")
from over_asgi import PLAIN, app_of

app = app_of(heavy_data.answer, PLAIN)
