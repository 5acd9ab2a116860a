"""A dynamic page at "/", over ASGI."""

import sys

import page_view

sys.path.append(f"{__file__.rpartition('/')[0]}/../_shared")
from over_asgi import HTML, app_of

app = app_of(lambda path: page_view.body() if path == "/" else None, HTML)
